package kernel

import (
	"maps"
	"slices"
)

// Stale is Session's.
func (s *session) Stale(list []Source) []Staleness {
	s.info.Lock()
	defer s.info.Unlock()
	s.notebook = list
	at := map[string]int{}
	for k, c := range list {
		at[c.ID] = k
	}
	out := make([]Staleness, len(list))
	for k, c := range list {
		r := s.history.cells[c.ID]
		if r == nil {
			continue
		}
		out[k] = Staleness{Ran: true, Edited: r.code != c.Code}
		because := s.history.changed(c.ID, r, k, at)
		out[k].Own = len(because) > 0
		for _, name := range slices.Sorted(maps.Keys(because)) {
			out[k].Because = append(out[k].Because, name)
			out[k].Own = out[k].Own && because[name]
		}
		for _, name := range slices.Sorted(maps.Keys(r.Reads)) {
			above := s.history.pending(name, list[:k], out)
			if above == "" {
				continue
			}
			if _, known := because[name]; !known {
				out[k].Because = append(out[k].Because, name)
			}
			if out[k].Own = false; !slices.Contains(out[k].After, above) {
				out[k].After = append(out[k].After, above)
			}
		}
	}
	return out
}
