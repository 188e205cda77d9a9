package nbformat

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
)

// Output is one output of a code cell.
type Output struct {
	Type      string         // "stream", "display_data", "execute_result" or "error"
	Name      string         // name of a stream: "stdout" or "stderr"
	Data      map[string]any // MIME bundle of a display or a result
	Metadata  map[string]any
	Count     int // execution count of a result
	EName     string
	EValue    string
	Traceback []string
	DisplayID string // display id under which it can be updated; not part of the file

	text terminal // text of a stream
}

// Text returns what a stream shows.
func (o *Output) Text() string { return o.text.String() }

// JSON is the output in the notebook format.
func (o *Output) JSON() map[string]any {
	switch o.Type {
	case "stream":
		return map[string]any{"output_type": "stream", "name": o.Name, "text": o.text.String()}
	case "error":
		trace := make([]any, len(o.Traceback))
		for i, line := range o.Traceback {
			trace[i] = line
		}
		return map[string]any{"output_type": "error", "ename": o.EName, "evalue": o.EValue, "traceback": trace}
	}
	m := map[string]any{"output_type": o.Type, "data": maps.Clone(o.Data), "metadata": orEmpty(o.Metadata)}
	if o.Type == "execute_result" {
		m["execution_count"] = nil
		if o.Count > 0 {
			m["execution_count"] = o.Count
		}
	}
	return m
}

// MaxText is the number of bytes of stream text that are kept of one cell.
const MaxText = 10 << 20

// CutNote ends the text of a cell that wrote more than MaxText.
const CutNote = "\n[the rest of this cell's text is not kept: it is more than 10 MiB]\n"

// maxOutputDepth leaves room for what is around an output's data in a notebook: the cells, the cell, its outputs, one
// output.
const maxOutputDepth = MaxDepth - 8

// DepthNote replaces an output whose data are nested so deep that a notebook with this output could not be opened
// again.
const DepthNote = "[an output is not kept: its data are nested deeper than 192 levels]\n"

// Outputs are the outputs of one cell, built from a kernel's messages.
type Outputs struct {
	List  []Output
	text  int  // bytes of streams taken in
	cut   bool // the text's limit was met
	clear bool // the next output replaces the others
}

// content holds what the messages that show something have in common.
type content struct {
	Name      string         `json:"name"`
	Text      string         `json:"text"`
	Data      map[string]any `json:"data"`
	Metadata  map[string]any `json:"metadata"`
	Count     int            `json:"execution_count"`
	EName     string         `json:"ename"`
	EValue    string         `json:"evalue"`
	Traceback []string       `json:"traceback"`
	Wait      bool           `json:"wait"`
	Transient struct {
		DisplayID string `json:"display_id"`
	} `json:"transient"`
}

// Apply adds one message by its type and content. It reports whether the outputs changed. Updates of displays also
// concern other cells; see Update.
func (o *Outputs) Apply(msgType string, raw json.RawMessage) bool {
	var c content
	switch msgType {
	case "stream", "display_data", "execute_result", "error", "clear_output":
		if depth(raw) > maxOutputDepth {
			return o.stream("stderr", DepthNote)
		}
		if decode(raw, &c) != nil {
			return false
		}
	default:
		return false
	}
	if msgType == "clear_output" {
		o.clear = c.Wait
		if !c.Wait {
			o.reset()
		}
		return !c.Wait
	}
	if o.clear {
		o.reset()
	}
	switch msgType {
	case "stream":
		return o.stream(c.Name, c.Text)
	case "error":
		o.List = append(o.List, Output{Type: "error", EName: c.EName, EValue: c.EValue, Traceback: c.Traceback})
	default:
		o.List = append(o.List, Output{
			Type: msgType, Data: orEmpty(c.Data), Metadata: orEmpty(c.Metadata), Count: c.Count,
			DisplayID: c.Transient.DisplayID,
		})
	}
	return true
}

// decode reads a message's content, with numbers as they were written.
func decode(raw json.RawMessage, c *content) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return dec.Decode(c)
}

func (o *Outputs) reset() { *o = Outputs{} }

func (o *Outputs) stream(name, text string) bool {
	if o.cut || text == "" {
		return false
	}
	o.text += len(text)
	if o.text > MaxText {
		o.cut = true
		text = text[:max(0, len(text)-(o.text-MaxText))]
		text = strings.ToValidUTF8(text, "") + CutNote
	}
	if n := len(o.List); n == 0 || o.List[n-1].Type != "stream" || o.List[n-1].Name != name {
		o.List = append(o.List, Output{Type: "stream", Name: name})
	}
	o.List[len(o.List)-1].text.write(text)
	return true
}

// Update applies an update_display_data message: it replaces all outputs with the message's display id. It reports
// whether there were any.
func (o *Outputs) Update(raw json.RawMessage) bool {
	var c content
	if depth(raw) > maxOutputDepth || decode(raw, &c) != nil || c.Transient.DisplayID == "" {
		return false
	}
	found := false
	for i := range o.List {
		if o.List[i].DisplayID == c.Transient.DisplayID {
			o.List[i].Data, o.List[i].Metadata = orEmpty(c.Data), orEmpty(c.Metadata)
			found = true
		}
	}
	return found
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// terminal is text in which carriage returns and backspaces move back and what follows overwrites.
type terminal struct {
	done   []byte // the lines before the last
	line   []rune // the last line
	column int
}

func (t *terminal) write(s string) {
	for line := range strings.Lines(s) {
		if len(t.line) == 0 && strings.HasSuffix(line, "\n") && !strings.ContainsAny(line, "\r\b") {
			t.done = append(t.done, line...) // the usual case, without a detour
			continue
		}
		for _, r := range line {
			t.put(r)
		}
	}
}

func (t *terminal) put(r rune) {
	switch {
	case r == '\n':
		t.done = append(append(t.done, string(t.line)...), '\n')
		t.line, t.column = t.line[:0], 0
	case r == '\r':
		t.column = 0
	case r == '\b':
		t.column = max(0, t.column-1)
	case t.column < len(t.line):
		t.line[t.column] = r
		t.column++
	default:
		t.line = append(t.line, r)
		t.column++
	}
}

func (t *terminal) String() string { return string(t.done) + string(t.line) }
