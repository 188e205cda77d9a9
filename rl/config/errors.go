package config

import (
	"bytes"
	"fmt"
	"strings"

	toml "github.com/pelletier/go-toml/v2"

	"nacre/internal/nearest"
)

// KeyError reports a key the configuration does not have.
type KeyError struct {
	Where   string // file:line, the preset or the assignment with what it was given with
	Key     string // dotted
	Nearest string // the dotted key probably meant, or ""
}

func (e *KeyError) Error() string {
	if e.Nearest == "" {
		return fmt.Sprintf("%s: unknown key %s", e.Where, e.Key)
	}
	return fmt.Sprintf("%s: unknown key %s; the nearest is %s", e.Where, e.Key, e.Nearest)
}

// ValueError reports a value of the wrong type, out of its range or not among the choices.
type ValueError struct {
	Where string // as in KeyError; empty when the value did not come from a layer
	Key   string
	Value string // as written
	Want  string // "a whole number", "a value in [1,256]", `one of "mean", "sample"`
}

func (e *ValueError) Error() string {
	where := ""
	if e.Where != "" {
		where = e.Where + ": "
	}
	return fmt.Sprintf("%s%s = %s: expected %s", where, e.Key, e.Value, e.Want)
}

// at is name:row for a file; an assignment needs no row.
func at(name string, row int) string {
	if isAssignment(name) {
		return name
	}
	return fmt.Sprintf("%s:%d", name, row)
}

// isAssignment says whether a name is that of an assignment: the word that it was given with, and its text.
func isAssignment(name string) bool {
	_, text, _ := strings.Cut(name, " ")
	return strings.Contains(text, "=")
}

// suggest finds the key probably meant: the closest among the siblings, else a key of another table that ends in
// the same word or a similar one.
func suggest(cfg any, path []string) string {
	for n := len(path) - 1; n >= 0; n-- {
		t, err := lookup(cfg, path[:n])
		if err != nil || !isTable(t) {
			continue
		}
		var names []string
		for _, k := range childKeys(t, "") {
			names = append(names, k)
		}
		if best, ok := nearest.Of(path[n], names); ok {
			return strings.Join(append(append([]string(nil), path[:n]...), best), ".")
		}
		break
	}
	byName := map[string]string{}
	var names []string
	for _, key := range Keys(cfg) {
		last := key[strings.LastIndex(key, ".")+1:]
		if _, seen := byName[last]; !seen {
			byName[last] = key
			names = append(names, last)
		}
	}
	best, _ := nearest.Of(path[len(path)-1], names)
	return byName[best]
}

// badValue turns a decoding error into one that shows the value and what its key takes, or, where the text is not
// TOML at all, what the parser stumbled over.
func badValue(name string, bad *toml.DecodeError, data []byte, cfg any) error {
	row, column := bad.Position()
	detail := strings.TrimPrefix(bad.Error(), "toml: ")
	key := strings.Join(bad.Key(), ".")
	if key == "" {
		if isAssignment(name) {
			return fmt.Errorf("%s: not a TOML value: %s", name, detail)
		}
		return fmt.Errorf("%s:%d:%d: not valid TOML: %s", name, row, column, detail)
	}
	leaf, err := lookup(cfg, bad.Key())
	if err != nil || strings.Contains(detail, "already") {
		return fmt.Errorf("%s: %s: %s", at(name, row), key, detail)
	}
	return &ValueError{Where: at(name, row), Key: key, Value: short(written(data, row)), Want: typeName(leaf)}
}

// written is the right-hand side of the assignment in a row of the text.
func written(data []byte, row int) string {
	lines := bytes.Split(data, []byte("\n"))
	if row < 1 || row > len(lines) {
		return "?"
	}
	line := string(lines[row-1])
	if _, value, ok := strings.Cut(line, "="); ok {
		line = value
	}
	return strings.TrimSpace(line)
}
