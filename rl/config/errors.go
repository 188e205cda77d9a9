package config

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	toml "github.com/pelletier/go-toml/v2"

	"nacre/internal/nearest"
	numbers "nacre/internal/whole"
)

// KeyError reports a key that the configuration does not have.
type KeyError struct {
	// where the key was found: file:line, the preset, or the assignment together with the flag that gave it
	Where   string
	Key     string // dotted key
	Nearest string // the dotted key that was probably meant, or ""
}

func (e *KeyError) Error() string {
	if e.Nearest == "" {
		return fmt.Sprintf("%s: unknown key %s", e.Where, e.Key)
	}
	return fmt.Sprintf("%s: unknown key %s; the nearest is %s", e.Where, e.Key, e.Nearest)
}

// ValueError reports a value of the wrong type, out of its range or not among the choices.
type ValueError struct {
	Where string // as in KeyError; empty if the value did not come from a layer
	Key   string
	Value string // value as written
	Want  string // expected value: "a whole number", "a value in [1,256]", `one of "mean", "sample"`
}

func (e *ValueError) Error() string {
	where := ""
	if e.Where != "" {
		where = e.Where + ": "
	}
	return fmt.Sprintf("%s%s = %s: expected %s", where, e.Key, e.Value, e.Want)
}

// at returns name:row for a file, and name for an assignment, which has no row.
func at(name string, row int) string {
	if isAssignment(name) {
		return name
	}
	return fmt.Sprintf("%s:%d", name, row)
}

// isAssignment reports whether name is an assignment: the flag that gave it, and its text.
func isAssignment(name string) bool {
	_, text, _ := strings.Cut(name, " ")
	return strings.Contains(text, "=")
}

// suggest finds the key that was probably meant: the closest among the siblings, or a key of another table that ends in
// the same word or a similar one. Tables of list with Omit come last, and the suggestion says so.
func suggest(cfg any, list []Table, path []string) string {
	if len(path) > 8 { // no key is that deep
		return ""
	}
	if key := sibling(cfg, path); key != "" {
		return key
	}
	used := slices.ContainsFunc(list, func(t Table) bool { return !t.Omit })
	omitted := func(key string) bool {
		table, _, _ := strings.Cut(key, ".")
		return used && slices.ContainsFunc(list, func(t Table) bool { return t.Name == table && t.Omit })
	}
	keys := Keys(cfg)
	others := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !omitted(key) })
	if key := ending(path[len(path)-1], slices.DeleteFunc(keys, omitted)); key != "" {
		return key
	}
	if key := ending(path[len(path)-1], others); key != "" {
		return key + ", of a table that the chosen algorithm does not read"
	}
	return ""
}

// sibling returns the path with its first unknown name replaced by the closest existing one, and so on below that.
func sibling(cfg any, path []string) string {
	known := slices.Clone(path)
	replaced := false
	for n := range path {
		t, err := lookup(cfg, known[:n])
		if err != nil || !isTable(t) {
			return strings.Join(known[:n], ".")
		}
		if _, err := lookup(cfg, known[:n+1]); err == nil {
			continue
		}
		best, ok := nearest.Of(path[n], childKeys(t, ""))
		if !ok && replaced {
			return strings.Join(known[:n], ".") // at least the table is known
		} else if !ok {
			return ""
		}
		known[n], replaced = best, true
	}
	return strings.Join(known, ".")
}

// ending returns the first of the keys whose last word is the closest to a word.
func ending(word string, keys []string) string {
	byName := map[string]string{}
	var names []string
	for _, key := range keys {
		last := key[strings.LastIndex(key, ".")+1:]
		if _, seen := byName[last]; !seen {
			byName[last] = key
			names = append(names, last)
		}
	}
	best, _ := nearest.Of(word, names)
	return byName[best]
}

// placed adds to an error of a value the place where the text has it.
func placed(err error, name string, data []byte) error {
	var bad *ValueError
	if !errors.As(err, &bad) || isAssignment(name) {
		if bad != nil {
			bad.Where = name
		}
		return err
	}
	bad.Where = name
	if row := rowOf(data, bad.Key); row > 0 {
		bad.Where = at(name, row)
	}
	return err
}

// badValue turns a decoding error into one that shows the value and what its key accepts. If the text is not TOML at
// all, it shows where the parser failed.
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
	value := written(data, row)
	return &ValueError{Where: at(name, row), Key: key, Value: short(value), Want: wanted(cfg, key, leaf, value)}
}

// wanted describes the values of a key. Of whole numbers it gives the range if there is one, or if the value exceeds
// what such a number can be.
func wanted(cfg any, key string, leaf reflect.Type, value string) string {
	want := typeName(leaf)
	if k := deref(leaf).Kind(); isText(leaf) || k < reflect.Int || k > reflect.Uint64 ||
		leaf == reflect.TypeFor[Duration]() {
		return want
	}
	_ = walk("", reflect.ValueOf(cfg), func(at string, f field, _ reflect.Value) error {
		if limits, has := f.tag.Lookup("range"); has && at == key {
			want = "a whole number in " + limits
		}
		return nil
	})
	if _, ok := numbers.Of(value); want == "a whole number" && (ok || numbers.Beyond(value)) {
		want = fmt.Sprintf("a whole number from %d to %d", int64(math.MinInt64), int64(math.MaxInt64))
	}
	return want
}

// written returns the right-hand side of the assignment in a row of the text.
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
