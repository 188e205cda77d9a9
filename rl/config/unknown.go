package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Bound refuses a text that has more bytes or keys than are read.
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
	return nil // what is wrong with it is told by who decodes it
}

// firstUnknown finds the first key of the text that cfg does not have, except those under a top-level table named in ignore.
// The decoder could list all of them, but copies the lines around each, which takes minutes for a long text of them.
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
			if _, err := lookup(cfg, full); err != nil {
				if row == 0 {
					path, row = slices.Clone(full), p.Shape(keys.Node().Raw).Start.Line
				}
				return full, false
			}
		}
		return full, true
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

// short cuts a text of a message, which may come from a file of any content, to what a line has room for.
func short(s string) string {
	const room = 120
	if len(s) <= room {
		return s
	}
	return strings.ToValidUTF8(s[:room], "") + "…"
}
