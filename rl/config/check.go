package config

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Check applies the range and oneof tags of cfg and then the Validate methods of the structs in it, inner before outer.
// Numbers that are NaN are out of every range. An error is a *ValueError, or the error of a Validate method with the
// table's key before it.
func Check(cfg any) error {
	all := whole(cfg, tables(cfg))
	if err := checkTags("", all); err != nil {
		return err
	}
	if err := validate("", reflect.ValueOf(all)); err != nil {
		return err
	}
	if _, ok := cfg.(Tabled); ok { // its fields and tables do not have its own Validate method
		return own("", addressed(cfg))
	}
	return nil
}

func checkTags(where string, cfg any) error {
	return walk("", reflect.ValueOf(cfg), func(key string, f field, v reflect.Value) error {
		want, ok, err := fits(f.tag, v)
		if err != nil {
			return fmt.Errorf("configuration: %s: %w", key, err)
		}
		if !ok {
			return &ValueError{Where: where, Key: key, Value: short(show(v)), Want: want}
		}
		return nil
	})
}

// walk calls visit for every value under v that is not a table.
func walk(prefix string, v reflect.Value, visit func(key string, f field, v reflect.Value) error) error {
	v = indirect(v)
	if !v.IsValid() || v.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range fields(v.Type()) {
		inner, err := v.FieldByIndexErr(f.index)
		if err != nil {
			continue
		}
		if inner = indirect(inner); !inner.IsValid() {
			continue
		}
		key := join(prefix, f.name)
		if isTable(inner.Type()) {
			err = walk(key, inner, visit)
		} else {
			err = visit(key, f, inner)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func indirect(v reflect.Value) reflect.Value {
	for v.IsValid() && v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v
}

func validate(prefix string, v reflect.Value) error {
	inner := indirect(v)
	if !inner.IsValid() || inner.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range fields(inner.Type()) {
		child, err := inner.FieldByIndexErr(f.index)
		if err != nil {
			continue
		}
		if err := validate(join(prefix, f.name), child); err != nil {
			return err
		}
	}
	if inner.CanAddr() {
		v = inner.Addr()
	}
	return own(prefix, v)
}

// own calls the Validate method of a table, if it has one.
func own(prefix string, v reflect.Value) error {
	c, ok := v.Interface().(interface{ Validate() error })
	if !ok {
		return nil
	}
	if err := c.Validate(); err != nil {
		if prefix == "" {
			return err
		}
		return fmt.Errorf("%s: %w", prefix, err)
	}
	return nil
}

// fits applies a field's tags to its value. If the value does not fit, want says what was expected.
func fits(tag reflect.StructTag, v reflect.Value) (want string, ok bool, err error) {
	if k := v.Kind(); (k == reflect.Slice || k == reflect.Array) && !isText(v.Type()) {
		for i := range v.Len() {
			if want, ok, err = fits(tag, indirect(v.Index(i))); err != nil || !ok {
				return "each element " + want, ok, err
			}
		}
		return "", true, nil
	}
	if choices, has := tag.Lookup("oneof"); has && v.Kind() == reflect.String {
		return oneOf(strings.Fields(choices), v.String())
	}
	if text, has := tag.Lookup("range"); has {
		r, err := parseInterval(text, v.Type())
		if err != nil {
			return "", false, err
		}
		x, isNumber := number(v)
		if !isNumber {
			return "", false, fmt.Errorf("tag range on a %s", v.Type())
		}
		return "a value in " + r.text, r.contains(x), nil
	}
	if x, isNumber := number(v); isNumber && math.IsNaN(x) {
		return "a number", false, nil
	}
	return "", true, nil
}

func oneOf(choices []string, word string) (string, bool, error) {
	quoted := make([]string, len(choices))
	for i, c := range choices {
		if c == word {
			return "", true, nil
		}
		quoted[i] = strconv.Quote(c)
	}
	return "one of " + strings.Join(quoted, ", "), false, nil
}

func number(v reflect.Value) (float64, bool) {
	switch {
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	case v.CanFloat():
		return v.Float(), true
	}
	return 0, false
}

// show writes a value as a TOML file would.
func show(v reflect.Value) string {
	if v.Kind() == reflect.String {
		return strconv.Quote(v.String())
	}
	if k := v.Kind(); k == reflect.Slice || k == reflect.Array {
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = show(v.Index(i))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprint(v.Interface())
}

// interval is a range of numbers; an open end excludes its bound.
type interval struct {
	lo, hi         float64
	loOpen, hiOpen bool
	text           string
}

func parseInterval(text string, t reflect.Type) (interval, error) {
	bad := fmt.Errorf("bad range tag %q", text)
	s := strings.TrimSpace(text)
	if len(s) < 3 || !strings.ContainsAny(s[:1], "[(") || !strings.ContainsAny(s[len(s)-1:], "])") {
		return interval{}, bad
	}
	lo, hi, ok := strings.Cut(s[1:len(s)-1], ",")
	if !ok {
		return interval{}, bad
	}
	r := interval{loOpen: s[0] == '(', hiOpen: s[len(s)-1] == ')', text: s}
	var loErr, hiErr error
	r.lo, loErr = parseBound(lo, math.Inf(-1), t)
	r.hi, hiErr = parseBound(hi, math.Inf(1), t)
	if loErr != nil || hiErr != nil {
		return interval{}, bad
	}
	return r, nil
}

func parseBound(s string, unbounded float64, t reflect.Type) (float64, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return unbounded, nil
	}
	if deref(t) == reflect.TypeFor[Duration]() {
		d, err := time.ParseDuration(s)
		return float64(d), err
	}
	return strconv.ParseFloat(s, 64)
}

func (r interval) contains(x float64) bool {
	above := x > r.lo || x == r.lo && !r.loOpen
	below := x < r.hi || x == r.hi && !r.hiOpen
	return above && below
}
