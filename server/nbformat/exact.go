package nbformat

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Go's JSON has no halves of surrogate pairs, which texts that were cut within an emoji end with, and no NaN and no
// infinities, which Python writes. While a notebook is in memory a mark and a name stand for them. The mark is a
// character that Unicode keeps for such uses; where a file has it, the name is its own.
const mark = "\ufdd0"

// notNumbers are what Python writes of floating-point numbers that JSON does not have.
var notNumbers = []string{"NaN", "Infinity", "-Infinity"}

// escape puts marks into a JSON text, in place of what Go would change or refuse.
func escape(b []byte) []byte {
	if !needsEscape(b) {
		return b
	}
	out := make([]byte, 0, len(b)+64)
	inString := false
	for i := 0; i < len(b); {
		rest := b[i:]
		switch {
		case inString && rest[0] == '\\':
			unit, n := escapedUnit(rest)
			next, m := escapedUnit(rest[n:])
			switch {
			case unit == 0xfdd0:
				out = append(append(out, mark...), "fdd0"...)
			case isHigh(unit) && isLow(next):
				n += m
				out = append(out, rest[:n]...)
			case isHigh(unit) || isLow(unit):
				out = append(append(out, mark...), rest[2:n]...)
			default:
				n = min(2, len(rest))
				out = append(out, rest[:n]...)
			}
			i += n
		case inString && bytes.HasPrefix(rest, []byte(mark)) && !isNotNumber(rest[len(mark):]):
			out = append(append(out, mark...), "fdd0"...)
			i += len(mark)
		case !inString && (rest[0] == 'N' || rest[0] == 'I' || rest[0] == '-'):
			n := 1
			if name := literal(rest); name != "" {
				n = len(name)
				out = append(append(append(append(out, '"'), mark...), name...), '"')
			} else {
				out = append(out, rest[0])
			}
			i += n
		default:
			if rest[0] == '"' {
				inString = !inString
			}
			out = append(out, rest[0])
			i++
		}
	}
	return out
}

func needsEscape(b []byte) bool {
	return slices.ContainsFunc([]string{"NaN", "Infinity", `\ud`, `\uD`, `\uf`, `\uF`, mark}, func(s string) bool {
		return bytes.Contains(b, []byte(s))
	})
}

// escapedUnit reads \uXXXX, with its length; both are 0 for anything else.
func escapedUnit(b []byte) (unit uint64, length int) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, 0
	}
	unit, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	if err != nil {
		return 0, 0
	}
	return unit, 6
}

func isHigh(unit uint64) bool { return unit >= 0xd800 && unit < 0xdc00 }

func isLow(unit uint64) bool { return unit >= 0xdc00 && unit < 0xe000 }

// literal is the number that is none with which b begins, "" if there is none.
func literal(b []byte) string {
	for _, name := range notNumbers {
		if bytes.HasPrefix(b, []byte(name)) {
			return name
		}
	}
	return ""
}

// isNotNumber reports whether b is the rest of a marked string that stands for a number that is none.
func isNotNumber(b []byte) bool {
	name := literal(b)
	return name != "" && len(b) > len(name) && b[len(name)] == '"'
}

// unescape takes the marks out of a JSON text that Go wrote, and writes line and paragraph separators as Python does.
// What browsers cannot read, NaN and the infinities, keeps its mark where python is false.
func unescape(b []byte, python bool) []byte {
	if !bytes.Contains(b, []byte(mark)) && !bytes.Contains(b, []byte(`\u202`)) {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		rest := b[i:]
		switch {
		case bytes.HasPrefix(rest, []byte(`\u2028`)), bytes.HasPrefix(rest, []byte(`\u2029`)):
			out = append(out, "\u2028"[:2]...)
			out = append(out, 0xa8+rest[5]-'8')
			i += 6
		case rest[0] == '\\':
			out = append(out, rest[:2]...)
			i += 2
		case python && rest[0] == '"' && bytes.HasPrefix(rest[1:], []byte(mark)) && isNotNumber(rest[1+len(mark):]):
			name := literal(rest[1+len(mark):])
			out = append(out, name...)
			i += len(name) + len(mark) + 2
		case bytes.HasPrefix(rest, []byte(mark+"fdd0")):
			out = append(out, mark...)
			i += len(mark) + 4
		case bytes.HasPrefix(rest, []byte(mark)) && !isNotNumber(rest[len(mark):]):
			out = append(out, `\u`...)
			i += len(mark)
		default:
			out = append(out, rest[0])
			i++
		}
	}
	return out
}

// keepNumbers puts the file's spelling of numbers in the place of those that a browser made of them: it reads integers
// beyond 2⁵³ as the nearest it has, 1.0 as 1, and what is too large for it as nothing.
func (n *Notebook) keepNumbers(file *Notebook) {
	cells := map[string]Cell{}
	for _, c := range file.Cells() {
		cells[c.ID()] = c
	}
	for _, c := range n.Cells() {
		if old := cells[c.ID()]; old != nil {
			keepNumbers(map[string]any(c), map[string]any(old))
		}
	}
	list, _ := n.doc["cells"].([]any)
	olds, _ := file.doc["cells"].([]any)
	for i := range min(len(list), len(olds)) {
		if _, isCell := list[i].(map[string]any); !isCell {
			list[i] = kept(list[i], olds[i])
		}
	}
	for key := range n.doc {
		if key != "cells" {
			n.doc[key] = kept(n.doc[key], file.doc[key])
		}
	}
}

func keepNumbers(v, old any) {
	switch v := v.(type) {
	case map[string]any:
		old, _ := old.(map[string]any)
		for key := range old {
			if now, ok := v[key]; ok {
				v[key] = kept(now, old[key])
			}
		}
	case []any:
		old, _ := old.([]any)
		for i := range min(len(v), len(old)) {
			v[i] = kept(v[i], old[i])
		}
	}
}

// kept is a value of which a browser had read the old one.
func kept(v, old any) any {
	number, ok := old.(json.Number)
	if !ok {
		keepNumbers(v, old)
		return v
	}
	switch now, ok := v.(json.Number); {
	case v == nil && inBrowser(number) == "null", ok && string(now) == inBrowser(number):
		return number
	}
	return v
}

// inBrowser is how a browser writes a number that it has read.
func inBrowser(n json.Number) string {
	f, err := strconv.ParseFloat(strings.TrimSpace(string(n)), 64)
	if err != nil {
		return "null"
	}
	if f == 0 {
		return "0"
	}
	b, _ := json.Marshal(f) // as ECMAScript says
	return string(b)
}
