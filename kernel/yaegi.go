package kernel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/traefik/yaegi/interp"

	"nacre/kernel/internal/cells"
	"nacre/kernel/internal/engine"
	"nacre/kernel/internal/lower"
	"nacre/kernel/internal/prelude"
	"nacre/kernel/internal/rt"
)

// yaegiVersion is the version in go.mod.
const yaegiVersion = "v0.16.2-0.20260209085605-fcb76d1ece0c"

// yaegiEngine runs lowered cells on the traefik/yaegi interpreter.
type yaegiEngine struct {
	i     *interp.Interpreter
	low   *lower.Lowerer
	reg   *rt.Registry
	fset  *token.FileSet
	vars  map[*types.Var]*lower.Global
	funcs map[*ast.FuncDecl][]*lower.Func
	stop  *bool
	at    *int
	stmt  *int
	notes *unwound // what the interpreter itself writes

	mu      sync.RWMutex
	readers map[string]func() any
}

func newYaegi(s engine.Setup) (engine.Engine, error) {
	p, host := s.Program, s.Host
	notes := &unwound{}
	e := &yaegiEngine{
		notes: notes,
		i: interp.New(interp.Options{Stdout: io.Discard, Stderr: notes, Stdin: strings.NewReader(""),
			Args: os.Args[:1], Unrestricted: true}),
		reg:     s.Registry,
		vars:    map[*types.Var]*lower.Global{},
		funcs:   map[*ast.FuncDecl][]*lower.Func{},
		readers: map[string]func() any{},
	}
	e.fset = e.i.FileSet()
	e.low = lower.New(p.Info, p.Fset, e.reg)
	e.low.Cooperative, e.low.Keeps, e.low.Files = cooperative, s.Keeps, s.Files
	e.low.Generic = func(path string) ([]*lower.Func, error) { return generic(p, path) }
	exports := interp.Exports{}
	for path, table := range s.Symbols {
		exports[path+"/_"] = table
	}
	host.Global = func(name string, get func() any) {
		e.mu.Lock()
		e.readers[name] = get
		e.mu.Unlock()
	}
	e.reg.Recovered = e.notes.forget
	exports["rt/_"] = e.reg.Symbols(host)
	if err := e.i.Use(exports); err != nil {
		return nil, err
	}
	if _, err := e.i.Eval("package main\nvar stop__ bool\nvar at__, stmt__, tick__ int\n"); err != nil {
		return nil, err
	}
	for name, p := range map[string]any{"stop__": &e.stop, "at__": &e.at, "stmt__": &e.stmt} {
		v, err := e.i.Eval("&" + name)
		if err != nil {
			return nil, err
		}
		reflect.ValueOf(p).Elem().Set(v)
	}
	return e, nil
}

// generic returns the generic functions of a package whose source is in the prelude, checked.
func generic(p *cells.Scope, path string) ([]*lower.Func, error) {
	if !slices.Contains(prelude.Packages, path) {
		return nil, nil
	}
	src, err := prelude.Source(path)
	if err != nil {
		return nil, err
	}
	list, err := p.CheckSource(path, src)
	if err != nil {
		return nil, err
	}
	var funcs []*lower.Func
	for _, f := range list {
		funcs = append(funcs, &lower.Func{Name: path + "." + f.Name, Decl: f.Decl, Obj: f.Obj, Sig: f.Obj.Signature()})
	}
	return funcs, nil
}

func (e *yaegiEngine) Name() string { return "yaegi " + yaegiVersion }

func (e *yaegiEngine) Stop(on bool) { *e.stop = on }

func (e *yaegiEngine) Final() bool { return true }

func (e *yaegiEngine) Close() error { return nil }

func (e *yaegiEngine) End() { runtime.Goexit() }

func (e *yaegiEngine) Read(v *cells.Var) (any, bool) {
	g := e.vars[v.Obj]
	if g == nil {
		return nil, false
	}
	e.mu.RLock()
	get := e.readers[g.Low()]
	e.mu.RUnlock()
	if get == nil {
		return nil, false
	}
	return e.reg.Norm(get()), true
}

func (e *yaegiEngine) Compile(_ context.Context, u *cells.Unit) (*engine.Compiled, error) {
	undo := e.low.Save()
	file, name, err := e.lowered(u)
	if err != nil {
		undo()
		var r *lower.Refusal
		if errors.As(err, &r) {
			p := e.low.Fset.Position(r.Pos)
			return nil, &engine.Refused{Line: p.Line, Column: p.Column, Text: r.Text}
		}
		return nil, err
	}
	if host := e.low.TakeHost(); len(host) > 0 {
		if err := e.i.Use(interp.Exports{"rt/_": host}); err != nil {
			return nil, err
		}
	}
	if os.Getenv("NACRE_KERNEL_TRACE") != "" {
		fmt.Fprintln(os.Stderr, file)
	}
	f, err := parser.ParseFile(e.fset, fmt.Sprintf("cell%d.go", u.Cell), file, parser.SkipObjectResolution)
	if err != nil {
		undo()
		return nil, fmt.Errorf("the cell compiler made code that does not parse: %w", err)
	}
	run, err := e.load(f, name)
	if err != nil {
		undo()
		return nil, err
	}
	return &engine.Compiled{
		Run:     run,
		Reached: func() int { return *e.stmt },
		At: func() (int, bool) {
			p := e.low.Fset.Position(token.Pos(*e.at))
			return p.Line, p.Filename == cells.CellName(u.Cell)
		},
		Frames: func() []engine.Frame { return e.notes.frames(e.low, token.Pos(*e.at), u.Body, *e.stmt) },
	}, nil
}

// lowered returns the source the interpreter is given and the function that runs the cell.
func (e *yaegiEngine) lowered(u *cells.Unit) (string, string, error) {
	lu := &lower.Unit{Cell: u.Cell, Body: u.Body, InitsAt: u.InitsAt(), Value: u.Value,
		Locals: map[*types.Var]*lower.Global{}}
	funcs := map[*cells.Decl]*lower.Func{}
	for tn, key := range u.Keys {
		e.low.SetTypeKey(tn, key)
	}
	for _, d := range u.Funcs {
		f := &lower.Func{Name: d.Name, Decl: d.Node.(*ast.FuncDecl), Obj: d.Func, Also: d.Also, Sig: d.Sig}
		lu.Funcs = append(lu.Funcs, f)
		for _, was := range e.funcs[f.Decl] { // the body was checked again: it refers to these parameters now
			was.Sig = f.Sig
		}
		e.funcs[f.Decl] = append(e.funcs[f.Decl], f)
		funcs[d] = f
	}
	for _, d := range u.Inits {
		lu.Inits = append(lu.Inits, funcs[d])
	}
	if u.Main != nil {
		if lu.Main = funcs[u.Main]; lu.Main == nil {
			lu.Main = e.low.Func(u.Main.Func)
		}
	}
	for was, now := range u.Moved() {
		if g := e.vars[was]; g != nil {
			g.Type = now.Type()
			e.vars[now] = g
			e.low.SetGlobal(now, g)
		}
	}
	for _, v := range u.Vars {
		var g *lower.Global
		if v.Old != nil {
			g = e.vars[v.Old.Obj]
		}
		if g == nil {
			g = &lower.Global{Name: v.Name, Type: v.Obj.Type()}
			lu.New = append(lu.New, g)
		}
		g.Type = v.Obj.Type()
		lu.Locals[v.Def] = g
		e.vars[v.Obj] = g
		e.low.SetGlobal(v.Obj, g)
	}
	file, name, err := e.low.Unit(lu)
	if err != nil {
		return "", "", err
	}
	mend(file)
	var b bytes.Buffer
	if err := format.Node(&b, token.NewFileSet(), file); err != nil {
		return "", "", fmt.Errorf("printing the lowered cell: %w", err)
	}
	return b.String(), name, nil
}

// load compiles a lowered file and returns its function.
func (e *yaegiEngine) load(f *ast.File, name string) (run func(), err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("the interpreter failed on this cell: %v", x)
		}
	}()
	p, err := e.i.CompileAST(f)
	if err != nil {
		return nil, fmt.Errorf("the interpreter does not accept this cell: %w", err)
	}
	if _, err := e.i.Execute(p); err != nil {
		return nil, fmt.Errorf("the interpreter does not accept this cell: %w", err)
	}
	v, err := e.i.Eval(name)
	if err != nil {
		return nil, err
	}
	run, ok := v.Interface().(func())
	if !ok {
		return nil, fmt.Errorf("the interpreter made a %s of the cell", v.Type())
	}
	return run, nil
}
