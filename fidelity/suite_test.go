package fidelity

import (
	"encoding/json"
	"errors"
	"flag"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var (
	suite = flag.String("suite", "", "a folder of programs that others wrote, such as Go's test or yaegi's _test")
	nth   = flag.Int("nth", 1, "run one in so many programs of the suite")
)

// Lost is the class of a program that takes the kernel with it.
const Lost Class = "kernel lost"

// suiteProgram is the environment variable in which a process of its own finds the program that it is to run in cells.
const suiteProgram = "FIDELITY_PROGRAM"

// TestSuite runs each program of the folder -suite whole and split over cells, in a process each, and compares with
// what the Go tool chain makes of it. It counts the programs, lists what is left out with its reason, and fails where
// one is silently wrong or takes the kernel with it.
func TestSuite(t *testing.T) {
	if *suite == "" {
		t.Skip("no folder is given with -suite")
	}
	needsCells(t)
	files, err := filepath.Glob(filepath.Join(*suite, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal("no programs in ", *suite, err)
	}
	left, counts := map[string]int{}, map[Class]int{}
	seen, programs := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		why := leftOut(string(text))
		if why == "" {
			if seen++; seen%*nth != 0 {
				continue
			}
		}
		var want Result
		if why == "" {
			p := &Case{Name: filepath.Base(file), Source: string(text)}
			results, err := Compiled(t.Context(), t.TempDir(), []*Case{p})
			if err != nil {
				why = "does not compile, or not as one of several programs"
			} else {
				want = results[0]
			}
		}
		if why == "" && want.End == "ran too long" {
			why = "runs for more than " + limit.String()
		}
		if why != "" {
			left[why]++
			continue
		}
		programs++
		worst := Same
		for _, how := range []string{"whole", "split"} {
			o, text := apart(t, file, how, want)
			if slices.Index(severity, o) > slices.Index(severity, worst) {
				worst = o
			}
			if o != Same {
				t.Logf("%s, %s: %s", filepath.Base(file), how, strings.TrimSpace(text))
			}
		}
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

// severity orders what becomes of a program.
var severity = []Class{Same, Refused, Wrong, Silent, Lost}

// apart runs a program in cells in a process of its own, which it may take with it.
func apart(t *testing.T, file, how string, want Result) (Class, string) {
	expected, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestSuiteProgram$", "-engine", *engine)
	cmd.Env = append(os.Environ(), suiteProgram+"="+file, suiteProgram+"_HOW="+how,
		suiteProgram+"_WANT="+string(expected))
	out, err := cmd.CombinedOutput()
	_, rest, ok := strings.Cut(string(out), "\noutcome ")
	class, text, _ := strings.Cut(rest, ": ")
	if !ok || errors.As(err, new(*exec.ExitError)) {
		return Lost, string(out[:min(len(out), 400)])
	}
	text, _, _ = strings.Cut(text, "\nPASS")
	return Class(class), text
}

// TestSuiteProgram is the process of one program.
func TestSuiteProgram(t *testing.T) {
	file := os.Getenv(suiteProgram)
	if file == "" {
		t.Skip("it runs as a process of TestSuite")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var want Result
	if err := json.Unmarshal([]byte(os.Getenv(suiteProgram+"_WANT")), &want); err != nil {
		t.Fatal(err)
	}
	p := &Case{Name: filepath.Base(file), Source: string(text), Cells: []string{string(text)}}
	if os.Getenv(suiteProgram+"_HOW") == "split" {
		h := fnv.New64a()
		h.Write(text)
		for r := rand.New(rand.NewPCG(*seed, h.Sum64())); len(p.Cells) < 2; {
			if p, err = New(p.Name, string(text), r); err != nil {
				t.Fatal(err)
			}
			if r.IntN(50) == 0 { // it has but one piece
				break
			}
		}
	}
	s := open(t)
	defer s.Close()
	o := InCells(s, p, want)
	os.Stdout.WriteString("\noutcome " + string(o.Class) + ": " + o.Difference(p, want) + "\n")
}

var runs = regexp.MustCompile(`(?m)^// run\b(.*)$`)

// leftOut is why a program is not one to compare, "" where it is.
func leftOut(text string) string {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments)
	if err != nil || f.Name.Name != "main" {
		return "is no program: it does not parse, or is another package"
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
		case "C", "unsafe", "runtime/debug", "runtime/pprof", "os/exec", "os/signal", "plugin", "go/build":
			return "imports " + path
		default:
			if strings.Contains(path, ".") || strings.HasPrefix(path, "internal/") {
				return "imports a package of its own"
			}
		}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if goTest.MatchString(first) {
		switch m := runs.FindStringSubmatch(first); {
		case m == nil:
			return "is not to be run"
		case strings.TrimSpace(m[1]) != "":
			return "has arguments or flags"
		}
	}
	return ""
}

// goTest is the first line of a file of Go's test.
var goTest = regexp.MustCompile(`^// (?:run|compile|build|errorcheck|runoutput|rundir|asmcheck|skip|cmpout|buildrun)`)

func here(tag string) bool {
	return tag == runtime.GOOS || tag == runtime.GOARCH || tag == "gc" || tag == "cgo" || tag == "unix" ||
		strings.HasPrefix(tag, "go1.")
}
