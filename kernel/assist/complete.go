package assist

import (
	"strings"
	"unicode/utf8"

	"nacre/kernel/internal/cells"
)

// Complete proposes completions at cursor, the likeliest first: members of packages and values after a dot, import
// paths inside an import, keys of maps, fields in literals, and otherwise variables, functions, types, packages and
// keywords.
func (d Draft) Complete(code string, cursor int) (c Completion) {
	defer func() { // incomplete code must not end the kernel, whatever the checker makes of it
		if x := recover(); x != nil {
			c = Completion{Start: cursor, End: cursor}
		}
	}()
	d.Guard.Lock()
	defer d.Guard.Unlock()
	w := d.at(code, cursor)
	c = Completion{Start: cursor - utf8.RuneCountInString(w.word),
		End: cursor + utf8.RuneCountInString(w.code[len(w.before):]) - utf8.RuneCountInString(w.after)}
	if path, ok := importPath(w.before); ok {
		rest := leading(w.code[len(w.before):], func(r rune) bool {
			return isNameRune(r) || strings.ContainsRune("/.-", r)
		})
		c.Start, c.End = cursor-utf8.RuneCountInString(path), cursor+utf8.RuneCountInString(rest)
		c.Matches = w.paths(path)
		return c
	}
	if inTextOrComment(w.before) {
		if open, word, ok := openText(w.before); ok {
			if c.Matches = w.keys(open, word); len(c.Matches) > 0 {
				c.Start = cursor - utf8.RuneCountInString(word) - 1
				c.End = cursor + utf8.RuneCountInString(closing(w.code[len(w.before):]))
			}
		}
		return c
	}
	rest := strings.TrimSuffix(w.before, w.word)
	w.check(rest, cells.Marker)
	c.Matches = ranked(w.candidates(rest), w.word)
	return c
}

// importPath is the path being written, where the cursor is inside one.
func importPath(before string) (string, bool) {
	quote := strings.LastIndexByte(before, '"')
	if quote < 0 || strings.Contains(before[quote:], "\n") || strings.Count(before[strings.LastIndex(before, "\n")+1:],
		`"`)%2 == 0 {
		return "", false
	}
	head := strings.TrimSpace(before[:quote])
	line := strings.TrimSpace(head[strings.LastIndexAny(head, "\n;(")+1:])
	if strings.HasPrefix(line, "import") && len(strings.Fields(line)) <= 2 {
		return before[quote+1:], true
	}
	k := strings.LastIndex(head, "import")
	if k < 0 || strings.Contains(head[k:], ")") || !strings.HasPrefix(strings.TrimSpace(head[k+len("import"):]), "(") {
		return "", false
	}
	return before[quote+1:], true
}
