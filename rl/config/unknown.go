package config

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	numbers "nacre/internal/whole"
)

// Bound returns an error if a text has too many bytes or keys.
func Bound(name string, data []byte) error {
	if len(data) > MaxBytes {
		return fmt.Errorf("%s has %d bytes; expected at most %d", name, len(data), MaxBytes)
	}
	n := 0
	var count func(node *unstable.Node)
	count = func(node *unstable.Node) {
		n++
		if v := node.Value(); node.Kind == unstable.KeyValue && v.Kind == unstable.InlineTable {
			for inner := v.Children(); inner.Next(); {
				count(inner.Node())
			}
		}
	}
	var p unstable.Parser
	p.Reset(data)
	for p.NextExpression() {
		if e := p.Expression(); e.Kind == unstable.KeyValue {
			count(e)
		} else {
			n++
		}
		if n > MaxKeys {
			return fmt.Errorf("%s has more than %d keys; expected at most that", name, MaxKeys)
		}
	}
	return nil // the decoder reports what is wrong with it
}

// firstUnknown finds the first key of the text that cfg does not have, except those under a top-level table named in
// ignore. The decoder could list all of them. But it copies the lines around each, which takes minutes for a long text
// of unknown keys.
func firstUnknown(data []byte, cfg any, ignore []string) (path []string, row int) {
	var p unstable.Parser
	p.Reset(data)
	var visit func(table []string, n *unstable.Node) bool
	known := func(table []string, keys unstable.Iterator) (full []string, ok bool) {
		full = slices.Clip(table)
		for keys.Next() {
			full = append(full, string(keys.Node().Data))
			if slices.Contains(ignore, full[0]) {
				continue
			}
			if _, err := lookup(cfg, full); err != nil && row == 0 {
				row = p.Shape(keys.Node().Raw).Start.Line
			}
		}
		if row > 0 && path == nil {
			path = slices.Clone(full)
		}
		return full, row == 0
	}
	visit = func(table []string, n *unstable.Node) bool {
		full, ok := known(table, n.Key())
		if !ok {
			return false
		}
		if v := n.Value(); v.Kind == unstable.InlineTable && !slices.Contains(ignore, full[0]) {
			for inner := v.Children(); inner.Next(); {
				if !visit(full, inner.Node()) {
					return false
				}
			}
		}
		return true
	}
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			var ok bool
			if table, ok = known(nil, e.Key()); !ok {
				return path, row
			}
		case unstable.KeyValue:
			if !visit(table, e) {
				return path, row
			}
		}
	}
	return nil, 0
}

// each calls visit with every value of the text: its dotted key, its row, and the value.
func each(data []byte, visit func(p *unstable.Parser, path []string, row int, value *unstable.Node)) {
	var p unstable.Parser
	p.Reset(data)
	keys := func(table []string, k unstable.Iterator) (full []string, row int) {
		full = slices.Clip(table)
		for k.Next() {
			full, row = append(full, string(k.Node().Data)), p.Shape(k.Node().Raw).Start.Line
		}
		return full, row
	}
	var pair func(table []string, n *unstable.Node)
	pair = func(table []string, n *unstable.Node) {
		full, row := keys(table, n.Key())
		if v := n.Value(); v.Kind == unstable.InlineTable {
			for inner := v.Children(); inner.Next(); {
				pair(full, inner.Node())
			}
		} else {
			visit(&p, full, row, v)
		}
	}
	var table []string
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table, _ = keys(nil, e.Key())
		case unstable.KeyValue:
			pair(table, e)
		}
	}
}

// rowOf returns the row of a dotted key in the text, or 0 if the key is not in it.
func rowOf(data []byte, key string) (row int) {
	each(data, func(_ *unstable.Parser, path []string, at int, _ *unstable.Node) {
		if row == 0 && strings.Join(path, ".") == key {
			row = at
		}
	})
	return row
}

// wholeNumbers returns the text with numbers such as 1e6 and 7.0 written out if they are whole and cfg has whole
// numbers there.
func wholeNumbers(data []byte, cfg any) []byte {
	type change struct {
		at, end int
		text    string
	}
	var changes []change
	each(data, func(p *unstable.Parser, path []string, _ int, value *unstable.Node) {
		if value.Kind != unstable.Float && value.Kind != unstable.Array {
			return
		}
		t, err := lookup(cfg, path)
		if err != nil {
			return // in an ignored table
		}
		var number func(t reflect.Type, v *unstable.Node)
		number = func(t reflect.Type, v *unstable.Node) {
			t = deref(t)
			switch list := t.Kind() == reflect.Slice || t.Kind() == reflect.Array; {
			case v.Kind == unstable.Array && list:
				for inner := v.Children(); inner.Next(); {
					number(t.Elem(), inner.Node())
				}
			case v.Kind == unstable.Float && t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
				if n, ok := numbers.Of(string(v.Data)); ok {
					r := p.Range(v.Data)
					changes = append(changes, change{int(r.Offset), int(r.Offset + r.Length), n.String()})
				}
			}
		}
		number(t, value)
	})
	var out []byte
	from := 0
	for _, c := range changes {
		out = append(append(out, data[from:c.at]...), c.text...)
		from = c.end
	}
	return append(out, data[from:]...)
}

// Whole returns the whole number, of at most 20 digits, that a text such as 1000, 1_000, 1e3 or 1000.0 stands for. ok
// is false if it does not stand for one.
func Whole(text string) (n *big.Int, ok bool) { return numbers.Of(text) }

// short cuts a text of a message, which may come from any file, to the length of a line.
func short(s string) string {
	const room = 120
	if len(s) <= room {
		return s
	}
	return strings.ToValidUTF8(s[:room], "") + "…"
}
