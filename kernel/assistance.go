package kernel

import (
	"context"

	"nacre/kernel/assist"
	"nacre/kernel/internal/cells"
)

// newAssistant makes the assistant of the session's cells.
func (s *session) newAssistant() *assist.Assistant {
	return assist.New(assist.Access{
		Program: s.prog, Guard: &s.info, Changes: func() int { return s.changes },
		Ran: func(yield func(string) bool) {
			for _, c := range s.sources {
				if !yield(c.code) {
					return
				}
			}
		},
		Plain: func(code string) (string, error) { _, plain, err := s.plain(code, unknown); return plain, err },
		Read:  func(v *cells.Var) (any, bool) { return s.engine.Read(v) },
		Value: func(name string) string {
			for _, v := range s.Variables() {
				if v.Name == name {
					return v.Value
				}
			}
			return ""
		},
		Quietly:    s.quietly,
		Importable: s.library.Importable, Doc: s.library.Doc, Uses: s.library.Uses, Texts: s.library.Texts,
	})
}

// unknown is plain's argument while a cell is written.
func unknown(string) bool { return false }

// quietly calls look, which reads values, where nothing runs that could change them.
func (s *session) quietly(look func()) {
	if !s.exec.TryLock() {
		return
	}
	defer s.exec.Unlock()
	if r := s.latest.Load(); s.zombies.Load() == 0 && (r == nil || r.live.Load() == 0) {
		look()
	}
}

// draft is the Draft of a session.
type draft struct{ assist.Draft }

func (d draft) Inspect(code string, cursor, detail int) Inspection {
	c := d.Draft.Inspect(code, cursor, detail)
	if c == nil {
		return Inspection{}
	}
	return Inspection{Found: true, Data: Data{MIME: map[string]any{"text/plain": c.Text, "text/markdown": c.Markdown}}}
}

func (s *session) Draft(above ...string) Draft { return draft{s.assistant.Draft(above...)} }

func (s *session) Complete(_ context.Context, code string, cursor int) Completion {
	return s.Draft().Complete(code, cursor)
}

func (s *session) Inspect(_ context.Context, code string, cursor, detail int) Inspection {
	return s.Draft().Inspect(code, cursor, detail)
}

func (s *session) Problems(list []Source) [][]Problem {
	s.info.Lock()
	s.notebook = list
	s.info.Unlock()
	var sources []assist.Source
	for _, c := range list {
		sources = append(sources, assist.Source{Code: c.Code, Ran: c.Ran})
	}
	out := make([][]Problem, len(list))
	for k, found := range s.assistant.Problems(sources) {
		for _, p := range found {
			out[k] = append(out[k], Problem{Position{p.Line, p.Column}, p.Message, p.Import})
		}
	}
	return out
}

func (s *session) Definition(cells []string, cell, cursor int) Definition {
	return s.assistant.Definition(cells, cell, cursor)
}

func (s *session) Rename(cells []string, cell, cursor int, to string) (Renaming, error) {
	return s.assistant.Rename(cells, cell, cursor, to)
}

func (s *session) Search(words string, most int) []Entry { return s.assistant.Search(words, most) }

func (s *session) IsComplete(code string) Completeness { return s.assistant.IsComplete(code) }
