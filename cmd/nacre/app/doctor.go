package app

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/cpu"
	"golang.org/x/term"

	"nacre/core"
	"nacre/core/devices"
	"nacre/internal/fetch"
	"nacre/internal/home"
	"nacre/internal/python"
	"nacre/internal/version"
	"nacre/sim"
)

// Status is the result of a check.
type Status string

const (
	OK      Status = "ok"      // present and usable
	Missing Status = "missing" // absent; nacre works without it, but can do less
	Problem Status = "problem" // must be put right
)

// Check is the doctor's check of one thing.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"` // what to do if something is missing
}

// Report holds the doctor's checks.
type Report struct {
	Checks []Check `json:"checks"`
}

// Providers tell the doctor about parts of the program that it does not know itself.
type Providers struct {
	CPUKernel func() string          // returns the CPU kernel that was chosen for this processor
	MuJoCo    func() (string, error) // returns version and file, or why MuJoCo is missing
	MetaWorld func() (string, error) // returns version and folder of Meta-World's scenes, or why they are missing
}

// Doctor checks the machine and the program. Its error is ErrProblem if nacre cannot work as it is. The report is
// complete even then.
func Doctor(p Providers) (Report, error) {
	v := version.Get()
	checks := []Check{
		{Name: "program", Status: OK, Found: "nacre " + v.Version + ", commit " + v.Commit},
		{Name: "Go", Status: OK, Found: v.Go},
		{Name: "platform", Status: OK, Found: v.Platform},
		{Name: "cores", Status: OK, Found: fmt.Sprint(runtime.NumCPU())},
		cpuFeatures(),
	}
	if p.CPUKernel != nil {
		checks = append(checks, Check{Name: "CPU kernel", Status: OK, Found: p.CPUKernel()})
	}
	if p.MuJoCo != nil {
		checks = append(checks, fetched("MuJoCo", p.MuJoCo))
	}
	if p.MetaWorld != nil {
		checks = append(checks, fetched("Meta-World", p.MetaWorld))
	}
	checks = append(checks, families())
	for _, b := range devices.All() {
		if b.Probe != nil {
			checks = append(checks, accelerator(b))
		}
	}
	checks = append(checks, interpreter(), folder("."), cache(), terminal(os.Stdout))
	report := Report{checks}
	for _, c := range checks {
		if c.Status == Problem {
			return report, ErrProblem
		}
	}
	return report, nil
}

// ErrProblem is returned by Doctor if something must be put right.
var ErrProblem = errors.New("doctor: there is a problem to be put right first, see above")

func cpuFeatures() Check {
	var found []string
	for _, f := range []struct {
		name string
		has  bool
	}{
		{"AVX2", cpu.X86.HasAVX2},
		{"FMA", cpu.X86.HasFMA},
		{"AVX-512", cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL},
		{"AVX-512 bf16", cpu.X86.HasAVX512BF16},
		{"AMX bf16", cpu.X86.HasAMXBF16},
		{"NEON", cpu.ARM64.HasASIMD},
		{"SVE", cpu.ARM64.HasSVE},
	} {
		if f.has {
			found = append(found, f.name)
		}
	}
	if len(found) == 0 {
		return Check{"CPU features", Missing, "no vector instructions that nacre knows",
			"training runs in plain Go, several times slower"}
	}
	return Check{Name: "CPU features", Status: OK, Found: strings.Join(found, ", ")}
}

// fetched checks something that nacre setup fetches. The error of find says what to do.
func fetched(name string, find func() (string, error)) Check {
	found, err := find()
	if err != nil {
		return Check{name, Missing, "cannot be used", err.Error() + "; the point robot needs none"}
	}
	return Check{Name: name, Status: OK, Found: found}
}

// cache says where nacre setup puts what it fetches, and which parts of it are incomplete.
func cache() Check {
	dir, err := home.Dir()
	if err != nil {
		return Check{"cache", Missing, "none", err.Error()}
	}
	c := Check{Name: "cache", Status: OK, Found: dir}
	parts, _ := fetch.Parts(runtime.GOOS, runtime.GOARCH)
	if gpu, err := fetch.WebGPU(runtime.GOOS, runtime.GOARCH); err == nil {
		parts = append(parts, gpu)
	}
	for _, p := range parts {
		if err := p.Complete(dir); err != nil && exists(dir, p.Folder) {
			return Check{"cache", Missing, err.Error(), "run `nacre setup`, which fetches it anew"}
		}
	}
	if _, err := os.Stat(dir); err != nil {
		return c
	}
	f, err := os.CreateTemp(dir, ".nacre-doctor-*")
	if err != nil {
		c.Found += fmt.Sprintf(", which cannot be written (%v): what is there is used, nothing can be added",
			errors.Unwrap(err))
		return c
	}
	f.Close()
	os.Remove(f.Name())
	return c
}

// interpreter says which Python is used: for pip, to find installed packages, and in measurements.
func interpreter() Check {
	p, err := python.Find()
	if err != nil {
		return Check{"Python", Missing, "none",
			err.Error() + "; only nacre setup and measurements beside Python need it"}
	}
	return Check{Name: "Python", Status: OK, Found: p.String(), Advice: p.Note}
}

// families lists the task families of this program. Those that it cannot run are in brackets. Families whose names
// share the part before a slash are counted as a group. Variants, with endings after a colon, are left out.
func families() Check {
	var names []string
	groups := map[string]int{}
	for _, spec := range sim.Families() {
		name := spec.Name
		if strings.Contains(name, ":") {
			continue
		}
		group, _, grouped := strings.Cut(name, "/")
		if grouped {
			if groups[group]++; groups[group] > 1 {
				continue
			}
			name = group + "/"
		}
		if _, err := sim.Lookup(spec.Name); err != nil {
			name = "(" + name + ")"
		}
		names = append(names, name)
	}
	for i, name := range names {
		if n := groups[strings.Trim(name, "(/)")]; n > 0 {
			names[i] = fmt.Sprintf("%s %d", name, n)
		}
	}
	return Check{Name: "families", Status: OK, Found: strings.Join(names, ", ")}
}

// accelerator looks for one of the devices that a program may run on instead of the CPU.
func accelerator(b core.Backend) Check {
	found, err := b.Probe()
	if err != nil {
		return Check{b.Title, Missing, cmp.Or(found, "cannot be used"), err.Error() + "; training runs on the CPU"}
	}
	return Check{Name: b.Title, Status: OK, Found: found}
}

// folder checks that the user can write runs in the current folder.
func folder(dir string) Check {
	c := Check{Name: "current folder", Status: OK}
	f, err := os.CreateTemp(dir, ".nacre-doctor-*")
	if err != nil {
		c.Status, c.Found = Problem, "cannot be written"
		c.Advice = "change to a folder of your own, or give --out"
		return c
	}
	f.Close()
	os.Remove(f.Name())
	c.Found = "can be written"
	free, known := freeBytes(dir)
	if !known {
		return c
	}
	c.Found += fmt.Sprintf(", %.1f GB free", float64(free)/1e9)
	if free < 1e9 {
		c.Status = Problem
		c.Advice = "free at least 1 GB: a run keeps a checkpoint with its replay buffers and writes the next one " +
			"beside it"
	}
	return c
}

func terminal(out *os.File) Check {
	fd := int(out.Fd())
	if !term.IsTerminal(fd) {
		return Check{Name: "terminal", Status: OK, Found: "no: progress is shown as plain lines"}
	}
	if width, _, err := term.GetSize(fd); err == nil {
		return Check{Name: "terminal", Status: OK, Found: fmt.Sprintf("yes, %d columns", width)}
	}
	return Check{Name: "terminal", Status: OK, Found: "yes"}
}

// WriteText prints the report as text.
func (r Report) WriteText(w io.Writer) error {
	width := 0
	for _, c := range r.Checks {
		width = max(width, len(c.Name))
	}
	missing := 0
	for _, c := range r.Checks {
		status := string(c.Status)
		if _, err := fmt.Fprintf(w, "%-7s  %-*s  %s\n", status, width, c.Name, c.Found); err != nil {
			return err
		}
		if c.Advice != "" {
			fmt.Fprintf(w, "%-7s  %-*s  → %s\n", "", width, "", c.Advice)
		}
		if c.Status != OK {
			missing++
		}
	}
	if missing == 0 {
		_, err := fmt.Fprintln(w, "\nNothing is missing.")
		return err
	}
	return nil
}
