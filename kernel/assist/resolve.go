package assist

import (
	"slices"
	"strings"
	"unicode/utf8"

	"nacre/kernel/internal/cells"
)

// resolve finds the meaning of all names in a notebook. Guard is held.
func (s *Assistant) resolve(sources []string) *cells.Resolved {
	if k := s.resolved; k == nil || !slices.Equal(k.sources, sources) || k.packages != len(s.Program.Packages) {
		plain := make([]string, len(sources))
		for i, code := range sources {
			plain[i] = s.plain(code)
		}
		s.resolved = &resolved{s.Program.Fresh().Resolve(plain), slices.Clone(sources), len(s.Program.Packages)}
	}
	return s.resolved.Resolved
}

// Definition is where a name is defined.
type Definition struct {
	Cell         int // among those given, from 0; -1 if the name is the library's or unknown
	Line, Column int // from 1, the column in bytes
	Uses         int // how often the notebook has the name, with its definitions
	Card         *Card
}

// Definition finds where the name at a cursor of a notebook's cell is defined. If it is defined there, Definition goes
// on to the name's next occurrence. A name of the library, and one that no cell defines, is described by a Card, which
// is nil if nothing is known.
func (s *Assistant) Definition(sources []string, cell, cursor int) (found Definition) {
	defer func() { // as in Complete
		if x := recover(); x != nil {
			found = Definition{Cell: -1}
		}
	}()
	if to := s.defined(sources, cell, cursor); to.Cell >= 0 {
		return to
	}
	return Definition{Cell: -1, Card: s.Draft(sources[:cell]...).Inspect(sources[cell], cursor, 1)}
}

// defined is the definition in a cell.
func (s *Assistant) defined(sources []string, cell, cursor int) Definition {
	s.Guard.Lock()
	defer s.Guard.Unlock()
	r := s.resolve(sources)
	none := Definition{Cell: -1}
	at := len(prefixOf(sources[cell], cursor))
	o, ok := r.At(cell, at)
	if !ok && !r.Parses[cell] { // the cell is being written
		word := trailing(sources[cell][:at], isNameRune) + leading(sources[cell][at:], isNameRune)
		for _, known := range r.Of("n:" + word) {
			if o, ok = known, known.Declares; ok {
				break
			}
		}
		if !ok {
			return none
		}
		o.Declares = false
	}
	if !ok || o.Decl == nil || !ours(o.Thing) {
		return none
	}
	all := r.Of(o.Thing)
	to := *o.Decl
	if o.Declares {
		k := slices.IndexFunc(all, func(x cells.Occurrence) bool { return x.Place == o.Place })
		to = all[(k+1)%len(all)].Place
	}
	before := sources[to.Cell][:to.At]
	line := strings.LastIndexByte(before, '\n') + 1
	return Definition{Cell: to.Cell, Line: strings.Count(before, "\n") + 1, Column: to.At - line + 1, Uses: len(all)}
}

// ours reports whether a thing is the notebook's.
func ours(thing string) bool { return thing != "" && thing[0] != 'p' && thing[0] != 'b' }

// runes is an offset counted in code points.
func runes(text string, at int) int { return utf8.RuneCountInString(text[:at]) }
