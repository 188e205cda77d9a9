// Package nbformat reads, checks and writes notebooks in Jupyter's format 4 (https://nbformat.readthedocs.io) and
// builds a cell's outputs from a kernel's messages. A notebook that is read and written keeps what it has: fields it
// does not know, numbers as they are spelled, its minor format number, cells without identifiers, its mistakes.
// Formats 2 and 3 become 4.5. Files are written byte for byte as Jupyter's own library writes them.
//
//	nb, err := nbformat.Parse(file)
//	for _, c := range nb.Cells() {
//		fmt.Println(c.ID(), c.Type(), c.Source())
//	}
//	file, err = nb.Marshal()
package nbformat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// Major and Minor are the version of the format of new notebooks.
const (
	Major = 4
	Minor = 5
)

// Notebook is a notebook of format 4. Text is joined: sources and text outputs are single strings.
type Notebook struct {
	doc   map[string]any
	major int // the file's format
	made  map[string]any
	form  form
}

// form is how a file is written, apart from what it says.
type form struct {
	mark   bool // it begins with a byte order mark
	indent string
	open   bool // its last line does not end
}

// Cell is one cell of a notebook, as its JSON object. Changing it changes the notebook.
type Cell map[string]any

// New returns an empty notebook for a kernel.
func New(kernelName, displayName, language string) *Notebook {
	return &Notebook{major: Major, made: map[string]any{}, form: form{indent: " "}, doc: map[string]any{
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

// Parse reads a notebook. It returns an error if the file is not UTF-8 text, not JSON, not a notebook, newer than
// format 4, or nested deeper than MaxDepth. Problems finds other mistakes.
func Parse(b []byte) (*Notebook, error) { return ParseAgain(b, nil) }

// ParseAgain is Parse for a later version of a file. Cells without identifiers get those that they had when the file
// was read earlier.
func ParseAgain(b []byte, earlier IDs) (*Notebook, error) {
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, fmt.Errorf("the file is empty, expected a notebook")
	}
	if err := checkText(b); err != nil {
		return nil, err
	}
	f := formOf(b)
	b = bytes.TrimPrefix(b, []byte(byteOrderMark))
	if d := depth(b); d > MaxDepth {
		return nil, fmt.Errorf("not a notebook that is opened here: it is nested %d deep, expected at most %d",
			d, MaxDepth)
	}
	plain := escape(b)
	dec := json.NewDecoder(bytes.NewReader(plain))
	dec.UseNumber()
	var doc map[string]any
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("not a notebook: %w", position(plain, err))
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("not a notebook: more text after the end of the JSON object, in line %d",
			1+bytes.Count(plain[:dec.InputOffset()], []byte("\n")))
	}
	n := &Notebook{doc: doc, form: f}
	if err := n.checkVersion(); err != nil {
		return nil, err
	}
	n.join()
	n.identify(earlier)
	if n.major < Major {
		n.made = map[string]any{}
	}
	return n, nil
}

const byteOrderMark = "\ufeff"

// checkText refuses bytes that are not UTF-8: written again, they would be other bytes.
func checkText(b []byte) error {
	switch {
	case bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")):
		return fmt.Errorf("the text is UTF-16, expected UTF-8: convert it")
	case utf8.Valid(b):
		return nil
	}
	at := 0
	for at < len(b) {
		r, size := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	line, column := place(b, at)
	return fmt.Errorf("the text is not UTF-8: byte %02X in line %d, column %d, perhaps of Latin-1: convert it",
		b[at], line, column)
}

// place is the line and the column, in characters from 1, of a byte.
func place(b []byte, at int) (line, column int) {
	start := bytes.LastIndexByte(b[:at], '\n') + 1
	return bytes.Count(b[:at], []byte("\n")) + 1, utf8.RuneCount(b[start:at]) + 1
}

func formOf(b []byte) form {
	f := form{mark: bytes.HasPrefix(b, []byte(byteOrderMark)), open: !bytes.HasSuffix(b, []byte("\n"))}
	_, rest, found := bytes.Cut(b, []byte("\n"))
	if found {
		f.indent = string(rest[:len(rest)-len(bytes.TrimLeft(rest, " \t"))])
	}
	if f.indent == "" || len(f.indent) > 8 {
		f.indent = " "
	}
	return f
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
	line, column := place(b, max(0, min(int(syntax.Offset)-1, len(b))))
	return fmt.Errorf("line %d, column %d: %w", line, column, err)
}

func (n *Notebook) checkVersion() error {
	major, ok := integer(n.doc["nbformat"])
	switch {
	case !ok:
		return fmt.Errorf("not a notebook: it has no nbformat number")
	case major == 2 || major == 3:
		n.major = major
		return n.modernize()
	case major < 2:
		return fmt.Errorf("format %d was never used for files of this kind: expected 2, 3 or 4", major)
	case major > Major:
		return fmt.Errorf("format %d is newer than format %d.%d, the newest this program reads; it was left as it is",
			major, Major, Minor)
	}
	if _, ok := n.doc["cells"].([]any); !ok {
		return fmt.Errorf("not a notebook: it has no list of cells")
	}
	n.major = major
	return nil
}

// Major is the format of the file that was read. One before format 4 was converted.
func (n *Notebook) Major() int { return n.major }

// Minor is the notebook's minor format number.
func (n *Notebook) Minor() int {
	minor, _ := integer(n.doc["nbformat_minor"])
	return minor
}

// Metadata is the notebook's own metadata. If the notebook has none, Metadata adds an empty object.
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

// NewCode returns a code cell that has not been run.
func NewCode(id, source string) Cell {
	return Cell{
		"cell_type": "code", "id": id, "metadata": map[string]any{}, "source": source, "outputs": []any{},
		"execution_count": nil,
	}
}

// ID is the cell's identifier.
func (c Cell) ID() string { s, _ := c["id"].(string); return s }

// Type is "code", "markdown" or "raw".
func (c Cell) Type() string { s, _ := c["cell_type"].(string); return s }

// Source is the cell's text.
func (c Cell) Source() string { s, _ := c["source"].(string); return s }

// SetSource replaces the cell's text.
func (c Cell) SetSource(text string) { c["source"] = text }

// Metadata is the cell's metadata. A cell without metadata gets an empty object.
func (c Cell) Metadata() map[string]any { return object(c, "metadata") }

// Tagged reports whether the cell has a tag.
func (c Cell) Tagged(tag string) bool {
	meta, _ := c["metadata"].(map[string]any)
	tags, _ := meta["tags"].([]any)
	return slices.Contains(tags, any(tag))
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
// messages. Without times it removes those of an earlier run.
func (c Cell) SetExecution(times map[string]string) {
	if len(times) == 0 {
		if meta, ok := c["metadata"].(map[string]any); ok {
			delete(meta, "execution")
		}
		return
	}
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

// Marshal is the notebook as a file, with sorted keys, the indents of the file that was read and text split into lines.
func (n *Notebook) Marshal() ([]byte, error) {
	b, err := encode(n.split(), n.form.indent)
	if err != nil {
		return nil, err
	}
	b = unescape(b, true)
	if n.form.open {
		b = bytes.TrimSuffix(b, []byte("\n"))
	}
	if n.form.mark {
		b = append([]byte(byteOrderMark), b...)
	}
	return b, nil
}

// MarshalJSON is the notebook as server and browser exchange it, with joined text and an identifier for every cell.
func (n *Notebook) MarshalJSON() ([]byte, error) {
	b, err := encode(n.doc, "")
	return unescape(b, false), err
}

// JSON is a value of a notebook as its file has it, in one line if the indent is empty.
func JSON(v any, indent string) string {
	b, err := encode(v, indent)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(bytes.TrimSuffix(unescape(b, true), []byte("\n")))
}

func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	err := enc.Encode(v)
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
