package cells

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed habits.txt
var habitsText string

// A habit is what users of other languages and kernels write in a line, and what to type instead, in which $1 and the
// like are parts of the line.
type habit struct {
	line *regexp.Regexp
	say  string
}

// habits are looked at only where a cell does not compile, magics, by name, where a helper is not known.
var habits = sync.OnceValues(func() (list []habit, magics map[string]string) {
	magics = map[string]string{}
	for text := range strings.Lines(habitsText) {
		pattern, say, ok := strings.Cut(strings.TrimSuffix(text, "\n"), "  → ")
		names, magic := strings.CutPrefix(pattern, "%")
		switch {
		case !ok: // a comment
		case magic:
			for _, name := range strings.Split(names, " ") {
				magics[name] = say
			}
		default:
			list = append(list, habit{regexp.MustCompile(pattern), say})
		}
	}
	return list, magics
})

// Magic returns what to write instead of an IPython magic that is not known here, or "" if there is no advice.
func Magic(word string) string {
	_, magics := habits()
	return magics[word]
}

// magic is a magic in a line of a cell.
var magic = regexp.MustCompile(`^%{1,2}(\w*)`)

// helpers are the magics that are known here.
var helpers = []string{"time", "timeit", "get", "capture", "test"}

// habitual are the errors of a cell: where the line of one is of another language or kernel, what to type instead.
func habitual(src string, errs Errors) Errors {
	lines := strings.Split(src, "\n")
	known, _ := habits()
	for _, e := range errs {
		for _, k := range []int{e.Pos.Line - 1, e.Pos.Line - 2} {
			if k < 0 || k >= len(lines) {
				continue
			}
			line := strings.TrimSpace(lines[k])
			if m := magic.FindStringSubmatch(line); m != nil && slices.Contains(helpers, m[1]) {
				return at(e, k, lines, fmt.Sprintf("%%%s stands in the first line of a cell", m[1]))
			} else if m != nil && Magic(m[1]) != "" {
				return at(e, k, lines, Magic(m[1]))
			}
			for _, h := range known {
				if m := h.in(line, e.Msg); m != nil {
					say := string(h.line.ExpandString(nil, h.say, line, m))
					return at(e, k, lines, fmt.Sprintf("%s (%s)", say, e.Msg))
				}
			}
		}
	}
	return errs
}

// quoted are texts and comments of a line.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|//.*`)

// in finds the habit in a line that has an error, nil where it is not there: in a text, or beside a name that is not
// defined, it is none.
func (h habit) in(line, msg string) []int {
	m := h.line.FindStringSubmatchIndex(line)
	if m == nil {
		return nil
	}
	if !strings.ContainsAny(h.line.String(), "\"'#") && !h.line.MatchString(quoted.ReplaceAllString(line, `""`)) {
		return nil
	}
	if name, ok := strings.CutPrefix(msg, "undefined: "); ok && !strings.Contains(line[m[0]:m[1]], name) {
		return nil
	}
	return m
}

// at is an error at the beginning of a line.
func at(e Error, line int, lines []string, text string) Errors {
	e.Pos.Line, e.Pos.Column = line+1, 1+len(lines[line])-len(strings.TrimLeft(lines[line], " \t"))
	return Errors{{e.Pos, text}}
}
