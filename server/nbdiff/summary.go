package nbdiff

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nacre/server/nbformat"
)

const (
	mostOutputs = 5  // that a line names
	mostChanges = 5  // of metadata that a line names
	mostText    = 40 // characters of a value in a line
)

// outputsOf are a code cell's outputs.
func outputsOf(c nbformat.Cell) []any {
	list, _ := c["outputs"].([]any)
	return list
}

// summary names outputs in one line.
func summary(outputs []any) string {
	if len(outputs) == 0 {
		return "none"
	}
	var parts []string
	for _, v := range outputs[:min(len(outputs), mostOutputs)] {
		o, _ := v.(map[string]any)
		parts = append(parts, summaryOf(o))
	}
	if more := len(outputs) - mostOutputs; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, "; ")
}

func summaryOf(o map[string]any) string {
	switch o["output_type"] {
	case "stream":
		return sized(fmt.Sprint(o["name"]), fmt.Sprint(o["text"]))
	case "error":
		return cut(fmt.Sprintf("error %v: %v", o["ename"], o["evalue"]))
	case "execute_result", "display_data":
		data, _ := o["data"].(map[string]any)
		mime, ok := richest(data)
		if !ok {
			return "an empty display"
		}
		if text, ok := data[mime].(string); ok && mime == "text/plain" {
			if line := strings.TrimRight(text, "\n"); len(line) <= mostText && !strings.Contains(line, "\n") {
				return "result " + line
			}
			return sized("result", text)
		}
		return mime + ", " + size(mime, data[mime])
	}
	return cut(fmt.Sprintf("output of type %v", o["output_type"]))
}

// sized is a text of one kind, told by the number of its lines.
func sized(what, text string) string {
	n := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	if n == 1 {
		return what + ", 1 line"
	}
	return fmt.Sprintf("%s, %d lines", what, n)
}

// richest is the form of a display that clients show: not plain text if there is another.
func richest(data map[string]any) (mime string, ok bool) {
	rank := func(mime string) int {
		switch {
		case mime == "text/plain":
			return 3
		case strings.HasPrefix(mime, "text/"):
			return 2
		case strings.HasPrefix(mime, "image/"):
			return 0
		}
		return 1
	}
	for _, m := range slices.Sorted(maps.Keys(data)) {
		if !ok || rank(m) < rank(mime) {
			mime, ok = m, true
		}
	}
	return mime, ok
}

// size is how many bytes a form of a display has.
func size(mime string, v any) string {
	text, isText := v.(string)
	if !isText {
		text = nbformat.JSON(v, "")
	}
	n := len(text)
	if isBase64(mime) {
		n = base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(strings.ReplaceAll(text, "\n", ""), "=")))
	}
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

func isBase64(mime string) bool {
	kind, rest, _ := strings.Cut(mime, "/")
	return (kind == "image" && rest != "svg+xml") || kind == "audio" || kind == "video" || mime == "application/pdf"
}

// digest tells values apart that look alike in a line.
func digest(v any) string {
	sum := sha256.Sum256([]byte(nbformat.JSON(v, "")))
	return fmt.Sprintf("%x", sum[:4])
}

// wholeOutputs is the text of outputs, with a line before each that names it.
func wholeOutputs(outputs []any) string {
	var b strings.Builder
	add := func(head, text string) {
		fmt.Fprintf(&b, "[%s]\n", head)
		if text != "" {
			b.WriteString(strings.TrimSuffix(text, "\n") + "\n")
		}
	}
	for _, v := range outputs {
		o, _ := v.(map[string]any)
		switch o["output_type"] {
		case "stream":
			add(fmt.Sprint(o["name"]), fmt.Sprint(o["text"]))
		case "error":
			add(fmt.Sprintf("error %v", o["ename"]), fmt.Sprint(o["evalue"]))
		case "execute_result", "display_data":
			data, _ := o["data"].(map[string]any)
			for _, mime := range slices.Sorted(maps.Keys(data)) {
				text, isText := data[mime].(string)
				switch {
				case !isText:
					add(mime, nbformat.JSON(data[mime], " "))
				case isBase64(mime):
					add(mime+", "+size(mime, text)+", "+digest(text), "")
				default:
					add(mime, text)
				}
			}
		default:
			add("output", nbformat.JSON(v, " "))
		}
	}
	return b.String()
}

// others is what a cell has besides its text, outputs and count: its metadata and fields of formats to come.
func others(c nbformat.Cell) map[string]any {
	m := map[string]any{}
	if c == nil {
		return m
	}
	meta, isObject := c["metadata"].(map[string]any)
	if maps.Copy(m, meta); !isObject && c["metadata"] != nil {
		m["metadata"] = c["metadata"]
	}
	for key, v := range c {
		switch key {
		case "id", "cell_type", "source", "outputs", "execution_count", "metadata":
		default:
			m[key] = v
		}
	}
	return m
}

// changes names in one line what differs in two objects; it is empty if nothing does.
func changes(a, b map[string]any) string {
	list := differences("", a, b)
	if more := len(list) - mostChanges; more > 0 {
		list = append(list[:mostChanges], fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, "; ")
}

func differences(at string, a, b map[string]any) (list []string) {
	both := maps.Clone(a)
	maps.Copy(both, b)
	for _, key := range slices.Sorted(maps.Keys(both)) {
		was, before := a[key]
		is, after := b[key]
		old, isObject := was.(map[string]any)
		now, areObjects := is.(map[string]any)
		switch {
		case isObject && areObjects:
			list = append(list, differences(at+key+".", old, now)...)
		case before != after || nbformat.JSON(was, "") != nbformat.JSON(is, ""):
			from, to := value(was, before), value(is, after)
			if from == to {
				to = "other content"
			}
			list = append(list, fmt.Sprintf("%s %s → %s", at+key, from, to))
		}
	}
	return list
}

func value(v any, there bool) string {
	if !there {
		return "none"
	}
	return cut(nbformat.JSON(v, ""))
}

// cut shortens a text for a line.
func cut(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > mostText {
		return string(r[:mostText-1]) + "…"
	}
	return s
}
