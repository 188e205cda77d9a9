package kernel

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"nacre/internal/breathe"
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

// grace is how long a stopped cell has to reach a stop check before it is left behind.
const grace = 150 * time.Millisecond

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
	if s.streams, err = newStreams(s); err != nil {
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
		Stdout: s.stdout, Stderr: s.stderr,
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

var errInterrupted = errors.New("interrupted")

// interrupt asks the code of r to end.
func (r *run) interrupt(cause error) {
	if r.stopped.CompareAndSwap(false, true) {
		r.cancel(cause)
		r.session.engine.Stop(true)
	}
}

func (s *session) Execute(ctx context.Context, req Request, out Output) Reply {
	s.exec.Lock()
	defer s.exec.Unlock()
	if !req.Silent {
		s.count++
	}
	s.number++
	r := &run{session: s, cell: req.CellID, count: s.count, number: s.number, out: out, kept: req.Controls}
	s.forget(r.cell)
	reply := Reply{Count: s.count}
	reply.Value, reply.Error = s.execute(ctx, r, req.Code)
	if req.Silent {
		reply.Value = nil
	}
	if reply.Error == nil {
		reply.Expressions = s.expressions(ctx, req.UserExpressions)
	}
	s.follow()
	s.snapshot()
	return reply
}

// execute checks, compiles and runs a cell.
func (s *session) execute(ctx context.Context, r *run, code string) (*Data, *Error) {
	s.latest.Store(r)
	text := code
	m, code, err := parseMagic(code)
	if err == nil && m != nil && m.get != "" {
		err = s.get(ctx, r, m.get)
		m = nil
	}
	if err != nil {
		s.info.Lock()
		s.history.refused(r.cell, text)
		s.info.Unlock()
		return nil, &Error{Name: "CompileError", Message: err.Error(), Traceback: []string{err.Error()}}
	}
	s.info.Lock()
	s.sources[r.number] = source{s.count, code}
	s.info.Unlock()
	start := time.Now()
	u, p, fail := s.compile(ctx, r, code)
	s.info.Lock()
	if fail != nil {
		s.history.refused(r.cell, text)
	} else {
		s.history.note(r.cell, text, s.prog.Declares(code), u.Effects())
	}
	s.info.Unlock()
	if fail != nil {
		return nil, fail
	}
	for _, w := range u.Warnings {
		r.out.Stream("stderr", w+"\n")
	}
	if m != nil {
		return m.run(ctx, s, r, p, u, code, start)
	}
	value, fail := s.run(ctx, r, p, u, code)
	s.info.Lock()
	u.CommitVars(p.Reached())
	s.changes++
	s.info.Unlock()
	return value, fail
}

// compile prepares a cell, until it is interrupted.
func (s *session) compile(ctx context.Context, r *run, code string) (*cells.Unit, *engine.Compiled, *Error) {
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	s.running.Store(r)
	u, p, fail := s.prepare(r.ctx, r.number, r.cell, code)
	s.running.Store(nil)
	if r.stopped.Load() {
		s.engine.Stop(false)
	}
	if err := r.ctx.Err(); err != nil {
		text := "the cell was interrupted while it was compiled"
		return nil, nil, &Error{Name: "Interrupted", Message: text,
			Traceback: []string{red + "Interrupted" + plain + ": " + text}}
	}
	return u, p, fail
}

// prepare checks and compiles a cell and makes its declarations live. A panic of the cell compiler is the cell's error,
// not the kernel's end.
func (s *session) prepare(ctx context.Context, number int, cell,
	code string) (u *cells.Unit, p *engine.Compiled, fail *Error) {
	s.info.Lock()
	defer s.info.Unlock()
	defer func() {
		if x := recover(); x != nil {
			fail = engineError(code, fmt.Errorf("the cell compiler failed on this cell: %v", x))
		}
	}()
	text, err := withFiles(code)
	if err == nil {
		u, err = s.prog.Check(ctx, number, text)
	}
	if err != nil {
		if errs, ok := err.(cells.Errors); ok {
			err = s.hinted(cell, errs)
		}
		return nil, nil, compileError(code, err)
	}
	if p, err = s.engine.Compile(ctx, u); err != nil {
		return nil, nil, engineError(code, err)
	}
	if ctx.Err() == nil {
		u.Commit()
		s.changes++
		u.Warnings = append(u.Warnings, s.deprecated(u)...)
	}
	return u, p, nil
}

// run runs a compiled cell to its end, or to its interruption.
func (s *session) run(ctx context.Context, r *run, p *engine.Compiled, u *cells.Unit, code string) (*Data, *Error) {
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	s.running.Store(r)
	done := make(chan *Error, 2) // end of the cell, and end of a goroutine that exits
	r.done = done
	go s.goroutine(r, p, code, done)
	release := s.watch(r)
	defer release()
	var fail *Error
	select {
	case fail = <-done:
	case <-ctx.Done():
		r.interrupt(errInterrupted)
	case <-r.ctx.Done():
	}
	if fail == nil && r.stopped.Load() {
		select {
		case fail = <-done:
		case <-time.After(grace):
			s.zombies.Add(1)
			go func() { <-done; s.zombies.Add(-1) }()
			fail = r.interrupted(p, code, true)
		}
	}
	s.running.Store(nil)
	r.late.Store(true)
	s.streams.flush()
	if r.stopped.Load() {
		s.sweep(r)
	}
	if fail != nil {
		return nil, fail
	}
	if r.shown == nil {
		return nil, nil
	}
	d, err := s.render(*r.shown)
	if err != nil {
		return nil, valueError(code, s.fset.Position(u.Value.Pos()), err)
	}
	return d, nil
}

// goroutine is where the statements of a cell run.
func (s *session) goroutine(r *run, p *engine.Compiled, code string, done chan<- *Error) {
	r.enter()
	ended := false
	defer func() {
		x := recover()
		switch {
		case x != nil && !(r.stopped.Load() && isFailed(x)): // a call that an interrupt ended fails
			done <- r.panicked(p, code, x)
		case !ended || r.stopped.Load():
			done <- r.interrupted(p, code, false)
		default:
			r.mu.Lock()
			fail := r.fail
			r.mu.Unlock()
			done <- fail
		}
	}()
	p.Run()
	ended = true
}

// sweep lowers the stop flag and raises it now and then, until what is left of the stopped cell r has met it.
func (s *session) sweep(r *run) {
	left := func() bool { return s.zombies.Load() > 0 || r.live.Load() > 0 }
	if !left() {
		s.engine.Stop(false)
		return
	}
	go func() {
		for k := 0; left(); k++ {
			if k > 0 {
				s.engine.Stop(true)
			}
			time.Sleep(5 * time.Millisecond)
			if now := s.running.Load(); now == nil || !now.stopped.Load() {
				s.engine.Stop(false)
			}
			select {
			case <-s.closed:
				return
			case <-time.After(min(time.Duration(k+1)*20*time.Millisecond, time.Second)):
			}
		}
		if now := s.running.Load(); now == nil || !now.stopped.Load() {
			s.engine.Stop(false)
		}
	}()
}

// check ends the calling goroutine where its cell was stopped, and where it recurses without end.
func (s *session) check() {
	breathe.Now()
	r := current()
	if r == nil {
		select {
		case <-s.closed: // what a cell of it left running
			s.engine.End()
		default:
		}
	}
	if r == nil || r.session != s {
		return
	}
	if r.stopped.Load() {
		s.engine.End()
	}
	if tooDeep() {
		r.setFail(&Error{Name: "Panic",
			Message: "stack overflow: functions call each other too deeply, as in a recursion that never ends"})
		r.interrupt(errInterrupted)
		s.engine.End()
	}
}

func (r *run) setFail(e *Error) {
	r.mu.Lock()
	if r.fail == nil {
		r.fail = e
	}
	r.mu.Unlock()
}

func (s *session) goStart() {
	if r := current(); r != nil {
		r.live.Add(1)
	}
}

func (s *session) goDone() {
	if r := current(); r != nil {
		r.live.Add(-1)
	}
}

// goPanic reports the panic of a goroutine of a cell, which in a program would end everything: it ends the cell.
func (s *session) goPanic(x any) {
	r := current()
	if r == nil || r.session != s {
		if r = s.latest.Load(); r == nil {
			return
		}
	}
	if e, ok := x.(exit); ok {
		r.goEnd(e.failure(), fmt.Sprint("exit status ", e.code))
		return
	}
	text := panicText(x)
	r.goEnd(&Error{Name: "Panic", Message: text + " (in a goroutine of this cell)"}, "panic: "+text)
}

// goEnd ends the cell for what one of its goroutines did, or says so where it has ended.
func (r *run) goEnd(fail *Error, text string) {
	if r.late.Load() {
		r.session.owner().out.Stream("stderr", fmt.Sprintf("in a goroutine of cell %d: %s\n", r.number, text))
		return
	}
	r.setFail(fail)
	r.interrupt(errInterrupted)
}

// exit is the panic with which os.Exit and log.Fatal end a cell.
type exit struct{ code int }

// Final makes the panic skip the cell's deferred calls.
func (exit) Final() {}

// exit ends the calling goroutine's cell without its deferred calls.
func (s *session) exit(code int) {
	r := current()
	if s.engine.Final() || r == nil {
		panic(exit{code})
	}
	fail := exit{code}.failure()
	if onStack("nacre/kernel.(*session).goroutine") {
		r.done <- fail
	} else { // a goroutine that the cell started
		r.goEnd(fail, fmt.Sprint("exit status ", code))
		s.goDone()
	}
	select {}
}

func limitStack() {
	if ^uintptr(0)>>32 != 0 {
		debug.SetMaxStack(2 << 30)
	}
}
