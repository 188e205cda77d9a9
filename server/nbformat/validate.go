package nbformat

import (
	"fmt"
	"regexp"
)

var (
	idPattern  = regexp.MustCompile(`^[a-zA-Z0-9\-_]{1,64}$`)
	tagPattern = regexp.MustCompile(`^[^,]+$`)
	cellTypes  = map[string][]string{"code": {"execution_count", "outputs"}, "markdown": nil, "raw": nil}
	outputKeys = map[string][]string{
		"stream": {"name", "text"}, "display_data": {"data", "metadata"},
		"execute_result": {"data", "metadata", "execution_count"}, "error": {"ename", "evalue", "traceback"},
	}
)

// Validate checks the notebook against the rules of format 4.5. It returns the first mistake and names its cell.
func (n *Notebook) Validate() error {
	if _, ok := n.doc["metadata"].(map[string]any); !ok {
		return fmt.Errorf("the notebook's metadata is not a JSON object")
	}
	if n.Minor() == Minor {
		if err := onlyKeys(n.doc, "metadata", "nbformat", "nbformat_minor", "cells"); err != nil {
			return fmt.Errorf("the notebook: %w", err)
		}
	}
	list, _ := n.doc["cells"].([]any)
	seen := map[string]int{}
	for i, c := range list {
		c, ok := c.(map[string]any)
		if !ok {
			return fmt.Errorf("cell %d is not a JSON object", i+1)
		}
		if err := n.checkCell(Cell(c)); err != nil {
			return fmt.Errorf("cell %d: %w", i+1, err)
		}
		id := Cell(c).ID()
		if first, ok := seen[id]; ok {
			return fmt.Errorf("cell %d: its id %q is that of cell %d too", i+1, id, first)
		}
		seen[id] = i + 1
	}
	return nil
}

func (n *Notebook) checkCell(c Cell) error {
	own, ok := cellTypes[c.Type()]
	if !ok {
		return fmt.Errorf("cell_type %.40q: expected code, markdown or raw", c.Type())
	}
	if !idPattern.MatchString(c.ID()) {
		return fmt.Errorf("id %.80q: expected 1 to 64 letters, digits, - or _", c.ID())
	}
	if _, ok := c["source"].(string); !ok {
		return fmt.Errorf("source: expected text or a list of lines")
	}
	if n.Minor() == Minor {
		known := append([]string{"cell_type", "id", "metadata", "source"}, own...)
		if c.Type() != "code" {
			known = append(known, "attachments")
		}
		if err := onlyKeys(c, known...); err != nil {
			return err
		}
	}
	if err := checkCellMetadata(c); err != nil {
		return err
	}
	if c.Type() != "code" {
		return nil
	}
	return checkCode(c)
}

// checkCellMetadata checks a cell's metadata by the rules of the format. Values of "execution" must be texts, a
// frequent mistake.
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
			_, ok = v.([]any)
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
		ok := false
		for _, k := range known {
			ok = ok || k == key
		}
		if !ok {
			return fmt.Errorf("unexpected field %.40q", key)
		}
	}
	return nil
}

func isText(v any) bool { s, ok := v.(string); return ok && s != "" }

func isBool(v any) bool { _, ok := v.(bool); return ok }
