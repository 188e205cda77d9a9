// Package ixgo runs the cells of a kernel on goplus/ixgo, an interpreter of the SSA form of Go. Cells keep their types
// and methods, so what reflection, templates and native code see of them is what a compiled program shows, and calls are
// several times faster. With yaegi, the default, the values of a type move along when the type gets another method.
//
//	s, err := kernel.New(kernel.Options{Engine: ixgo.Engine})
package ixgo

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/goplus/ixgo"
	_ "github.com/goplus/reflectx/icall/icall4096" // room for as many methods of cells' types
	"golang.org/x/tools/go/ssa"

	"nacre/kernel/internal/cells"
	"nacre/kernel/internal/engine"
	"nacre/kernel/internal/rt"
	"nacre/library"
)

// version is the one in go.mod.
const version = "v1.1.0"

// Engine is the engine, for kernel.Options.
var Engine = engine.Kind{Open: open}

type interpreter struct {
	ctx     *ixgo.Context
	load    *loader
	prog    *cells.Program
	session engine.Session
	natives map[string]bool // packages whose functions are registered
	sources map[string]*types.Package

	objects map[types.Object]types.Object // those of the engine by those of cells.Program
	low     map[types.Object]string       // names of variables
	values  map[types.Object]reflect.Value

	base  *types.Package // stop__ and stmt__
	stop  bool
	stmt  int
	since atomic.Int64             // when stop was raised
	exits atomic.Pointer[chan any] // of the running cell: what ended the program
}

func open(s engine.Session) (engine.Engine, error) {
	e := &interpreter{
		session: s, prog: s.Program, load: newLoader(s.Program.Packages, s.Symbols),
		natives: map[string]bool{}, sources: map[string]*types.Package{},
		objects: map[types.Object]types.Object{}, low: map[types.Object]string{}, values: map[types.Object]reflect.Value{},
	}
	s.Program.Nominal = true
	e.ctx = ixgo.NewContext(ixgo.SupportMultipleInterp | ixgo.DisableCustomBuiltin | ixgo.DisableAutoLoadPatchs)
	e.ctx.FileSet = s.Program.Fset
	e.ctx.Loader = e.load
	e.ctx.Lookup = func(string, string) (string, bool) { return "", false }
	e.ctx.Builder.Reset()
	for path, names := range map[string][]string{"errors": {"As", "Is"}, "encoding/json": {"Unmarshal"}} {
		for _, name := range names { // cells' types are Go's own here
			e.load.symbols[path][name] = library.Symbols()[path][name]
		}
	}
	for name, f := range hostFuncs(s.Host, s.Registry.Symbols(s.Host)) {
		e.ctx.RegisterExternal("rt__."+name, f)
	}
	var err error
	if e.sources["rt__"], err = e.source("rt__", hostSource); err != nil {
		return nil, err
	}
	if e.base, err = e.source("main", "package main\n\nvar stop__ bool\nvar stmt__ int\n"); err != nil {
		return nil, err
	}
	e.load.cells.Vars["stop__"] = reflect.ValueOf(&e.stop)
	e.load.cells.Vars["stmt__"] = reflect.ValueOf(&e.stmt)
	return e, nil
}

func (e *interpreter) Name() string { return "ixgo " + version }

func (e *interpreter) Stop(on bool) {
	if on && !e.stop {
		e.since.Store(time.Now().UnixNano())
	}
	e.stop = on
}

// deferred is how long what a stopped goroutine deferred may run before it is stopped too.
const deferred = time.Second

// End implements engine.Engine. The interpreter's frames do not survive runtime.Goexit, so it panics with what no cell
// can recover. Goroutines of native code that call a cell's function have no one to take the panic: they do exit.
func (e *interpreter) End() {
	own, unwinding := stack()
	switch {
	case !own:
		runtime.Goexit()
	case unwinding && time.Since(time.Unix(0, e.since.Load())) < deferred:
	default:
		panic(stopped{})
	}
}

// stack says whether the calling goroutine was started by a cell, and whether it runs deferred functions. Only cells
// recurse as deeply as it does not look.
func stack() (own, unwinding bool) {
	pc := make([]uintptr, 1<<8)
	n := runtime.Callers(2, pc)
	if n == len(pc) {
		pc = make([]uintptr, 1<<16)
		n = runtime.Callers(2, pc)
		own = n == len(pc)
	}
	frames := runtime.CallersFrames(pc[:n])
	for {
		f, more := frames.Next()
		switch {
		case strings.HasSuffix(f.Function, "ixgo.(*frame).runDefers"):
			unwinding = true
		case strings.HasPrefix(f.Function, "nacre/kernel/ixgo.(*interpreter).run."), strings.HasPrefix(f.Function, "github.com/goplus/ixgo.makeInstr."):
			own = true
		}
		if !more {
			return own, unwinding
		}
	}
}

func (e *interpreter) Read(v *cells.Var) (any, bool) {
	p, ok := e.values[v.Obj]
	if !ok {
		return nil, false
	}
	return p.Elem().Interface(), true
}

// Compile implements engine.Engine.
func (e *interpreter) Compile(u *cells.Unit) (p *engine.Program, err error) {
	b := &build{interpreter: e, unit: u, fresh: map[*types.TypeName]string{}}
	defer func() {
		if x := recover(); x != nil {
			r, ok := x.(*engine.Refused)
			if err = r; !ok {
				err = fmt.Errorf("the interpreter failed on this cell: %v", x)
			}
		}
		b.close(err != nil)
	}()
	ip, err := b.interpreted()
	if err != nil {
		return nil, err
	}
	name := cellFunc(u.Cell)
	at := 0
	return &engine.Program{
		Run: func() {
			e.stmt = 0
			e.run(ip, name, u.Cell, &at)
		},
		Reached: func() int { return e.stmt },
		At:      func() (int, bool) { return at, at > 0 },
	}, nil
}

// interpreted makes an interpreter of the cell and publishes what it declares.
func (b *build) interpreted() (*ixgo.Interp, error) {
	file := b.file()
	info, err := b.check(file)
	if err != nil {
		return nil, err
	}
	b.supported(info)
	b.register(b.pkg.Imports())
	sp, err := b.ctx.Builder.BuildMain(&ixgo.SourcePackage{Context: b.ctx, Package: b.pkg, Info: info, Files: []*ast.File{file}})
	if err != nil {
		return nil, err
	}
	if b.types, err = b.identify(sp, info); err != nil {
		return nil, err
	}
	if err := b.types.room(sp.Prog); err != nil {
		return nil, err
	}
	ip, err := b.ctx.NewInterp(sp)
	if err != nil {
		return nil, fmt.Errorf("the interpreter does not accept this cell: %w", err)
	}
	if err := b.types.keep(ip, sp, info); err != nil {
		return nil, err
	}
	b.publish(ip)
	return ip, nil
}

// close keeps later interpreters from loading the cell's package, and from compiling anything of one that failed.
func (b *build) close(failed bool) {
	sp := b.ctx.Builder.Program().Package(b.pkg)
	if b.pkg == nil || sp == nil {
		return
	}
	sp.Func("init").Blocks = nil
	if !failed {
		return
	}
	for _, m := range sp.Members {
		if f, ok := m.(*ssa.Function); ok {
			f.Blocks = nil
		}
	}
	if b.types == nil {
		return
	}
	for _, n := range b.types.list {
		b.types.methods(sp.Prog, n, func(f *ssa.Function) { f.Blocks = nil })
	}
}

func cellFunc(n int) string { return "cell__" + strconv.Itoa(n) }

// run runs a function of an interpreter to its end. at becomes the line of the cell at which it panicked.
func (e *interpreter) run(ip *ixgo.Interp, name string, cell int, at *int) {
	exit := make(chan any, 1)
	e.exits.Store(&exit)
	done := make(chan error, 1)
	go func() {
		_, err := ip.RunFunc(name)
		done <- err
	}()
	var err error
	select {
	case err = <-done:
	case x := <-exit:
		panic(x)
	}
	if err == nil {
		return
	}
	*at = lineOf(err, cell)
	x := any(err)
	var p ixgo.PanicError
	var f ixgo.FatalError
	switch {
	case errors.As(err, &p):
		x = p.Value
	case errors.As(err, &f):
		x = f.Value
	}
	if _, ok := x.(stopped); ok {
		runtime.Goexit()
	}
	panic(asGo(x))
}

var frameLine = regexp.MustCompile(`(?m)^\t(.*):(\d+)(?: \+0x[0-9a-f]+)?$`)

// lineOf is the line of a cell in the innermost frame of an error's stack that is in it.
func lineOf(err error, cell int) int {
	s, ok := err.(interface{ Stack() []byte })
	if !ok {
		return 0
	}
	for _, m := range frameLine.FindAllSubmatch(s.Stack(), -1) {
		if string(m[1]) == filepath.ToSlash(cells.CellName(cell)) {
			n, _ := strconv.Atoi(string(m[2]))
			return n
		}
	}
	return 0
}

// register makes the functions of packages known to the interpreter.
func (e *interpreter) register(list []*types.Package) {
	for _, p := range list {
		e.load.walk(p.Path())
		if e.natives[p.Path()] {
			continue
		}
		e.natives[p.Path()] = true
		for name, v := range e.session.Symbols[p.Path()] {
			if v.Kind() != reflect.Func || v.CanAddr() {
				continue
			}
			key := p.Path() + "." + name
			switch key {
			case "os.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln":
				v = e.final(v)
			}
			e.ctx.RegisterExternal(key, v.Interface())
		}
	}
}

// final is a function that ends the program: nothing deferred runs, the goroutine that calls it stays where it is.
func (e *interpreter) final(f reflect.Value) reflect.Value {
	return reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
		defer func() {
			x := recover()
			if _, ok := x.(rt.Final); ok {
				select {
				case *e.exits.Load() <- x:
				default: // another goroutine was first
				}
				select {}
			}
			panic(x)
		}()
		if f.Type().IsVariadic() {
			return f.CallSlice(args)
		}
		return f.Call(args)
	})
}

// Import implements types.Importer for the files of cells.
func (e *interpreter) Import(path string) (*types.Package, error) {
	if p := e.sources[path]; p != nil {
		return p, nil
	}
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	return e.load.Import(path)
}

func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{},
	}
}

func config(e *interpreter) *types.Config {
	return &types.Config{Importer: e, DisableUnusedImportCheck: true, Sizes: types.SizesFor("gc", runtime.GOARCH)}
}
