package kernel

import (
	"context"
	"time"
)

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
	m, code, err := s.plain(code, s.knows)
	if err == nil && m != nil && m.get != "" {
		err = s.get(ctx, r, m.get)
		m = nil
	}
	if err != nil {
		s.info.Lock()
		s.history.refused(r.cell, text)
		s.info.Unlock()
		return nil, compileError(text, err)
	}
	if m != nil && m.capture {
		held := &capture{Output: r.out}
		r.out = held
		value, fail := s.checked(ctx, r, nil, text, code)
		held.end(value)
		return nil, fail
	}
	if m != nil && m.test != nil {
		if value, fail := s.checked(ctx, r, nil, text, code); fail != nil || value != nil {
			return value, fail
		}
		return nil, s.test(ctx, r, m.test)
	}
	return s.checked(ctx, r, m, text, code)
}

// checked is execute for a cell without the helper m in front of it; text is all of it.
func (s *session) checked(ctx context.Context, r *run, m *magic, text, code string) (*Data, *Error) {
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

// expressions evaluates a request's user expressions.
func (s *session) expressions(ctx context.Context, list map[string]string) map[string]ExpressionData {
	if len(list) == 0 {
		return nil
	}
	m := map[string]ExpressionData{}
	for name, code := range list {
		s.number++
		r := &run{session: s, count: s.count, number: s.number, out: silent{}}
		d, fail := s.execute(ctx, r, code)
		m[name] = ExpressionData{d, fail}
	}
	return m
}

// silent is the output of what has none.
type silent struct{}

func (silent) Stream(string, string) {}
func (silent) Display(Data)          {}
func (silent) Update(Data)           {}
func (silent) Clear(bool)            {}
func (silent) Input(string, bool) (string, error) {
	return "", errInputRefused
}
