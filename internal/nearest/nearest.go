// Package nearest finds the name a user probably meant.
//
//	if _, ok := families[name]; !ok {
//		return fmt.Errorf("unknown family %q%s", name, nearest.Hint(name, known))
//	}
package nearest

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
)

// longest is the length of words beyond which a word is only compared with candidates of about its length.
const longest = 200

// Of returns the candidate closest to word by Levenshtein distance, ignoring case, and whether it is close enough
// to be worth naming: at most a third of the longer word's letters differ (but two letters always may), or one
// begins with the other. Ties go to the candidate that sorts first.
func Of(word string, candidates []string) (string, bool) {
	sorted := append([]string(nil), candidates...)
	sort.Strings(sorted)
	w := strings.ToLower(word)
	best, bestDistance := "", -1
	for _, c := range sorted {
		l := strings.ToLower(c)
		if len(w) > longest && len(w) > 4*len(l) { // no word: measuring it would take as long as it is
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

// listed is how many candidates an error message names at most.
const listed = 25

// Hint is the tail of an error message about an unknown word: `; did you mean "x"? (known: a, b, x)`, without
// the question where nothing is near. Of many candidates only the first are named. It is empty when there are none.
func Hint(word string, candidates []string) string {
	if len(candidates) == 0 {
		return ""
	}
	sorted := append([]string(nil), candidates...)
	sort.Strings(sorted)
	known := strings.Join(sorted[:min(len(sorted), listed)], ", ")
	if more := len(sorted) - listed; more > 0 {
		known += fmt.Sprintf(" and %d more", more)
	}
	known = " (known: " + known + ")"
	if best, ok := Of(word, sorted); ok {
		return `; did you mean "` + best + `"?` + known
	}
	return known
}

// Quote is a word from outside as a message quotes it, cut where it is no word any more.
func Quote(word string) string {
	if len(word) > longest {
		return fmt.Sprintf("%q… (%d bytes)", strings.ToValidUTF8(word[:40], ""), len(word))
	}
	return strconv.Quote(word)
}
