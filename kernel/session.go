package kernel

import (
	"context"
	"go/token"
	"go/types"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"nacre/internal/version"
	"nacre/kernel/internal/cells"
	"nacre/kernel/internal/engine"
	"nacre/kernel/internal/rt"
)

// Options configure a session.
type Options struct {
	// Library holds what cells may import; it has no default.
	Library Library

	// Engine runs the cells; the zero value is Yaegi.
	Engine Engine
}

// Engine runs the cells of a session, such as Yaegi.
type Engine = engine.Kind

// Yaegi uses the interpreter traefik/yaegi behind Nacre's cell compiler.
var Yaegi = Engine{Open: newYaegi}

// ErrNoToolChain is wrapped by the error of New if the engine compiles cells but has no tool chain to compile them.
var ErrNoToolChain = engine.ErrNoToolChain

// New starts a session.
func New(o Options) (Session, error) {
	if o.Engine.Open == nil {
		o.Engine = Yaegi
	}
	if err := o.Library.complete(); err != nil {
		return nil, err
	}
	s := &session{fset: token.NewFileSet(), library: o.Library, sources: map[int]source{}, history: newHistory(),
		controls: map[string]*control{}, told: map[string]bool{}, closed: make(chan struct{})}
	packages, err := s.library.Types()
	if err != nil {
		return nil, err
	}
	s.prog = cells.New(s.fset, packages)
	s.prog.Load, s.prog.Absent = s.library.Load, s.library.Absent
	if s.streams, err = newStreams(s.written); err != nil {
		return nil, err
	}
	host := rt.Hooks{
		Check: s.check, Exit: s.exit, GoStart: s.goStart, GoDone: s.goDone, GoPanic: s.goPanic,
		Show: func(xs []any) { s.owner().shown = &xs },
		Done: func() <-chan struct{} {
			if r := current(); r != nil && r.ctx != nil {
				return r.ctx.Done()
			}
			return nil
		},
		Stdout: s.stdout, Stderr: s.stderr, Tested: s.tested,
		Print: func(text string) { writer{s, "stderr"}.Write([]byte(text)) },
	}
	symbols := s.symbols()
	s.reg = rt.NewRegistry(symbols, slices.Concat(s.library.Wrappers, wrappers))
	s.reg.Standard = func(f *os.File) rt.Standin { w, _ := s.standin(f).(rt.Standin); return w }
	if own := symbols["reflect"]; own != nil {
		symbols["reflect"] = s.reg.ReflectSymbols(own)
	}
	for _, path := range []string{"text/template", "html/template"} {
		if table := maps.Clone(symbols[path]); table != nil {
			maps.Copy(table, s.reg.TemplateSymbols())
			symbols[path] = table
		}
	}
	if s.engine, err = o.Engine.Open(engine.Setup{
		Program: s.prog, Registry: s.reg, Symbols: symbols, Native: s.library.Symbols(), Keeps: s.library.Keeps,
		Host:  host,
		Files: func() { s.files.Store(true) }, Note: func(text string) { s.note = text },
	}); err != nil {
		return nil, err
	}
	if m, ok := s.engine.(engine.Modules); ok {
		s.prog.Find = func(ctx context.Context, path string) (*types.Package, error) {
			return m.Import(ctx, path, s.prog.Packages)
		}
	}
	limitStack()
	s.vars.Store(&[]Variable{})
	s.assistant = s.newAssistant()
	return s, nil
}

// written shows what was written to a standard file: below the latest cell.
func (s *session) written(name, text string) {
	if r := s.latest.Load(); r != nil && text != "" {
		r.out.Stream(name, text)
	}
}

func (s *session) Info() Info {
	banner := "Nacre " + version.Get().Version + ", Go cells on " + s.engine.Name()
	if s.note != "" {
		banner += " (" + s.note + ")"
	}
	return Info{
		Implementation: "nacre", Version: version.Get().Version, Engine: s.engine.Name(), Note: s.note,
		Language: "go", LanguageVersion: strings.TrimPrefix(cells.GoVersion, "go"),
		MIMEType: "text/x-go", FileExtension: ".go", Mode: "go",
		Banner: banner,
	}
}

func (s *session) Close() (err error) {
	s.once.Do(func() {
		close(s.closed)
		s.Interrupt()
		s.streams.close()
		err = s.engine.Close()
		s.leave()
	})
	return err
}

func (s *session) Interrupt() {
	if r := s.running.Load(); r != nil {
		r.interrupt(errInterrupted)
	}
}

func limitStack() {
	if ^uintptr(0)>>32 != 0 {
		debug.SetMaxStack(2 << 30)
	}
}
