package assist

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Ways in which a name matches the written word, the best first.
const (
	sameName = iota
	samePrefix
	foldedPrefix
	initials // of its words, as "nd" or "newd" for NewDense
	inside
	scattered
	noMatch
)

// matching says how a name matches a word.
func matching(name, word string) int {
	switch {
	case word == "":
		return samePrefix
	case name == word:
		return sameName
	case strings.HasPrefix(name, word):
		return samePrefix
	}
	n, w := strings.ToLower(name), strings.ToLower(word)
	switch {
	case strings.HasPrefix(n, w):
		return foldedPrefix
	case byInitials(name, w):
		return initials
	case utf8.RuneCountInString(w) > 1 && strings.Contains(n, w):
		return inside
	case utf8.RuneCountInString(w) > 2 && subsequence(n, w):
		return scattered
	}
	return noMatch
}

// byInitials reports whether a name begins with the first letter of word, and each further letter follows the one
// before or begins a word of the name.
func byInitials(name, word string) bool {
	r, n := utf8.DecodeRuneInString(word)
	first, m := utf8.DecodeRuneInString(name)
	return unicode.ToLower(first) == r && restByInitials(name, m, word[n:])
}

func restByInitials(name string, from int, word string) bool {
	if word == "" {
		return true
	}
	r, n := utf8.DecodeRuneInString(word)
	for k, c := range name[from:] {
		if at := from + k; unicode.ToLower(c) == r && (k == 0 || startsWord(name, at)) &&
			restByInitials(name, at+utf8.RuneLen(c), word[n:]) {
			return true
		}
	}
	return false
}

// startsWord reports whether a word of a name such as NewDense or per_task begins at a byte.
func startsWord(name string, at int) bool {
	r, _ := utf8.DecodeRuneInString(name[at:])
	before, _ := utf8.DecodeLastRuneInString(name[:at])
	return before == '_' || before == '/' || unicode.IsUpper(r) && !unicode.IsUpper(before) ||
		unicode.IsDigit(r) && !unicode.IsDigit(before)
}

func subsequence(name, word string) bool {
	for _, r := range word {
		k := strings.IndexRune(name, r)
		if k < 0 {
			return false
		}
		name = name[k+utf8.RuneLen(r):]
	}
	return true
}

// candidate is a match on its way into the list.
type candidate struct {
	Match
	by    string // what is compared with the word, Text where empty
	group int    // those of a lower group come first
	fits  bool   // its type is what the place asks for
	depth int    // of embedding
	uses  int    // how often it is met
	match int
}

// most bounds a list of completions.
const most = 200

// ranked are the candidates that match a word, the likeliest first.
func ranked(list []candidate, word string) []Match {
	best := noMatch
	kept := list[:0]
	for _, c := range list {
		by := c.by
		if by == "" {
			by = c.Text
		}
		if c.match = matching(by, word); c.match < noMatch {
			best = min(best, c.match)
			kept = append(kept, c)
		}
	}
	better := func(a, b bool) int {
		switch {
		case a == b:
			return 0
		case a:
			return -1
		}
		return 1
	}
	slices.SortStableFunc(kept, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.match, b.match), better(a.fits, b.fits), cmp.Compare(a.group, b.group),
			cmp.Compare(a.depth, b.depth), cmp.Compare(b.uses, a.uses),
			better(a.Kind == "function", b.Kind == "function"), strings.Compare(a.Text, b.Text))
	})
	out := make([]Match, 0, min(len(kept), most))
	for _, c := range kept[:min(len(kept), most)] {
		out = append(out, c.Match)
	}
	return out
}
