package nbformat

import (
	"encoding/json"
	"fmt"
	"strings"
)

// olderKinds are names of format 3 for what a MIME type names in format 4.
var olderKinds = map[string]string{
	"text": "text/plain", "html": "text/html", "svg": "image/svg+xml", "png": "image/png", "jpeg": "image/jpeg",
	"latex": "text/latex", "json": "application/json", "javascript": "application/javascript",
}

// modernize makes format 4.5 of formats 2 and 3, as Jupyter's library does: worksheets become one list of cells,
// headings Markdown.
func (n *Notebook) modernize() error {
	cells := []any{}
	sheets, ok := n.doc["worksheets"].([]any)
	if !ok && n.doc["worksheets"] != nil {
		return fmt.Errorf("not a notebook of format %d: its worksheets are no list", n.major)
	}
	for _, sheet := range sheets {
		sheet, _ := sheet.(map[string]any)
		list, _ := sheet["cells"].([]any)
		for _, c := range list {
			if c, ok := c.(map[string]any); ok {
				modernizeCell(c)
			}
			cells = append(cells, c)
		}
	}
	delete(n.doc, "worksheets")
	delete(n.doc, "orig_nbformat")
	delete(n.doc, "orig_nbformat_minor")
	n.doc["cells"] = cells
	n.doc["nbformat"], n.doc["nbformat_minor"] = json.Number("4"), json.Number("5")
	delete(object(n.doc, "metadata"), "signature")
	return nil
}

func modernizeCell(c map[string]any) {
	object(c, "metadata")
	for _, key := range []string{"source", "input"} {
		joinOlder(c, key)
	}
	delete(c, "rendered")
	switch c["cell_type"] {
	case "code":
		move(c, "input", "source", "")
		move(c, "prompt_number", "execution_count", nil)
		delete(c, "language")
		if v, ok := c["collapsed"]; ok {
			object(c, "metadata")["collapsed"] = v
			delete(c, "collapsed")
		}
		outputs, _ := c["outputs"].([]any)
		if outputs == nil {
			outputs = []any{}
		}
		for _, o := range outputs {
			if o, ok := o.(map[string]any); ok {
				modernizeOutput(o)
			}
		}
		c["outputs"] = outputs
	case "heading":
		level, _ := integer(c["level"])
		text, _ := c["source"].(string)
		delete(c, "level")
		c["cell_type"] = "markdown"
		c["source"] = strings.Repeat("#", min(max(level, 1), 6)) + " " + strings.Join(strings.Fields(text), " ")
	case "html":
		c["cell_type"] = "markdown"
	}
	if c["source"] == nil {
		c["source"] = ""
	}
}

func modernizeOutput(o map[string]any) {
	for key := range olderKinds {
		joinOlder(o, key)
	}
	switch o["output_type"] {
	case "pyout", "display_data":
		if o["output_type"] == "pyout" {
			o["output_type"] = "execute_result"
			move(o, "prompt_number", "execution_count", nil)
		}
		data := map[string]any{}
		for key, v := range o {
			if key != "output_type" && key != "execution_count" && key != "metadata" {
				data[newerKind(key)] = v
				delete(o, key)
			}
		}
		if text, ok := data["application/json"].(string); ok {
			var v any
			dec := json.NewDecoder(strings.NewReader(text))
			dec.UseNumber()
			if dec.Decode(&v) == nil {
				data["application/json"] = v
			}
		}
		o["data"] = data
		meta := map[string]any{}
		for key, v := range object(o, "metadata") {
			meta[newerKind(key)] = v
		}
		o["metadata"] = meta
	case "pyerr":
		o["output_type"] = "error"
		move(o, "etype", "ename", "")
	case "stream":
		move(o, "stream", "name", "stdout")
		delete(o, "metadata")
	}
}

func newerKind(key string) string {
	if mime, ok := olderKinds[key]; ok {
		return mime
	}
	return key
}

// move renames a field of m. The argument from is the old name, and to is the new one. If m has neither field, move
// sets the new one to otherwise.
func move(m map[string]any, from, to string, otherwise any) {
	if v, ok := m[from]; ok {
		m[to] = v
		delete(m, from)
	} else if _, ok := m[to]; !ok {
		m[to] = otherwise
	}
}

// joinOlder joins lines, which formats 2 and 3 kept with their ends or without.
func joinOlder(m map[string]any, key string) {
	list, _ := m[key].([]any)
	text, ok := joined(m[key])
	if ok && len(list) > 0 {
		if first := list[0].(string); !strings.HasSuffix(first, "\n") && !strings.HasSuffix(first, "\r") {
			texts := make([]string, len(list))
			for i, line := range list {
				texts[i] = line.(string)
			}
			text = strings.Join(texts, "\n")
		}
	}
	if ok {
		m[key] = text
	}
}
