package nbformat

import (
	"maps"
	"strings"
	"unicode/utf8"
)

// join makes single strings of the multi-line texts of a file.
func (n *Notebook) join() {
	for _, c := range n.Cells() {
		joinKey(c, "source")
		for _, bundle := range objects(c["attachments"]) {
			joinBundle(bundle)
		}
		for _, o := range c.outputs() {
			if hasData(o) {
				data, _ := o["data"].(map[string]any)
				joinBundle(data)
			} else {
				joinKey(o, "text")
			}
		}
	}
}

// outputs are the outputs of a code cell that are JSON objects.
func (c Cell) outputs() []map[string]any {
	if c.Type() != "code" {
		return nil
	}
	list, _ := c["outputs"].([]any)
	var outputs []map[string]any
	for _, o := range list {
		if o, ok := o.(map[string]any); ok {
			outputs = append(outputs, o)
		}
	}
	return outputs
}

func hasData(o map[string]any) bool {
	return o["output_type"] == "display_data" || o["output_type"] == "execute_result"
}

func joinKey(m map[string]any, key string) {
	if s, ok := joined(m[key]); ok {
		m[key] = s
	}
}

func joinBundle(data map[string]any) {
	for mime := range data {
		if !isJSON(mime) {
			joinKey(data, mime)
		}
	}
}

// joined is a list of strings as one.
func joined(v any) (string, bool) {
	list, ok := v.([]any)
	if !ok {
		return "", false
	}
	var b strings.Builder
	for _, line := range list {
		s, ok := line.(string)
		if !ok {
			return "", false
		}
		b.WriteString(s)
	}
	return b.String(), true
}

// split is a copy of the notebook as its file has it: multi-line texts are lists of lines.
func (n *Notebook) split() map[string]any {
	doc := maps.Clone(n.doc)
	list, _ := doc["cells"].([]any)
	cells := make([]any, len(list))
	for i, c := range list {
		cells[i] = c
		if c, ok := c.(map[string]any); ok {
			copied := splitCell(c)
			n.asInFile(copied)
			cells[i] = copied
		}
	}
	doc["cells"] = cells
	return doc
}

func splitCell(c map[string]any) map[string]any {
	c = maps.Clone(c)
	splitKey(c, "source")
	if attached, ok := c["attachments"].(map[string]any); ok {
		attached = maps.Clone(attached)
		for name, bundle := range attached {
			if bundle, ok := bundle.(map[string]any); ok {
				attached[name] = splitBundle(bundle)
			}
		}
		c["attachments"] = attached
	}
	if outputs, ok := c["outputs"].([]any); ok && c["cell_type"] == "code" {
		copied := make([]any, len(outputs))
		for i, o := range outputs {
			copied[i] = o
			if o, ok := o.(map[string]any); ok {
				copied[i] = splitOutput(o)
			}
		}
		c["outputs"] = copied
	}
	return c
}

func splitOutput(o map[string]any) map[string]any {
	o = maps.Clone(o)
	if o["output_type"] == "stream" {
		splitKey(o, "text")
	}
	if data, ok := o["data"].(map[string]any); ok && hasData(o) {
		o["data"] = splitBundle(data)
	}
	return o
}

func splitBundle(data map[string]any) map[string]any {
	data = maps.Clone(data)
	for mime := range data {
		if strings.HasPrefix(mime, "text/") || mime == "application/javascript" || mime == "image/svg+xml" {
			splitKey(data, mime)
		}
	}
	return data
}

func splitKey(m map[string]any, key string) {
	if s, ok := m[key].(string); ok {
		m[key] = lines(s)
	}
}

// lines splits text where Python's splitlines does, which is what Jupyter's library uses.
func lines(s string) []any {
	list := []any{}
	start := 0
	for i, r := range s {
		switch r {
		case '\r':
			if strings.HasPrefix(s[i+1:], "\n") {
				continue
			}
		case '\n', '\v', '\f', '\x1c', '\x1d', '\x1e', '\u0085', '\u2028', '\u2029':
		default:
			continue
		}
		end := i + utf8.RuneLen(r)
		list = append(list, s[start:end])
		start = end
	}
	if start < len(s) {
		list = append(list, s[start:])
	}
	return list
}

// isJSON reports whether data of a MIME type are any JSON; those of others are text.
func isJSON(mime string) bool {
	return strings.HasPrefix(mime, "application/") && (mime == "application/json" || strings.HasSuffix(mime, "+json"))
}

// objects are the values of a JSON object that are objects themselves.
func objects(v any) []map[string]any {
	m, _ := v.(map[string]any)
	var list []map[string]any
	for _, v := range m {
		if v, ok := v.(map[string]any); ok {
			list = append(list, v)
		}
	}
	return list
}
