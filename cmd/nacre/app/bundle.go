package app

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nacre/experiment"
	"nacre/experiment/sweep"
	"nacre/internal/atomicfile"
	"nacre/internal/plainfile"
	"nacre/internal/version"
)

// BundleOptions are the flags of nacre report --bundle.
type BundleOptions struct {
	Dir    string // a run folder; "" for none
	Out    string // name of the .zip; "": nacre-report.zip in the current folder
	Doctor Providers
}

// BundleReport is the output of nacre report --bundle.
type BundleReport struct {
	File  string       `json:"file"`
	Holds []BundleFile `json:"holds"`
}

// BundleFile is a file of a bundle.
type BundleFile struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
	About string `json:"about"`
}

// Limits on the end of a log and on the list of files in a bundle.
const (
	maxBundleLog   = 64 << 10
	maxBundleFiles = 5000
)

// Bundle writes a .zip for a bug report. It reads as much of the run as is readable, because bug reports are often
// about broken runs.
func Bundle(_ context.Context, env *Env, o BundleOptions) error {
	out := cmp.Or(o.Out, "nacre-report.zip")
	if filepath.Ext(out) != ".zip" {
		return Usagef("--out %s: expected a name that ends in .zip", out)
	}
	if o.Dir != "" {
		if info, err := os.Stat(o.Dir); err != nil || !info.IsDir() {
			return fmt.Errorf("report: %s is not a folder; expected that of a run, or none", o.Dir)
		}
	}
	b := bundling{hide: newScrubber()}
	b.add("versions.txt", "the program, Go and the system", version.Get().String()+"\n")
	var doctor bytes.Buffer
	found, problem := Doctor(o.Doctor)
	if err := errors.Join(found.WriteText(&doctor)); err != nil {
		return err
	}
	if problem != nil {
		fmt.Fprintln(&doctor, problem)
	}
	b.add("doctor.txt", "what nacre doctor says", doctor.String())
	b.add("environment.txt", "variables that nacre and its libraries read", environment())
	if o.Dir != "" {
		b.run(o.Dir)
	}
	about := "A report of a problem with nacre. It holds no data. Names of the user, the machine and the home folder " +
		"are replaced by\n" +
		"USER, HOST and ~, what looks like a token by [removed]. Look through it before you send it.\n\n"
	for _, f := range b.files {
		about += fmt.Sprintf("%-16s %8d bytes  %s\n", f.Name, f.Bytes, f.About)
	}
	b.add("README.txt", "what is in here", about)
	if err := makeFolderOf(out); err != nil {
		return err
	}
	if err := atomicfile.Write(out, b.write); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	r := BundleReport{out, b.files}
	return env.Print(r, r.WriteText)
}

// WriteText prints what the bundle holds.
func (r BundleReport) WriteText(w io.Writer) error {
	for _, f := range r.Holds {
		fmt.Fprintf(w, "%-16s %8d bytes  %s\n", f.Name, f.Bytes, f.About)
	}
	_, err := fmt.Fprintf(w, "%s: no data is in it; names and what looks like a token are replaced; look through it "+
		"before you send it\n", r.File)
	return err
}

// bundling is a bundle being made.
type bundling struct {
	hide  scrubber
	files []BundleFile
	texts []string
}

func (b *bundling) add(name, about, text string) {
	text = b.hide.scrub(text)
	b.files = append(b.files, BundleFile{name, len(text), about})
	b.texts = append(b.texts, text)
}

func (b *bundling) write(w io.Writer) error {
	z := zip.NewWriter(w)
	for i, f := range b.files {
		member, err := z.Create(f.Name)
		if err == nil {
			_, err = io.WriteString(member, b.texts[i])
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

// run adds the files about a run folder.
func (b *bundling) run(dir string) {
	settings, err := plainfile.Read(filepath.Join(dir, experiment.ConfigFile), 1<<20)
	b.add("settings.toml", "the run's settings, and what ran it", orError(string(settings), err))
	parent, name := filepath.Dir(filepath.Dir(filepath.Clean(dir))), filepath.Base(dir)
	if log, err := tail(filepath.Join(parent, "logs", name+".log")); !errors.Is(err, fs.ErrNotExist) {
		b.add("log.txt", "the end of what the run printed", orError(log, err))
	}
	b.add("error.txt", "why the run ended last, and what its files say", lastError(dir, parent, name))
	b.add("files.txt", "names and sizes of the run's files", fileList(dir))
}

func orError(text string, err error) string {
	if err != nil {
		return "cannot be read: " + err.Error() + "\n"
	}
	return text
}

// tail returns the end of a log, from the beginning of a line.
func tail(path string) (string, error) {
	text, cut, err := plainfile.Tail(path, maxBundleLog)
	if cut {
		text = "(what was before is left out)\n" + text
	}
	return text, err
}

// lastError returns what is known about a run's end: the notices of its record, the last attempt of its sweep, and
// problems of its files.
func lastError(dir, parent, name string) string {
	var text strings.Builder
	if run, err := experiment.View(dir); err != nil {
		fmt.Fprintln(&text, err)
	} else if record, err := run.Record(); err != nil {
		fmt.Fprintln(&text, err)
	} else if n := len(record.Sessions); n > 0 {
		for _, notice := range record.Sessions[n-1].Notices {
			fmt.Fprintln(&text, "notice:", notice)
		}
	}
	var last sweep.Attempt
	if state, err := plainfile.Read(filepath.Join(parent, "state", name+".json"), 1<<20); err == nil &&
		json.Unmarshal(state, &last) == nil && last.Error != "" {
		fmt.Fprintf(&text, "attempt %d: %s\n", last.Number, last.Error)
	}
	findings, err := experiment.Verify(dir)
	if err != nil {
		fmt.Fprintln(&text, err)
	}
	for _, f := range findings {
		if f.State != experiment.Whole {
			fmt.Fprintf(&text, "%s is %s: %s\n", f.File, f.State, f.About)
		}
	}
	return cmp.Or(text.String(), "nothing is known of an error\n")
}

// fileList lists the files of a folder with their sizes.
func fileList(dir string) string {
	var text strings.Builder
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		below, _ := filepath.Rel(dir, path)
		if err != nil {
			fmt.Fprintf(&text, "%12s  %s (%v)\n", "?", filepath.ToSlash(below), err)
			return nil
		}
		if path == dir || d.IsDir() {
			return nil
		}
		if n++; n > maxBundleFiles {
			return nil
		}
		size := int64(0)
		if info, err := d.Info(); err == nil {
			size = info.Size()
		}
		kind := ""
		if !d.Type().IsRegular() {
			kind = " (" + d.Type().String() + ")"
		}
		fmt.Fprintf(&text, "%12d  %s%s\n", size, filepath.ToSlash(below), kind)
		return nil
	})
	if err != nil {
		fmt.Fprintln(&text, err)
	}
	if n > maxBundleFiles {
		fmt.Fprintf(&text, "and %d more\n", n-maxBundleFiles)
	}
	return text.String()
}

// environment lists the variables that change what nacre does. Their values may be paths.
func environment() string {
	var lines []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		for _, begin := range []string{"NACRE_", "CUDA_", "NVIDIA_", "OMP_", "GOMAXPROCS", "GOMEMLIMIT", "GODEBUG",
			"SLURM_JOB", "SLURM_CPUS", "VIRTUAL_ENV", "CONDA_PREFIX", "LANG", "LC_", "TZ", "TERM"} {
			if strings.HasPrefix(name, begin) {
				lines = append(lines, v)
				break
			}
		}
	}
	slices.Sort(lines)
	return cmp.Or(strings.Join(lines, "\n"), "none is set") + "\n"
}
