// Package nearest finds the name a user probably meant.
//
//	if _, ok := families[name]; !ok {
//		return fmt.Errorf("unknown family %q%s", name, nearest.Hint(name, known))
//	}
package nearest

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
)

// longest is a length of words. A longer word is only compared with candidates of about its length.
const longest = 200

// Of returns the candidate closest to word by Levenshtein distance, ignoring case. It also reports whether the
// candidate is close enough to be named: at most a third of the longer word's letters differ (two letters always may),
// or one begins with the other. Ties go to the candidate that sorts first.
func Of(word string, candidates []string) (string, bool) {
	sorted := append([]string(nil), candidates...)
	sort.Strings(sorted)
	w := strings.ToLower(word)
	best, bestDistance := "", -1
	for _, c := range sorted {
		l := strings.ToLower(c)
		if len(w) > longest && len(w) > 4*len(l) { // not a word: the comparison would take too long
			continue
		}
		d := levenshtein.ComputeDistance(w, l)
		near := d <= max(2, max(len(w), len(l))/3) && d < max(len(w), len(l))
		prefix := len(w) >= 3 && (strings.HasPrefix(l, w) || strings.HasPrefix(w, l) && len(l) >= 3)
		if (near || prefix) && (bestDistance < 0 || d < bestDistance) {
			best, bestDistance = c, d
		}
	}
	return best, bestDistance >= 0
}

// An error message names all candidates if there are no more than listed, otherwise the few nearest ones.
const listed, few = 25, 10

// Hint is the tail of an error message about an unknown word: `; did you mean "x"? (known: a, b, x)`. The question is
// left out if no candidate is near. Of many candidates only the nearest are named, nearest first. If there are none,
// the hint is empty.
func Hint(word string, candidates []string) string {
	if len(candidates) == 0 {
		return ""
	}
	sorted := append([]string(nil), candidates...)
	sort.Strings(sorted)
	shown, more := sorted, ""
	if n := len(sorted) - few; len(sorted) > listed {
		shown, more = byDistance(word, sorted)[:few], fmt.Sprintf(" and %d more", n)
	}
	known := " (known: " + strings.Join(shown, ", ") + more + ")"
	if best, ok := Of(word, sorted); ok {
		return `; did you mean "` + best + `"?` + known
	}
	return known
}

// byDistance returns the candidates, the nearest to word first.
func byDistance(word string, candidates []string) []string {
	w := strings.ToLower(word[:min(len(word), longest)])
	distance := make(map[string]int, len(candidates))
	for _, c := range candidates {
		distance[c] = levenshtein.ComputeDistance(w, strings.ToLower(c))
	}
	near := slices.Clone(candidates)
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(distance[a], distance[b]) })
	return near
}

// Quote quotes a word from outside for a message. If it is too long to be a word, it is cut.
func Quote(word string) string {
	if len(word) > longest {
		return fmt.Sprintf("%q… (%d bytes)", strings.ToValidUTF8(word[:40], ""), len(word))
	}
	return strconv.Quote(word)
}
