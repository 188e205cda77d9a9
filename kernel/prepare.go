package kernel

import (
	"context"
	"fmt"

	"nacre/kernel/internal/cells"
	"nacre/kernel/internal/engine"
)

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
