package nbformat

import (
	"maps"
	"strings"
)

// join makes single strings of the multi-line texts of a file.
func (n *Notebook) join() {
	for _, c := range n.Cells() {
		joinKey(c, "source")
		for _, bundle := range objects(c["attachments"]) {
			joinBundle(bundle)
		}
		outputs, _ := c["outputs"].([]any)
		for _, o := range outputs {
			if o, ok := o.(map[string]any); ok {
				joinKey(o, "text")
				data, _ := o["data"].(map[string]any)
				joinBundle(data)
			}
		}
	}
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

// split is a copy of the notebook whose multi-line texts are lists of lines.
func (n *Notebook) split() map[string]any {
	doc := maps.Clone(n.doc)
	list, _ := doc["cells"].([]any)
	cells := make([]any, len(list))
	for i, c := range list {
		cells[i] = c
		if c, ok := c.(map[string]any); ok {
			cells[i] = splitCell(c)
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
	if outputs, ok := c["outputs"].([]any); ok {
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
	splitKey(o, "text")
	if data, ok := o["data"].(map[string]any); ok {
		o["data"] = splitBundle(data)
	}
	return o
}

func splitBundle(data map[string]any) map[string]any {
	data = maps.Clone(data)
	for mime := range data {
		if !isJSON(mime) && (strings.HasPrefix(mime, "text/") || mime == "application/javascript" ||
			mime == "image/svg+xml") {
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

func isJSON(mime string) bool {
	return mime == "application/json" || strings.HasSuffix(mime, "+json")
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
