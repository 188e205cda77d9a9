// Package nbformat reads, checks and writes notebooks in Jupyter's format 4.5 (https://nbformat.readthedocs.io) and
// builds a cell's outputs from a kernel's messages. Fields it does not know are kept. Notebooks of formats 4.0 to 4.4
// become 4.5 when they are read; files are written byte for byte as Jupyter's own library writes them.
//
//	nb, err := nbformat.Parse(file)
//	for _, c := range nb.Cells() {
//		fmt.Println(c.ID(), c.Type(), c.Source())
//	}
//	file, err = nb.Marshal()
package nbformat

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Major and Minor are the version of the format that is written.
const (
	Major = 4
	Minor = 5
)

// Notebook is a notebook of format 4.5 or of a later 4.x, which only adds to it. Text is joined: sources and text
// outputs are single strings.
type Notebook struct{ doc map[string]any }

// Cell is one cell of a notebook, as its JSON object. Changing it changes the notebook.
type Cell map[string]any

// New returns an empty notebook for a kernel.
func New(kernelName, displayName, language string) *Notebook {
	return &Notebook{map[string]any{
		"nbformat": json.Number("4"), "nbformat_minor": json.Number("5"), "cells": []any{},
		"metadata": map[string]any{
			"kernelspec":    map[string]any{"name": kernelName, "display_name": displayName, "language": language},
			"language_info": map[string]any{"name": language},
		},
	}}
}

// MaxDepth is the largest depth to which lists and objects of a notebook may be nested. Every level indents a file's
// lines by one more space. Without a limit, 18 kB nested 9,000 deep are written as 81 MB.
const MaxDepth = 200

// Parse reads a notebook. It returns an error if file is not JSON, not a notebook, not of format 4, or nested deeper
// than MaxDepth. Validate finds other mistakes.
func Parse(b []byte) (*Notebook, error) {
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, fmt.Errorf("the file is empty, expected a notebook")
	}
	if d := depth(b); d > MaxDepth {
		return nil, fmt.Errorf("not a notebook that is opened here: it is nested %d deep, expected at most %d",
			d, MaxDepth)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var doc map[string]any
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("not a notebook: %w", position(b, err))
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("not a notebook: more text after the end of the JSON object, at byte %d",
			dec.InputOffset())
	}
	n := &Notebook{doc}
	if err := n.checkVersion(); err != nil {
		return nil, err
	}
	n.join()
	n.upgrade()
	return n, nil
}

// depth is how deep lists and objects lie in one another in a JSON text.
func depth(b []byte) int {
	deepest, now, inString := 0, 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

// position adds line and column to a syntax error.
func position(b []byte, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("it breaks off at its end, in line %d", bytes.Count(b, []byte("\n"))+1)
	}
	syntax, ok := err.(*json.SyntaxError)
	if !ok {
		return err
	}
	before := b[:min(int(syntax.Offset), len(b))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n') - 1
	return fmt.Errorf("line %d, column %d: %w", line, column, err)
}

func (n *Notebook) checkVersion() error {
	major, ok := integer(n.doc["nbformat"])
	switch {
	case !ok:
		return fmt.Errorf("not a notebook: it has no nbformat number")
	case major < Major:
		return fmt.Errorf("format %d is older than format 4: convert it with \"jupyter nbconvert --to notebook\"",
			major)
	case major > Major:
		return fmt.Errorf("format %d is newer than format %d.%d, the newest this program reads; it was left as it is",
			major, Major, Minor)
	}
	if _, ok := n.doc["cells"].([]any); !ok {
		return fmt.Errorf("not a notebook: it has no list of cells")
	}
	return nil
}

// Minor is the notebook's minor format number.
func (n *Notebook) Minor() int {
	minor, _ := integer(n.doc["nbformat_minor"])
	return minor
}

// Metadata is the notebook's own metadata.
func (n *Notebook) Metadata() map[string]any { return object(n.doc, "metadata") }

// Cells are the notebook's cells in order. Entries that are not JSON objects are left out.
func (n *Notebook) Cells() []Cell {
	list, _ := n.doc["cells"].([]any)
	cells := make([]Cell, 0, len(list))
	for _, c := range list {
		if c, ok := c.(map[string]any); ok {
			cells = append(cells, c)
		}
	}
	return cells
}

// Cell finds a cell by its identifier; nil if there is none.
func (n *Notebook) Cell(id string) Cell {
	for _, c := range n.Cells() {
		if c.ID() == id {
			return c
		}
	}
	return nil
}

// Insert puts a cell before the one at index i, or at the end.
func (n *Notebook) Insert(i int, c Cell) {
	list, _ := n.doc["cells"].([]any)
	i = max(0, min(i, len(list)))
	list = append(list[:i:i], append([]any{map[string]any(c)}, list[i:]...)...)
	n.doc["cells"] = list
}

// NewCode returns a code cell that has not been run.
func NewCode(id, source string) Cell {
	return Cell{
		"cell_type": "code", "id": id, "metadata": map[string]any{}, "source": source, "outputs": []any{},
		"execution_count": nil,
	}
}

// upgrade gives every cell its own identifier. The identifier depends only on the cell's place and text, so a file that
// is read twice before it is saved has the same identifiers.
func (n *Notebook) upgrade() {
	taken := map[string]bool{}
	for i, c := range n.Cells() {
		id := c.ID()
		if id == "" || taken[id] {
			id = identifier(i, c)
			for k := 0; taken[id]; k++ {
				id = identifier(i+k*100_003, c)
			}
			c["id"] = id
		}
		taken[id] = true
	}
	if n.Minor() < Minor {
		n.doc["nbformat_minor"] = json.Number(fmt.Sprint(Minor))
	}
}

func identifier(i int, c Cell) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %s", i, c.Type(), c.Source()))
	return hex.EncodeToString(sum[:4])
}

// ID is the cell's identifier.
func (c Cell) ID() string { s, _ := c["id"].(string); return s }

// Type is "code", "markdown" or "raw".
func (c Cell) Type() string { s, _ := c["cell_type"].(string); return s }

// Source is the cell's text.
func (c Cell) Source() string { s, _ := c["source"].(string); return s }

// Metadata is the cell's metadata.
func (c Cell) Metadata() map[string]any { return object(c, "metadata") }

// Tagged reports whether the cell has a tag.
func (c Cell) Tagged(tag string) bool {
	tags, _ := c.Metadata()["tags"].([]any)
	for _, t := range tags {
		if t == tag {
			return true
		}
	}
	return false
}

// HasOutputs reports whether the cell shows anything.
func (c Cell) HasOutputs() bool { list, _ := c["outputs"].([]any); return len(list) > 0 }

// Bundles are the MIME bundles of the cell's displays and results, in their order.
func (c Cell) Bundles() []map[string]any {
	var bundles []map[string]any
	outputs, _ := c["outputs"].([]any)
	for _, o := range outputs {
		o, _ := o.(map[string]any)
		if data, ok := o["data"].(map[string]any); ok {
			bundles = append(bundles, data)
		}
	}
	return bundles
}

// SetOutputs replaces a code cell's outputs and its execution count; a count of 0 is none.
func (c Cell) SetOutputs(list []Output, count int) {
	outputs := make([]any, len(list))
	for i, o := range list {
		outputs[i] = o.JSON()
	}
	c["outputs"], c["execution_count"] = outputs, nil
	if count > 0 {
		c["execution_count"] = count
	}
}

// SetExecution replaces the times of the last run in a code cell's metadata. Their keys are Jupyter's names of
// messages.
func (c Cell) SetExecution(times map[string]string) {
	execution := map[string]any{}
	for key, text := range times {
		execution[key] = text
	}
	c.Metadata()["execution"] = execution
}

// MarkDisplays adds the display ids of list to the cell as "transient", if list holds the cell's outputs. The ids are
// for a notebook that is sent to a browser; they are not written to the file.
func (c Cell) MarkDisplays(list []Output) {
	outputs, _ := c["outputs"].([]any)
	if len(outputs) != len(list) {
		return
	}
	for i, o := range outputs {
		if o, ok := o.(map[string]any); ok && list[i].DisplayID != "" && o["output_type"] == list[i].Type {
			o["transient"] = map[string]any{"display_id": list[i].DisplayID}
		}
	}
}

// Marshal is the notebook as a file, with sorted keys, indents of one space and text split into lines.
func (n *Notebook) Marshal() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(n.split())
	return b.Bytes(), err
}

// MarshalJSON is the notebook as server and browser exchange it, with joined text.
func (n *Notebook) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(n.doc)
	return b.Bytes(), err
}

// object returns the object at key of m, making one if there is none.
func object(m map[string]any, key string) map[string]any {
	o, ok := m[key].(map[string]any)
	if !ok {
		o = map[string]any{}
		m[key] = o
	}
	return o
}

func integer(v any) (int, bool) {
	switch v := v.(type) {
	case json.Number:
		i, err := v.Int64()
		return int(i), err == nil
	case int:
		return v, true
	}
	return 0, false
}

// lines splits text after every line break.
func lines(s string) []any {
	list := []any{}
	for line := range strings.Lines(s) {
		list = append(list, line)
	}
	return list
}
