package nbformat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Cleaning says what Clean leaves in a notebook.
type Cleaning struct {
	KeepOutputs  bool
	KeepCounts   bool
	KeepMetadata bool
	// Drop has further metadata to leave out, as paths that begin with "metadata." or "cell.metadata.", such as
	// "metadata.language_info.version".
	Drop []string
}

// volatile is metadata that running or looking at a notebook changes.
var volatile = []string{
	"metadata.signature", "metadata.widgets", "cell.metadata.ExecuteTime", "cell.metadata.collapsed",
	"cell.metadata.execution", "cell.metadata.executionInfo", "cell.metadata.outputId", "cell.metadata.scrolled",
	"cell.metadata.trusted",
}

// Check returns an error for a path that names no metadata.
func (o Cleaning) Check() error {
	for _, path := range o.Drop {
		rest, cell := strings.CutPrefix(path, "cell.")
		if rest, ok := strings.CutPrefix(rest, "metadata."); !ok || slices.Contains(strings.Split(rest, "."), "") {
			return fmt.Errorf("%.80q: expected a path such as metadata.language_info.version or cell.metadata.%s", path,
				map[bool]string{true: "name", false: "papermill"}[cell])
		}
	}
	return nil
}

// Clean takes out of a notebook's file what a version control need not keep: outputs, execution counts, and metadata
// that a run changes. All other bytes stay as they are, in files of any program. A code cell with the tag "keep_output"
// keeps outputs and count. A file without bytes stays empty. The error says why the file cannot be cleaned.
func Clean(b []byte, o Cleaning) ([]byte, error) {
	if len(bytes.TrimSpace(b)) == 0 {
		return b, nil
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	nb, err := Parse(b)
	if err != nil {
		return nil, err
	}
	if nb.Major() < Major {
		return nil, fmt.Errorf("it has format %d, expected 4: open and save it first", nb.Major())
	}
	paths := slices.Clone(o.Drop)
	if !o.KeepMetadata {
		paths = append(paths, volatile...)
	}
	c := &cleaner{text: b, Cleaning: o}
	for _, path := range paths {
		if rest, ok := strings.CutPrefix(path, "cell.metadata."); ok {
			c.cell = append(c.cell, strings.Split(rest, "."))
		} else {
			c.notebook = append(c.notebook, strings.Split(strings.TrimPrefix(path, "metadata."), "."))
		}
	}
	start := 0
	if nb.form.mark {
		start = len(byteOrderMark)
	}
	for _, m := range c.members(c.blanks(start)) {
		switch m.key {
		case "metadata":
			c.without(m.from, c.notebook)
		case "cells":
			for _, at := range c.elements(m.from) {
				c.cleanCell(at)
			}
		}
	}
	return c.result(), nil
}

// cleaner edits the text of a JSON file that was parsed before, so that nothing else changes.
type cleaner struct {
	Cleaning
	text     []byte
	notebook [][]string // paths in the metadata of the notebook
	cell     [][]string // and of its cells
	edits    []edit     // in the order of their places, none in another
}

// edit replaces text[from:to].
type edit struct {
	from, to int
	by       string
}

// member is one member of an object: its name, where the name begins, and where its value does and ends.
type member struct {
	key             string
	start, from, to int
}

func (c *cleaner) result() []byte {
	slices.SortFunc(c.edits, func(a, b edit) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, e := range c.edits {
		out = append(append(out, c.text[at:e.from]...), e.by...)
		at = e.to
	}
	return append(out, c.text[at:]...)
}

func (c *cleaner) cleanCell(at int) {
	members := c.members(at)
	var parsed struct {
		Type     string `json:"cell_type"`
		Metadata struct {
			Tags any `json:"tags"`
			Keep any `json:"keep_output"`
		} `json:"metadata"`
	}
	if json.Unmarshal(escape(c.text[at:c.skip(at)]), &parsed) != nil {
		return
	}
	tags, _ := parsed.Metadata.Tags.([]any)
	keep := slices.Contains(tags, any("keep_output")) || parsed.Metadata.Keep == true
	for _, m := range members {
		switch {
		case m.key == "metadata":
			c.without(m.from, c.cell)
		case parsed.Type != "code" || keep:
		case m.key == "execution_count" && !c.KeepCounts:
			c.replace(m.from, m.to, "null")
		case m.key == "outputs" && !c.KeepOutputs:
			c.replace(m.from, m.to, "[]")
		case m.key == "outputs" && !c.KeepCounts:
			for _, at := range c.elements(m.from) {
				for _, m := range c.members(at) {
					if m.key == "execution_count" {
						c.replace(m.from, m.to, "null")
					}
				}
			}
		}
	}
}

// replace puts a value in the place of one of another kind. An empty list stays as it is written.
func (c *cleaner) replace(from, to int, by string) {
	if by != "[]" || len(c.elements(from)) > 0 || c.text[from] != '[' {
		c.edits = append(c.edits, edit{from, to, by})
	}
}

// without takes the ends of paths out of an object, with the commas and blanks that are then too many.
func (c *cleaner) without(at int, paths [][]string) {
	members := c.members(at)
	kept := slices.DeleteFunc(slices.Clone(members), func(m member) bool { return ends(paths, m.key) })
	if len(kept) == 0 && len(members) > 0 {
		c.edits = append(c.edits, edit{at, c.skip(at), "{}"})
		return
	}
	after := false // whether one before stays
	for i, m := range members {
		switch {
		case !ends(paths, m.key):
			after = true
			var deeper [][]string
			for _, p := range paths {
				if len(p) > 1 && p[0] == m.key {
					deeper = append(deeper, p[1:])
				}
			}
			if len(deeper) > 0 {
				c.without(m.from, deeper)
			}
		case after:
			c.edits = append(c.edits, edit{members[i-1].to, m.to, ""})
		default:
			c.edits = append(c.edits, edit{m.start, members[i+1].start, ""})
		}
	}
}

func ends(paths [][]string, key string) bool {
	return slices.ContainsFunc(paths, func(p []string) bool { return len(p) == 1 && p[0] == key })
}

// members are those of the object at an offset; none if another value is there.
func (c *cleaner) members(at int) (list []member) {
	if c.text[at] != '{' {
		return nil
	}
	for at = c.blanks(at + 1); c.text[at] != '}'; at = c.next(at) {
		m := member{start: at}
		end := c.skip(at)
		json.Unmarshal(c.text[at:end], &m.key)
		m.from = c.blanks(c.blanks(end) + len(":"))
		m.to = c.skip(m.from)
		at = m.to
		list = append(list, m)
	}
	return list
}

// elements are where those of the list at an offset begin; none if another value is there.
func (c *cleaner) elements(at int) (list []int) {
	if c.text[at] != '[' {
		return nil
	}
	for at = c.blanks(at + 1); c.text[at] != ']'; at = c.next(c.skip(at)) {
		list = append(list, at)
	}
	return list
}

// next is where the next value begins behind one that ended at an offset, or where the list or object ends.
func (c *cleaner) next(at int) int {
	if at = c.blanks(at); c.text[at] == ',' {
		at = c.blanks(at + 1)
	}
	return at
}

// blanks is the first offset from at on that has none.
func (c *cleaner) blanks(at int) int {
	for at < len(c.text) && strings.IndexByte(" \t\r\n", c.text[at]) >= 0 {
		at++
	}
	return at
}

// skip is the end of the value at an offset.
func (c *cleaner) skip(at int) int {
	switch c.text[at] {
	case '"':
		for at++; c.text[at] != '"'; at++ {
			if c.text[at] == '\\' {
				at++
			}
		}
		return at + 1
	case '{', '[':
		depth := 0
		for {
			switch c.text[at] {
			case '"':
				at = c.skip(at)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return at + 1
				}
			}
			at++
		}
	}
	for at < len(c.text) && strings.IndexByte(" \t\r\n,]}", c.text[at]) < 0 {
		at++
	}
	return at
}
