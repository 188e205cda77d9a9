//go:build !js

package kernel

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"nacre/kernel/internal/cells"
	"nacre/kernel/internal/compile"
	"nacre/kernel/internal/engine"
	"nacre/kernel/internal/live"
)

// Compiled uses the Go compiler behind Nacre's cell compiler: each cell becomes a plugin of this program. It needs
// Linux, gcc and the tool chain that built the program. The argument source is a folder of the module that the program
// was built from. The argument list is the file that CompileLibrary wrote, or ""; without the file, finding packages
// takes longer.
func Compiled(source, list string) Engine {
	return Engine{Open: func(s engine.Setup) (engine.Engine, error) { return newCompiled(s, source, list) }}
}

// Auto is Compiled if CompileLibrary has been called for this program, otherwise Yaegi. Then a note of the session says
// why it is Yaegi.
func Auto(source, list string) Engine {
	return Engine{Open: func(s engine.Setup) (engine.Engine, error) {
		err := compile.Prepared(source, list)
		if err == nil {
			var e engine.Engine
			if e, err = newCompiled(s, source, list); err == nil {
				return e, nil
			}
		}
		s.Note(err.Error())
		return newYaegi(s)
	}}
}

// ErrUncompiled is wrapped by the error of Compiles if only a call of CompileLibrary is missing.
var ErrUncompiled = compile.ErrUnprepared

// Compiles returns the reason why Auto does not use Compiled; nil if it does.
func Compiles(source, list string) error { return compile.Prepared(source, list) }

// CompileLibrary compiles the packages of library that cells may import, for the engine Compiled. It records the
// packages in the file list. The first time takes minutes. If cells cannot be compiled, the error wraps ErrNoToolChain.
func CompileLibrary(ctx context.Context, source, list string, library Library) error {
	packages, err := library.Types()
	if err != nil {
		return err
	}
	var paths []string
	for path := range packages {
		if library.Importable(path) {
			paths = append(paths, path)
		}
	}
	return compile.Prepare(ctx, source, list, paths)
}

// compiledEngine runs cells as plugins.
type compiledEngine struct {
	program *cells.Scope
	source  *compile.Session
	build   *compile.Builder
	host    *live.Hooks
	setup   engine.Setup
	raised  atomic.Bool

	mu   sync.RWMutex
	vars map[string]any // pointers to the variables, by their compiled names
}

// compiledSessions numbers the sessions of the process.
var compiledSessions atomic.Int64

func newCompiled(s engine.Setup, source, list string) (engine.Engine, error) {
	b, err := compile.NewBuilder(fmt.Sprintf("cells/%d", compiledSessions.Add(1)), source, list)
	if err != nil {
		return nil, fmt.Errorf("engine go: %w", err)
	}
	printed := s.Registry.Symbols(s.Host)
	text := func(name string) func(...any) {
		f := printed[name].Interface().(func([]any))
		return func(xs ...any) { f(xs) }
	}
	e := &compiledEngine{
		setup: s, program: s.Program, source: compile.NewSession(s.Program.Info, s.Program.Fset), build: b,
		vars: map[string]any{},
		host: &live.Hooks{
			Check: s.Host.Check, GoStart: s.Host.GoStart, GoDone: s.Host.GoDone, GoPanic: s.Host.GoPanic,
			Exit: s.Host.Exit, Tested: s.Host.Tested, Show: s.Host.Show, Print: text("Print"), Println: text("Println"),
			Symbol: func(path, name string) (reflect.Value, bool) {
				if path == "os" && (name == "Stdout" || name == "Stderr") {
					s.Files()
				}
				v, ok := s.Symbols[path][name]
				return v, ok
			},
		},
	}
	e.host.Variable = func(name string) any { p, _ := e.value(name); return p }
	return e, nil
}

func init() {
	live.Session = func() *live.Hooks {
		if r := current(); r != nil {
			if e, ok := r.session.engine.(*compiledEngine); ok {
				return e.host
			}
		}
		return nil
	}
}

func (e *compiledEngine) Name() string { return "go " + strings.TrimPrefix(runtime.Version(), "go") }

// Stop implements engine.Engine. The flag is a count, because all sessions of the process share it.
func (e *compiledEngine) Stop(on bool) {
	if e.raised.CompareAndSwap(!on, on) {
		if on {
			atomic.AddInt32(&live.Raised, 1)
		} else {
			atomic.AddInt32(&live.Raised, -1)
		}
	}
}

func (e *compiledEngine) Final() bool { return false }

func (e *compiledEngine) Close() error { return e.build.Close() }

// Import implements engine.Modules.
func (e *compiledEngine) Import(ctx context.Context, path string,
	known map[string]*types.Package) (*types.Package, error) {
	return e.build.Import(ctx, path, known)
}

// Get implements engine.Modules.
func (e *compiledEngine) Get(ctx context.Context, module string) (string, error) {
	return e.build.Get(ctx, module)
}

func (e *compiledEngine) End() { runtime.Goexit() }

func (e *compiledEngine) Read(v *cells.Var) (any, bool) {
	p, ok := e.value(e.source.Slot(v.Obj))
	if !ok {
		return nil, false
	}
	return reflect.ValueOf(p).Elem().Interface(), true
}

func (e *compiledEngine) value(name string) (any, bool) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	p, ok := e.vars[name]
	return p, ok
}

func (e *compiledEngine) keep(name string, p any) {
	e.mu.Lock()
	e.vars[name] = p
	e.mu.Unlock()
}

// direct is a cell that runs at once, where it can.
func (e *compiledEngine) direct(u *cells.Unit) (p *engine.Compiled, ok bool) {
	d, ok := e.source.Direct(u, compile.Env{
		Value: e.value, Keep: e.keep, Show: e.setup.Host.Show, Session: e.host.Symbol, Native: e.setup.Native,
	})
	if !ok {
		return nil, false
	}
	reached := 0
	line := func() (int, bool) {
		if reached < len(d.Lines) {
			return d.Lines[reached], true
		}
		return 0, false
	}
	return &engine.Compiled{
		Run: func() {
			for k, f := range d.Statements {
				reached = k
				f()
			}
			reached = len(d.Statements)
		},
		Reached: func() int { return reached },
		At:      line,
		Frames: func() []engine.Frame {
			list := e.frames()
			if at, ok := line(); ok {
				list = append(list, engine.Frame{Cell: u.Cell, Line: at})
			}
			return list
		},
	}, true
}

func (e *compiledEngine) Compile(ctx context.Context, u *cells.Unit) (p *engine.Compiled, err error) {
	undo := e.source.Save()
	defer func() {
		if err != nil {
			undo()
			return
		}
		e.mu.RLock()
		defer e.mu.RUnlock()
		var variables []any
		for name, p := range e.vars {
			if !compile.IsType(name) {
				variables = append(variables, p)
			}
		}
		u.Warnings = append(u.Warnings, compile.Held(u, variables)...)
	}()
	if p, ok := e.direct(u); ok {
		return p, nil
	}
	src, err := e.source.Cell(u)
	if err != nil {
		var r *compile.Refused
		if errors.As(err, &r) {
			p := e.program.Fset.Position(r.Pos)
			return nil, &engine.Refused{Line: p.Line, Column: p.Column, Text: r.Text}
		}
		return nil, err
	}
	if src.Text == "" {
		return &engine.Compiled{Run: func() {}, Reached: func() int { return 0 }, At: func() (int, bool) {
			return 0, false
		}}, nil
	}
	name := fmt.Sprintf("%s.%d", e.build.Path, u.Cell)
	file, err := e.build.Build(ctx, src, u.Cell, name)
	if err != nil {
		return nil, inCell(err, u.Cell)
	}
	cell, err := compile.Load(file, name)
	os.Remove(file) // what is loaded stays, also without its name in the folder
	if err != nil {
		return nil, err
	}
	c := &live.Cell{Hooks: e.host, Vars: map[string]any{}}
	return &engine.Compiled{
		Run: func() {
			defer func() {
				e.mu.Lock()
				for name, p := range c.Vars {
					e.vars[name] = p
				}
				e.mu.Unlock()
			}()
			cell(c)
		},
		Reached: func() int { return c.Reached },
		Frames:  e.frames,
		At: func() (int, bool) {
			for _, f := range e.frames() {
				if f.Cell == u.Cell {
					return f.Line, true
				}
			}
			return 0, false
		},
	}, nil
}

// compilerError is an error that the compiler finds in a cell.
var compilerError = regexp.MustCompile(`(?m)^/cell (\d+):(\d+):(\d+): (.*)$`)

// inCell returns the errors of the compiler that are in a cell as the checker's are, or else err.
func inCell(err error, cell int) error {
	var t *compile.ToolError
	if !errors.As(err, &t) {
		return err
	}
	var list cells.Errors
	for _, m := range compilerError.FindAllStringSubmatch(t.Output, -1) {
		if m[1] != strconv.Itoa(cell) {
			continue
		}
		line, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		list = append(list, cells.Error{Pos: token.Position{Line: line, Column: column}, Msg: m[4]})
	}
	if list == nil {
		return err
	}
	return list
}

// mostPCs are looked at of a stack, as a recursion can have many more.
const mostPCs = 1000

// frames are the calls of functions of cells in the calling goroutine's stack, on which a panic is being recovered,
// innermost first.
func (e *compiledEngine) frames() (list []engine.Frame) {
	pcs := make([]uintptr, mostPCs)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		f, more := frames.Next()
		var cell int
		if n, _ := fmt.Sscanf(f.File, "/"+strings.ReplaceAll(cells.CellName(0), "0", "%d"), &cell); n == 1 {
			list = append(list, engine.Frame{Func: e.source.Called(f.Function), Cell: cell, Line: f.Line})
		}
		if !more {
			return list
		}
	}
}
