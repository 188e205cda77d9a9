package assist

import (
	"go/token"
	"slices"

	"nacre/kernel/internal/cells"
)

// met is how often a name stands in the cells that ran and in those above. Guard is held.
func (w *writing) met(name string) int {
	k := w.words
	if k == nil || k.changes != w.Changes() || !slices.Equal(k.above, w.above) {
		k = &words{map[string]int{}, w.above, w.Changes()}
		for code := range w.Ran {
			count(code, k.counts)
		}
		for _, c := range w.above {
			count(c, k.counts)
		}
		w.words = k
	}
	return k.counts[name]
}

func count(code string, counts map[string]int) {
	for tok, text := range cells.Names(code) {
		if tok == token.IDENT {
			counts[text]++
		}
	}
}
