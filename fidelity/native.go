package fidelity

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Result holds the output of a program and its end. The end is "" if the program ended well, otherwise "panic: ...",
// "exit status ..." or "fatal error: ...".
type Result struct {
	Output string
	End    string
}

// runner is the part of a batch that runs its programs, beginning with a given one, until one of them ends the process.
// Output of their package variables comes before all programs, because the process prints it first; the output of each
// program's variables follows its mark.
const runner = `package main

import (
	"fmt"
	"os"
	"strconv"
)

func markʘ(k int) int {
	fmt.Printf("\x00variables %d\n", k)
	return k
}

func main() {
	from, _ := strconv.Atoi(os.Args[1])
	os.Args = os.Args[:1]
	for k := from; k < len(programs); k++ {
		fmt.Printf("\x00begin %d\n", k)
		programs[k]()
		os.Stdout.Sync()
		fmt.Printf("\x00end %d\n", k)
	}
}
`

// limit is how long a compiled program may run.
const limit = 10 * time.Second

var gc struct {
	sync.Mutex
	types.Importer
}

// exported opens the compiler's export data of a package that this module can import.
func exported(path string) (io.ReadCloser, error) {
	name, err := exec.Command("go", "list", "-export", "-f", "{{.Export}}", path).Output()
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", path, err)
	}
	return os.Open(strings.TrimSpace(string(name)))
}

// modules are the go.mod and go.sum of a program: with all that this module requires.
func modules() (mod, sum string, err error) {
	name, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", "", err
	}
	dir := filepath.Dir(string(name))
	own, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return "", "", err
	}
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	_, requires, _ := strings.Cut(string(own), "\n") // after the line of the module's name
	return "module main\n" + requires, string(sums), err
}

// Check returns the errors that the type checker finds in a program, nil if the program compiles.
func Check(source string) error {
	_, err := read(source)
	return err
}

// renamed returns a program in which all names at package level end in the suffix.
func renamed(source, suffix string) (string, error) {
	p, err := read(source)
	if err != nil {
		return "", err
	}
	return p.with(suffix, false, false, ""), nil
}

// file is a program with the names it declares at package level.
type file struct {
	source string
	names  []string
	ends   []int // places after each occurrence of these names
	top    int   // the place after its imports
	inits  int   // functions named init
}

// with ends the names in a suffix, or that of main alone, and puts a text after the imports. Functions named init keep
// that name, or get one each.
func (p *file) with(suffix string, main, inits bool, text string) string {
	var b strings.Builder
	b.WriteString(p.source[:p.top] + text)
	from, n := p.top, 0
	for _, k := range p.ends {
		b.WriteString(p.source[from:k])
		switch word := lastWord.FindString(p.source[from:k]); {
		case word == "init" && inits:
			fmt.Fprint(&b, n, suffix)
			n++
		case word != "init" && !main, word == "main":
			b.WriteString(suffix)
		}
		from = k
	}
	return b.String() + p.source[from:]
}

var lastWord = regexp.MustCompile(`[\p{L}\d_]+$`)

// read checks a program.
func read(source string) (*file, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "program.go", source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	gc.Lock()
	if gc.Importer == nil {
		gc.Importer = importer.ForCompiler(token.NewFileSet(), "gc", exported)
	}
	pkg, err := (&types.Config{Importer: gc.Importer}).Check("main", fset, []*ast.File{f}, info)
	gc.Unlock()
	if err != nil {
		return nil, err
	}
	global := func(o types.Object) bool {
		if v, ok := o.(*types.Var); ok && v.Embedded() {
			t := v.Type()
			if p, ok := t.(*types.Pointer); ok {
				t = p.Elem()
			}
			switch t := t.(type) {
			case *types.Named:
				o = t.Obj()
			case *types.Alias:
				o = t.Obj()
			}
		}
		return o != nil && o.Parent() == pkg.Scope()
	}
	at := map[int]bool{}
	inits := 0
	for id, o := range info.Defs {
		if id.Name == "init" && global(o) {
			inits++
		}
		if global(o) {
			at[fset.Position(id.End()).Offset] = true
		}
	}
	for id, o := range info.Uses {
		if global(o) {
			at[fset.Position(id.End()).Offset] = true
		}
	}
	top := f.Name.End()
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			top = d.End()
		}
	}
	ends := slices.Sorted(maps.Keys(at))
	return &file{source, pkg.Scope().Names(), ends, fset.Position(top).Offset, inits}, nil
}

var (
	suffixes  = regexp.MustCompile(`ʘ\d+ʘ|(·)\d+`) // the second: the compiler numbers local types through a whole batch
	addresses = regexp.MustCompile(`0x[0-9a-f]{6,12}\b`)
)

// tidy takes out what differs between runs and between a batch and a program of its own.
func tidy(text string) string {
	return addresses.ReplaceAllString(suffixes.ReplaceAllString(text, "$1"), "0xADDRESS")
}

// stamps are the times of package log.
var stamps = regexp.MustCompile(`\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(\.\d+)?`)

// tidyErrors is standard error without what differs between runs.
func tidyErrors(text string) string { return stamps.ReplaceAllString(tidy(text), "TIME") }

// Compiled builds all programs as one program and runs them, in the folder dir.
func Compiled(ctx context.Context, dir string, programs []*Case) ([]Result, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	mod, sum, err := modules()
	if err != nil {
		return nil, err
	}
	files := map[string]string{"go.mod": mod, "go.sum": sum, "runner.go": runner}
	var calls strings.Builder
	taken := map[string]bool{}
	for k, p := range programs {
		suffix := fmt.Sprintf("ʘ%dʘ", k)
		own, err := read(p.Source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		// A program can see how long its types' names are: they change only where another program has the same.
		unique := !slices.ContainsFunc(own.names, func(name string) bool { return name != "main" && taken[name] })
		for _, name := range own.names {
			taken[name] = true
		}
		files[fmt.Sprintf("p%d.go", k)] = own.with(suffix, unique, true, fmt.Sprintf("; var _ = markʘ(%d)", k))
		calls.WriteString("\tfunc() {\n")
		for n := range own.inits {
			fmt.Fprintf(&calls, "\t\tinit%d%s()\n", n, suffix)
		}
		fmt.Fprintf(&calls, "\t\tmain%s()\n\t},\n", suffix)
	}
	files["programs.go"] = "package main\n\nvar programs = []func(){\n" + calls.String() + "}\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	// Neither inlined nor optimised: the programs run once, and building them is what takes time.
	build := exec.CommandContext(ctx, "go", "build", "-gcflags=-N -l", "-ldflags=-s -w", "-o", "batch", ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the programs: %w\n%s", err, out)
	}
	results := make([]Result, len(programs))
	for from := 0; from < len(programs); {
		n, err := runFrom(ctx, dir, from, results)
		if err != nil {
			return nil, err
		}
		from = n
	}
	return results, nil
}

// runFrom runs the batch from a program on, and returns the one to go on with.
func runFrom(ctx context.Context, dir string, from int, results []Result) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, limit+time.Duration(len(results))*time.Second/10)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "batch"), strconv.Itoa(from))
	cmd.Env = append(os.Environ(), "GOTRACEBACK=none")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	rest := stdout.String()
	variables := map[int]string{} // output of the initial values of a program's variables
	for _, part := range strings.Split(rest, "\x00variables ")[1:] {
		part, _, _ = strings.Cut(part, "\x00begin ")
		number, text, _ := strings.Cut(part, "\n")
		if k, err := strconv.Atoi(number); err == nil {
			variables[k] = text
		}
	}
	for k := from; k < len(results); k++ {
		_, after, ok := strings.Cut(rest, fmt.Sprintf("\x00begin %d\n", k))
		if !ok {
			return 0, fmt.Errorf("the compiled programs ended before the %d-th: %v\n%s", k, err, stderr.Bytes())
		}
		output, next, ended := strings.Cut(after, fmt.Sprintf("\x00end %d\n", k))
		results[k].Output = tidy(variables[k] + output)
		if !ended {
			if ctx.Err() != nil {
				results[k].End = "ran too long"
			} else {
				results[k].End = ending(stderr.String(), cmd.ProcessState.ExitCode())
			}
			return k + 1, nil
		}
		rest = next
	}
	return len(results), nil
}

// ending says how a process ended, from its output.
func ending(stderr string, code int) string {
	for _, mark := range []string{"panic: ", "fatal error: "} {
		if _, text, ok := strings.Cut("\n"+stderr, "\n"+mark); ok && code == 2 {
			if k := strings.LastIndex(text, "\tpanic: "); k >= 0 {
				text, mark = text[k+8:], "panic: "
			}
			if mark == "fatal error: " {
				text, _, _ = strings.Cut(text, "\n")
			}
			text, _, _ = strings.Cut(text, "\n[signal ")
			text, _, _ = strings.Cut(text, "\n\ngoroutine ")
			text, _, _ = strings.Cut(text, " [recovered")
			return tidy(mark + strings.ReplaceAll(strings.TrimSpace(text), "\n\t", "\n")) // the run time indents lines
		}
	}
	return fmt.Sprint("exit status ", code)
}
