package nbformat

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

var (
	idPattern  = regexp.MustCompile(`^[a-zA-Z0-9\-_]{1,64}$`)
	tagPattern = regexp.MustCompile(`^[^,]+$`)
	cellTypes  = map[string][]string{"code": {"execution_count", "outputs"},
		"markdown": {"attachments"}, "raw": {"attachments"}}
	outputKeys = map[string][]string{
		"stream": {"name", "text"}, "display_data": {"data", "metadata"},
		"execute_result": {"data", "metadata", "execution_count"}, "error": {"ename", "evalue", "traceback"},
	}
)

// Validate returns the first of the notebook's problems.
func (n *Notebook) Validate() error {
	if list := n.Problems(); len(list) > 0 {
		return errors.New(list[0])
	}
	return nil
}

// Problems lists what in the file breaks the rules of its format: at most one sentence for each cell, which names the
// cell.
func (n *Notebook) Problems() []string {
	var list []string
	add := func(err error, format string, args ...any) {
		if err != nil {
			list = append(list, fmt.Sprintf(format, args...)+err.Error())
		}
	}
	if n.form.mark {
		list = append(list, "the file begins with a byte order mark, which JSON does not have")
	}
	add(n.checkNotebook(), "the notebook: ")
	cells, _ := n.doc["cells"].([]any)
	ids := map[string]int{}
	for i, v := range cells {
		c, ok := v.(map[string]any)
		if !ok {
			add(errors.New("it is not a JSON object"), "cell %d: ", i+1)
			continue
		}
		err := n.checkCell(c)
		if err == nil {
			err = n.checkID(c, ids)
		}
		add(err, "cell %d: ", i+1)
		ids[Cell(c).ID()] = i + 1
	}
	return list
}

func (n *Notebook) checkNotebook() error {
	meta, ok := n.doc["metadata"].(map[string]any)
	if !ok {
		return fmt.Errorf("metadata is not a JSON object")
	}
	if minor, ok := integer(n.doc["nbformat_minor"]); !ok || minor < 0 {
		return fmt.Errorf("nbformat_minor: expected a whole number from 0")
	}
	if n.Minor() <= Minor {
		if err := onlyKeys(n.doc, "metadata", "nbformat", "nbformat_minor", "cells"); err != nil {
			return err
		}
	}
	for key, needed := range map[string][]string{"kernelspec": {"name", "display_name"}, "language_info": {"name"}} {
		v, ok := meta[key]
		if !ok {
			continue
		}
		o, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf("metadata.%s is not a JSON object", key)
		}
		for _, field := range needed {
			if _, ok := o[field].(string); !ok {
				return fmt.Errorf("metadata.%s.%s: expected text", key, field)
			}
		}
	}
	return nil
}

// checkID checks the identifier that the cell has in the file; ids are those before it.
func (n *Notebook) checkID(c Cell, ids map[string]int) error {
	was, made := n.made[c.ID()]
	switch {
	case !n.hasIDs() && (!made || was != absent{}):
		return fmt.Errorf("id: cells have ids from format 4.5 on, and this is 4.%d", n.Minor())
	case !n.hasIDs() || !made:
		return nil
	case was == absent{}:
		return fmt.Errorf("id is missing")
	}
	if text, ok := was.(string); ok && ids[text] > 0 {
		return fmt.Errorf("its id %q is that of cell %d too", text, ids[text])
	}
	return fmt.Errorf("id %.80q: expected 1 to 64 letters, digits, - or _", was)
}

func (n *Notebook) checkCell(c Cell) error {
	own, ok := cellTypes[c.Type()]
	if !ok {
		return fmt.Errorf("cell_type %.40q: expected code, markdown or raw", c.Type())
	}
	if _, ok := c["source"].(string); !ok {
		return fmt.Errorf("source: expected text or a list of lines")
	}
	if n.Minor() <= Minor {
		if err := onlyKeys(c, append([]string{"cell_type", "id", "metadata", "source"}, own...)...); err != nil {
			return err
		}
	}
	if err := checkAttachments(c); err != nil {
		return err
	}
	if err := checkCellMetadata(c); err != nil {
		return err
	}
	if c.Type() != "code" {
		return nil
	}
	return checkCode(c)
}

func checkAttachments(c Cell) error {
	v, ok := c["attachments"]
	if !ok {
		return nil
	}
	attached, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("attachments is not a JSON object")
	}
	for name, bundle := range attached {
		if err := checkBundle(bundle); err != nil {
			return fmt.Errorf("attachment %.40q: %w", name, err)
		}
	}
	return nil
}

// checkCellMetadata checks what the format says of a cell's metadata. Values of "execution" are texts, which is easily
// got wrong.
func checkCellMetadata(c Cell) error {
	meta, ok := c["metadata"].(map[string]any)
	if !ok {
		return fmt.Errorf("metadata is not a JSON object")
	}
	if v, ok := meta["execution"]; ok {
		execution, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf("metadata.execution is not a JSON object")
		}
		for key, value := range execution {
			if _, ok := value.(string); !ok {
				return fmt.Errorf("metadata.execution.%.40s: expected text", key)
			}
		}
	}
	if v, ok := meta["tags"]; ok {
		tags, ok := v.([]any)
		if !ok {
			return fmt.Errorf("metadata.tags is not a list")
		}
		seen := map[string]bool{}
		for _, v := range tags {
			tag, ok := v.(string)
			if !ok || !tagPattern.MatchString(tag) || seen[tag] {
				return fmt.Errorf("metadata.tags: %v: expected different texts without commas", v)
			}
			seen[tag] = true
		}
	}
	if v, ok := meta["jupyter"]; ok {
		hidden, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf("metadata.jupyter is not a JSON object")
		}
		for _, key := range []string{"source_hidden", "outputs_hidden"} {
			if v, ok := hidden[key]; ok && !isBool(v) {
				return fmt.Errorf("metadata.jupyter.%s: %v: expected true or false", key, v)
			}
		}
	}
	if name, ok := meta["name"]; ok && !isText(name) {
		return fmt.Errorf("metadata.name: %v: expected text", name)
	}
	if v, ok := meta["collapsed"]; ok && !isBool(v) {
		return fmt.Errorf("metadata.collapsed: %v: expected true or false", v)
	}
	if v, ok := meta["scrolled"]; ok && !isBool(v) && v != "auto" {
		return fmt.Errorf("metadata.scrolled: %v: expected true, false or \"auto\"", v)
	}
	return nil
}

func checkCode(c Cell) error {
	if err := checkCount(c); err != nil {
		return err
	}
	outputs, ok := c["outputs"].([]any)
	if !ok {
		return fmt.Errorf("outputs is not a list")
	}
	for i, v := range outputs {
		o, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf("output %d is not a JSON object", i+1)
		}
		if err := checkOutput(o); err != nil {
			return fmt.Errorf("output %d: %w", i+1, err)
		}
	}
	return nil
}

func checkOutput(o map[string]any) error {
	kind, _ := o["output_type"].(string)
	keys, ok := outputKeys[kind]
	if !ok {
		return fmt.Errorf("output_type %.40q: expected stream, display_data, execute_result or error", kind)
	}
	if err := onlyKeys(o, append([]string{"output_type"}, keys...)...); err != nil {
		return err
	}
	for _, key := range keys {
		v := o[key]
		ok := true
		switch key {
		case "name", "text", "ename", "evalue":
			_, ok = v.(string)
		case "metadata":
			_, ok = v.(map[string]any)
		case "data":
			if err := checkBundle(v); err != nil {
				return err
			}
		case "traceback":
			ok = isTexts(v)
		case "execution_count":
			if err := checkCount(o); err != nil {
				return err
			}
		}
		if !ok {
			return fmt.Errorf("%s of a %s output is missing or of the wrong kind", key, kind)
		}
	}
	return nil
}

func checkBundle(v any) error {
	data, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("data is not a JSON object")
	}
	for mime, v := range data {
		if _, text := v.(string); !text && !isJSON(mime) {
			return fmt.Errorf("data of %.60s: expected text", mime)
		}
	}
	return nil
}

func checkCount(m map[string]any) error {
	v, ok := m["execution_count"]
	if !ok {
		return fmt.Errorf("execution_count is missing")
	}
	if n, isInt := integer(v); v != nil && (!isInt || n < 0) {
		return fmt.Errorf("execution_count %v: expected a whole number from 0, or null", v)
	}
	return nil
}

// onlyKeys refuses keys that the format does not know.
func onlyKeys(m map[string]any, known ...string) error {
	for key := range m {
		if !slices.Contains(known, key) {
			return fmt.Errorf("unexpected field %.40q", key)
		}
	}
	return nil
}

func isText(v any) bool { s, ok := v.(string); return ok && s != "" }

func isTexts(v any) bool {
	list, ok := v.([]any)
	for _, v := range list {
		if _, text := v.(string); !text {
			return false
		}
	}
	return ok
}

func isBool(v any) bool { _, ok := v.(bool); return ok }
