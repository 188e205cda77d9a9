//go:build unix

package fidelity

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"hash/fnv"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	suite = flag.String("suite", "", "a folder of programs that others wrote, such as Go's test or yaegi's _test")
	nth   = flag.Int("nth", 1, "run one in so many programs of the suite")
	from  = flag.Int("from", 0, "which of each -nth programs it is: 0 the last of them, 1 the first, 2 the second …")
	only  = flag.String("only", "", "run the programs of the suite whose names match")
)

const (
	Lost Class = "kernel lost" // it takes the kernel with it
	Slow Class = "slow"        // it computes for long when compiled, and for too long in cells
)

// suiteLimit is how long a program of a suite may compute, or rest, and computing what one that is cut off has computed
// when compiled. Interpreted, programs take a hundred times as long and more.
const (
	suiteLimit = 40 * time.Second
	computing  = suiteLimit / 1000
)

// suiteProgram is the environment variable in which a process of its own finds the folder of the program that it is to
// run in cells.
const suiteProgram = "FIDELITY_PROGRAM"

// TestSuite runs each program of the folder -suite and of those below it, whole and split over cells, in a process
// each, and compares with what `go run` prints. It counts the programs, lists what is left out with its reason, and
// fails where one is silently wrong or takes the kernel with it. What was found before by the same binary is not run
// again.
func TestSuite(t *testing.T) {
	if *suite == "" {
		t.Skip("no folder is given with -suite")
	}
	if *nth < 1 || *from < 0 || *from >= *nth {
		t.Fatalf("-nth %d -from %d: expected -nth of at least 1, and -from of at least 0 and below -nth", *nth, *from)
	}
	needsCells(t)
	k := newKept(t)
	left, counts := map[string]int{}, map[Class]int{}
	seen, programs := 0, 0
	for _, name := range suiteFiles(t) {
		text, err := os.ReadFile(filepath.Join(*suite, name))
		if err != nil {
			t.Fatal(err)
		}
		why, want := leftOut(string(text)), native{}
		if why == "" {
			if seen++; seen%*nth != *from {
				continue
			}
			want = k.goRun(t, string(text))
			why = want.Why
		}
		if why != "" {
			left[why]++
			continue
		}
		worst := Same
		for _, how := range []string{"whole", "split"} {
			f := k.inCells(t, name, string(text), how, want)
			if f.Class == Slow {
				why = "computes for more than " + suiteLimit.String() + " in cells on " + *engine
				break
			}
			if slices.Index(severity, f.Class) > slices.Index(severity, worst) {
				worst = f.Class
			}
			if f.Class != Same {
				t.Logf("%s, %s: %s: %s", name, how, f.Class, strings.TrimSpace(f.Text))
			}
		}
		if why != "" {
			left[why]++
			continue
		}
		programs++
		counts[worst]++
	}
	for _, why := range slices.Sorted(maps.Keys(left)) {
		t.Logf("left out: %d: %s", left[why], why)
	}
	t.Logf("%d programs on %s: %v", programs, *engine, counts)
	if counts[Silent]+counts[Lost] > 0 {
		t.Errorf("%d silently wrong, %d kernels lost", counts[Silent], counts[Lost])
	}
	record(t, filepath.Base(filepath.Dir(*suite))+"/"+filepath.Base(*suite), programs, counts)
}

// suiteFiles are the names of the suite's files of Go that match -only.
func suiteFiles(t *testing.T) []string {
	match, err := regexp.Compile(*only)
	if err != nil {
		t.Fatal("-only: ", err)
	}
	var names []string
	err = filepath.WalkDir(*suite, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) == ".go" {
			if name, err := filepath.Rel(*suite, path); err == nil && match.MatchString(name) {
				names = append(names, name)
			}
		}
		return err
	})
	if err != nil || len(names) == 0 {
		t.Fatal("no programs in ", *suite, err)
	}
	return names
}

// severity orders what becomes of a program.
var severity = []Class{Same, Refused, Wrong, Silent, Lost}

// found is what became of a program in cells.
type found struct {
	Class Class
	Text  string // how it differs
}

// inCells runs a program in cells in a process of its own, which it may take with it, or gives what was found before.
func (k kept) inCells(t *testing.T, name, source, how string, want native) found {
	key := []string{"cells", *engine, how, fmt.Sprint(*seed), k.binary, source}
	var f found
	if k.get(&f, key...) {
		return f
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "main.go"), []byte(source))
	expected, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "want.json"), expected)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestSuiteProgram$", "-engine", *engine,
		"-seed", fmt.Sprint(*seed))
	cmd.Env = append(os.Environ(), suiteProgram+"="+dir, suiteProgram+"_HOW="+how)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	data, readErr := os.ReadFile(filepath.Join(dir, "found.json"))
	switch {
	case t.Context().Err() != nil:
		t.Fatal(t.Context().Err())
	case ctx.Err() != nil:
		f = found{Lost, "the kernel did not stop within " + (6 * limit).String()}
	case err != nil || readErr != nil:
		f = found{Lost, fmt.Sprint(err, "\n", string(out[:min(len(out), 1000)]))}
	default:
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatal(err)
		}
	}
	k.put(t, f, key...)
	return f
}

// TestSuiteProgram is the process of one program.
func TestSuiteProgram(t *testing.T) {
	dir := os.Getenv(suiteProgram)
	if dir == "" {
		t.Skip("it runs as a process of TestSuite")
	}
	source, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	expected, err := os.ReadFile(filepath.Join(dir, "want.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want native
	if err := json.Unmarshal(expected, &want); err != nil {
		t.Fatal(err)
	}
	s := open(t)
	defer s.Close()
	t.Chdir(dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go spent(cancel)
	p := inPieces(t, string(source))
	o := inCells(ctx, s, p, want.Result, time.Hour)
	text := o.Difference(p, want.Result)
	if o.Class == Same && o.Errors != want.Errors {
		o.Class = Silent
		text = fmt.Sprintf("standard error is\n%s\nwant\n%s", o.Errors, want.Errors)
	}
	if strings.HasPrefix(o.Error, "Interrupted") && o.Class != Same && want.Took > computing {
		o.Class = Slow
	}
	data, err := json.Marshal(found{o.Class, text})
	if err != nil {
		t.Fatal(err)
	}
	write(t, "found.json", data)
}

// spent interrupts the cells when this process has computed for suiteLimit, or has not computed for as long. If that
// does not stop it, the process ends. Other programs may take the processors, so the clock says little.
func spent(interrupt func()) {
	used := func() time.Duration {
		var u syscall.Rusage
		if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
			return 0
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	step := suiteLimit / 20
	for rest := 0; used() < suiteLimit && rest < 20; rest++ {
		before := used()
		time.Sleep(step)
		if used()-before > step/50 {
			rest = 0
		}
	}
	interrupt()
	time.Sleep(suiteLimit)
	os.Exit(3)
}

// inPieces is a program as one cell or as several.
func inPieces(t *testing.T, text string) *Case {
	p := &Case{Name: "main.go", Source: text, Cells: []string{text}}
	if os.Getenv(suiteProgram+"_HOW") != "split" {
		return p
	}
	h := fnv.New64a()
	h.Write([]byte(text))
	for r := rand.New(rand.NewPCG(*seed, h.Sum64())); len(p.Cells) < 2; {
		var err error
		if p, err = New(p.Name, text, r); err != nil {
			t.Fatal(err)
		}
		if r.IntN(50) == 0 { // it has but one piece
			break
		}
	}
	return p
}

// leftOut is why a program is not one to compare, "" where it is.
func leftOut(text string) string {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments)
	if err != nil || f.Name.Name != "main" {
		return "is no program: it does not parse, or is another package"
	}
	if why := notRun(text[:f.Package-f.FileStart]); why != "" {
		return why
	}
	if !slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		fd, ok := d.(*ast.FuncDecl)
		return ok && fd.Recv == nil && fd.Name.Name == "main" && fd.Body != nil
	}) {
		return "has no function main"
	}
	for _, g := range f.Comments {
		for _, c := range g.List {
			if x, err := constraint.Parse(c.Text); err == nil && c.Pos() < f.Package && !x.Eval(here) {
				return "is for another system"
			}
		}
	}
	for _, s := range f.Imports {
		switch path := strings.Trim(s.Path.Value, `"`); path {
		case "C", "runtime/cgo", "runtime/debug", "runtime/pprof", "os/exec", "os/signal", "plugin", "go/build":
			return "imports " + path
		default:
			if strings.Contains(path, ".") || strings.HasPrefix(path, "internal/") {
				return "imports a package of its own"
			}
		}
	}
	inside := ""
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			x, isName := s.X.(*ast.Ident)
			switch {
			case isName && x.Name == "runtime" && ofRuntime.MatchString(s.Sel.Name):
				inside = "asks the run time about stacks, memory, goroutines or its own files"
			case isName && x.Name == "testing" && s.Sel.Name == "AllocsPerRun":
				inside = "asks the run time about stacks, memory, goroutines or its own files"
			case isName && x.Name == "unsafe" && s.Sel.Name == "Pointer" && *engine == "yaegi":
				inside = "uses unsafe.Pointer, with yaegi"
			}
		}
		return inside == ""
	})
	return inside
}

// ofRuntime are the names of package runtime that look into how a program was compiled and what it has allocated.
var ofRuntime = regexp.MustCompile(`^(Callers?|CallersFrames|FuncForPC|Stack|SetFinalizer|AddCleanup|ReadMemStats|` +
	`MemProfile.*|NumGoroutine|GoroutineProfile|GOROOT)$`)

// goTest is the line of a file of Go's test that says what is to be done with it, and with which arguments.
var goTest = regexp.MustCompile(`(?m)^// ?(run|compile|build|errorcheck|skip|asmcheck|cmpout)(\w*)\b *(.*)$`)

// notRun is why a file of Go's test is not one to run by itself, "" where it is or is no such file.
func notRun(header string) string {
	m := goTest.FindStringSubmatch(header)
	switch {
	case m == nil:
		return ""
	case m[1] != "run" || m[2] != "":
		return "is to be compiled, to be refused, or one of several files"
	case m[3] != "":
		return "has arguments or flags"
	}
	return ""
}

func here(tag string) bool {
	return tag == runtime.GOOS || tag == runtime.GOARCH || tag == "gc" || tag == "cgo" || tag == "unix" ||
		strings.HasPrefix(tag, "go1.")
}
