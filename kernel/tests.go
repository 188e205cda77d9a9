package kernel

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"nacre/kernel/internal/cells"
	"nacre/kernel/internal/engine"
)

// tester runs the tests of a session.
type tester struct {
	session  *session
	run      *run
	fast     bool // whether the first failure ends them
	compiled *engine.Compiled
	code     string
	mu       sync.Mutex
	failed   []string // names of tests
	fail     *Error   // the panic that ended them
}

// Tests, benchmarks and examples of a session, in the order in which they were defined.
type testList struct {
	names    []string
	examples map[string]*doc.Example
	main     bool // whether there is a TestMain, which is not called
}

// tests finds the functions that go test would run. The lock info is held.
func (s *session) tests() testList {
	list := testList{examples: map[string]*doc.Example{}}
	var decls []*cells.Decl
	for _, d := range s.prog.Decls {
		f, ok := d.Node.(*ast.FuncDecl)
		if !ok || f.Recv != nil {
			continue
		}
		if f.Name.Name == "TestMain" {
			list.main = true
			continue
		}
		for _, prefix := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
			rest, ok := strings.CutPrefix(f.Name.Name, prefix)
			if first, _ := utf8.DecodeRuneInString(rest); ok && !unicode.IsLower(first) {
				decls = append(decls, d)
			}
		}
	}
	slices.SortFunc(decls, func(a, b *cells.Decl) int {
		return cmp.Or(a.Cell-b.Cell, int(a.Node.Pos()-b.Node.Pos()))
	})
	for _, d := range decls {
		name := d.Node.(*ast.FuncDecl).Name.Name
		if strings.HasPrefix(name, "Example") {
			e := s.example(d, name)
			if e == nil || e.Output == "" && !e.EmptyOutput { // go test compiles it only
				continue
			}
			list.examples[name] = e
		}
		list.names = append(list.names, name)
	}
	return list
}

// example reads from the cell's text what an example must print.
func (s *session) example(d *cells.Decl, name string) *doc.Example {
	code := s.sources[d.Cell].code
	from, to := s.fset.Position(d.Node.Pos()), s.fset.Position(d.Node.End())
	lines := strings.Split(code, "\n")
	if from.Line < 1 || to.Line > len(lines) {
		return nil
	}
	text := "package p\n" + strings.Join(lines[from.Line-1:to.Line], "\n")
	f, err := parser.ParseFile(token.NewFileSet(), "p_test.go", text, parser.ParseComments)
	if err != nil {
		return nil
	}
	for _, e := range doc.Examples(f) {
		if "Example"+e.Name == name {
			return e
		}
	}
	return nil
}

// test runs the session's tests as go test does, with its flags, and prints what it prints.
func (s *session) test(ctx context.Context, r *run, flags map[string]string) *Error {
	s.info.Lock()
	list := s.tests()
	s.info.Unlock()
	if list.main {
		r.out.Stream("stderr", "%test does not call TestMain: what it prepares, a cell prepares before %test\n")
	}
	t := &tester{session: s, code: "[]any{" + strings.Join(list.names, ", ") + "}"}
	s.number++
	r2 := &run{session: s, cell: r.cell, count: r.count, number: s.number, out: r.out}
	u, p, fail := s.compile(ctx, r2, t.code)
	if fail != nil {
		return fail
	}
	if _, fail = s.run(ctx, r2, p, u, t.code); fail != nil {
		return fail
	}
	values, _ := (*r2.shown)[0].([]any)
	if len(values) != len(list.names) {
		values = nil
		v := reflect.ValueOf((*r2.shown)[0])
		for k := range v.Len() {
			values = append(values, v.Index(k).Interface())
		}
	}
	main, err := t.main(list, values)
	if err != nil {
		return compileError("", err)
	}
	s.number++
	t.run = &run{session: s, cell: r.cell, count: r.count, number: s.number, out: r.out, tester: t}
	t.compiled = &engine.Compiled{Frames: p.Frames, At: func() (int, bool) { return 0, false }}
	return t.drive(ctx, main, flags, u)
}

// main are the tests as the package testing runs them.
func (t *tester) main(list testList, values []any) (*testing.M, error) {
	var (
		tests      []testing.InternalTest
		benchmarks []testing.InternalBenchmark
		fuzz       []testing.InternalFuzzTarget
		examples   []testing.InternalExample
	)
	for k, name := range list.names {
		if e := list.examples[name]; e != nil {
			f, ok := values[k].(func())
			if !ok {
				return nil, fmt.Errorf("wrong signature for %s, must be: func %s()", name, name)
			}
			examples = append(examples, testing.InternalExample{Name: name, F: f, Output: e.Output,
				Unordered: e.Unordered})
			continue
		}
		switch f := values[k].(type) {
		case func(*testing.T):
			if name[0] != 'T' {
				return nil, wrongSignature(name)
			}
			tests = append(tests, testing.InternalTest{Name: name, F: func(x *testing.T) {
				t.noted(x)
				t.guard(x, func() { f(x) })
			}})
		case func(*testing.B):
			if name[0] != 'B' {
				return nil, wrongSignature(name)
			}
			benchmarks = append(benchmarks, testing.InternalBenchmark{Name: name, F: func(x *testing.B) {
				t.guard(x, func() { f(x) })
			}})
		case func(*testing.F):
			if name[0] != 'F' {
				return nil, wrongSignature(name)
			}
			fuzz = append(fuzz, testing.InternalFuzzTarget{Name: name, Fn: func(x *testing.F) {
				t.noted(x)
				t.guard(x, func() { f(x) })
			}})
		default:
			return nil, wrongSignature(name)
		}
	}
	return mainStart(testing.MainStart, tests, benchmarks, fuzz, examples)
}

// wrongSignature is what go vet says of a test.
func wrongSignature(name string) error {
	kind := name[:1]
	return fmt.Errorf("wrong signature for %s, must be: func %s(%s *testing.%s)", name, name, strings.ToLower(kind),
		kind)
}

// mainStart calls testing.MainStart, whose first parameter has a type that cannot be named and changes with Go.
func mainStart[D any](start func(D, []testing.InternalTest, []testing.InternalBenchmark, []testing.InternalFuzzTarget,
	[]testing.InternalExample) *testing.M, tests []testing.InternalTest, benchmarks []testing.InternalBenchmark,
	fuzz []testing.InternalFuzzTarget, examples []testing.InternalExample) (*testing.M, error) {
	deps, ok := any(testDeps{}).(D)
	if !ok {
		return nil, errors.New("%test: package testing of this Go release is not known: use another nacre")
	}
	return start(deps, tests, benchmarks, fuzz, examples), nil
}

// noted notes the name of a test that has failed when it ends.
func (t *tester) noted(x testing.TB) {
	x.Cleanup(func() {
		if x.Failed() {
			t.mu.Lock()
			t.failed = append(t.failed, x.Name())
			t.mu.Unlock()
			if t.fast { // from the start it would be true of failures of earlier cells
				t.beginNoOther()
			}
		}
	})
}

// beginNoOther has package testing begin no other test. Goroutines of one test, such as those of B.RunParallel, may end
// it at the same time.
func (t *tester) beginNoOther() {
	t.mu.Lock()
	defer t.mu.Unlock()
	flag.Set("test.failfast", "true")
}

// guard calls a function of a test. Its panic, which package testing would let end the process, fails the test and ends
// all; so does an interrupt.
func (t *tester) guard(x testing.TB, f func()) {
	t.mu.Lock()
	over := t.fail != nil
	t.mu.Unlock()
	if over || t.run.stopped.Load() {
		x.FailNow()
	}
	ended := false
	defer func() {
		v := recover()
		switch {
		case ended:
			return
		case v != nil && !t.run.stopped.Load():
			fail := t.run.panicked(t.compiled, t.code, v)
			t.mu.Lock()
			if t.fail == nil {
				t.fail = fail
			}
			t.mu.Unlock()
			t.beginNoOther()
			x.FailNow()
		case t.run.stopped.Load():
			t.beginNoOther()
			x.FailNow()
		}
	}()
	f()
	ended = true
}

// tested calls a function of a test that package testing calls, such as that of a subtest.
func (s *session) tested(x testing.TB, f func()) {
	if r := current(); r != nil && r.tester != nil {
		r.tester.guard(x, f)
		return
	}
	f()
}

// drive runs the tests with what they print, also by package testing, going to the cell in its order.
func (t *tester) drive(ctx context.Context, main *testing.M, flags map[string]string, u *cells.Unit) *Error {
	restore, err := t.redirect()
	if err != nil {
		return compileError("", fmt.Errorf("%%test: %w", err))
	}
	testing.Init()
	if !flag.Parsed() {
		flag.CommandLine.Parse(nil) // not the arguments of the process
	}
	was := map[string]string{}
	flag.VisitAll(func(f *flag.Flag) {
		if strings.HasPrefix(f.Name, "test.") {
			was[f.Name] = f.Value.String()
		}
	})
	for _, name := range []string{"testlogfile", "cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace",
		"coverprofile"} { // those of a kernel that itself is tested
		flag.Set("test."+name, "")
	}
	t.fast, flags["failfast"] = flags["failfast"] == "true", "false"
	for name, value := range flags {
		if value != "" || name == "run" || name == "skip" || name == "bench" || name == "list" || name == "cpu" {
			flag.Set("test."+name, value)
		}
	}
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		for name, value := range was {
			flag.Set(name, value)
		}
	}()
	began, status := time.Now(), 0
	t.compiled.Run = func() { status = main.Run() }
	_, fail := t.session.run(ctx, t.run, t.compiled, u, t.code)
	took := time.Since(began).Seconds()
	restore()
	if fail == nil {
		fail = t.fail
	}
	if fail == nil && status != 0 {
		text := "tests failed"
		if len(t.failed) > 0 {
			text = "tests failed: " + strings.Join(t.failed, ", ")
		}
		fail = &Error{Name: "Error", Message: text, Traceback: []string{red + text + plain}}
	}
	if fail != nil {
		t.run.out.Stream("stdout", fmt.Sprintf("FAIL\tcells\t%.3fs\n", took))
		return fail
	}
	t.run.out.Stream("stdout", fmt.Sprintf("ok  \tcells\t%.3fs\n", took))
	return nil
}

// redirect sends the process's standard files, to which package testing writes, and what the cell prints through one
// pipe to the cell.
func (t *tester) redirect() (restore func(), err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, errors.New("tests do not run in a browser's tab; use a server, or go test")
	}
	out, stdout, stderr, done := t.run.out, os.Stdout, os.Stderr, make(chan struct{})
	go func() {
		defer close(done)
		defer r.Close()
		buf, rest := make([]byte, 64<<10), ""
		for {
			n, err := r.Read(buf)
			text := rest + string(buf[:n])
			end := strings.LastIndexByte(text, '\n') + 1
			if err != nil {
				end = len(text)
			}
			if rest = text[end:]; end > 0 {
				out.Stream("stdout", t.placed(text[:end]))
			}
			if err != nil {
				return
			}
		}
	}()
	os.Stdout, os.Stderr = w, w
	t.run.out = &tested{Output: out}
	return func() {
		t.run.out.(*tested).end()
		os.Stdout, os.Stderr = stdout, stderr
		w.Close()
		<-done
		t.run.out = out
	}, nil
}

var testPlace = regexp.MustCompile(`(?m)^(\s+cell )(\d+)(:\d+: )`)

// placed gives cells, in the places of messages, the numbers that the notebook shows.
func (t *tester) placed(text string) string {
	return testPlace.ReplaceAllStringFunc(text, func(m string) string {
		part := testPlace.FindStringSubmatch(m)
		n, _ := strconv.Atoi(part[2])
		t.session.info.Lock()
		defer t.session.info.Unlock()
		if source, ok := t.session.sources[n]; ok {
			n = source.count
		}
		return part[1] + strconv.Itoa(n) + part[3]
	})
}

// tested is the output of a cell while its tests run: it prints to where package testing does, for the order, and so
// that examples are compared.
type tested struct {
	Output
	mu    sync.Mutex
	ended bool
}

func (o *tested) Stream(name, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		o.Output.Stream(name, text)
		return
	}
	os.Stdout.WriteString(text)
}

func (o *tested) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
}

// testDeps is what package testing asks of the program that go test makes.
type testDeps struct{}

type corpusEntry = struct {
	Parent     string
	Path       string
	Data       []byte
	Values     []any
	Generation int
	IsSeed     bool
}

var errNoFuzzing = errors.New("inputs are not made in cells: only those of f.Add are tried")

func (testDeps) ImportPath() string { return "" }
func (testDeps) ModulePath() string { return "" }
func (testDeps) MatchString(pattern, s string) (bool, error) {
	return regexp.MatchString(pattern, s)
}
func (testDeps) SetPanicOnExit0(bool)                        {}
func (testDeps) StartCPUProfile(io.Writer) error             { return nil }
func (testDeps) StopCPUProfile()                             {}
func (testDeps) StartTestLog(io.Writer)                      {}
func (testDeps) StopTestLog() error                          { return nil }
func (testDeps) WriteProfileTo(string, io.Writer, int) error { return nil }
func (testDeps) CoordinateFuzzing(time.Duration, int64, time.Duration, int64, int, []corpusEntry, []reflect.Type,
	string, string) error {
	return errNoFuzzing
}
func (testDeps) RunFuzzWorker(func(corpusEntry) error) error              { return errNoFuzzing }
func (testDeps) ReadCorpus(string, []reflect.Type) ([]corpusEntry, error) { return nil, nil }
func (testDeps) CheckCorpus([]any, []reflect.Type) error                  { return nil }
func (testDeps) ResetCoverage()                                           {}
func (testDeps) SnapshotCoverage()                                        {}
func (testDeps) InitRuntimeCoverage() (string, func(string, string) (string, error), func() float64) {
	return "", nil, nil
}
