package nbformat

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"nacre/internal/bounded"
)

// written is a notebook as Jupyter's Python library (nbformat 5.10.4) writes it.
const written = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Title <&>\n",
    "text é"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 2,
   "id": "a-1",
   "metadata": {
    "tags": [
     "parameters"
    ]
   },
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "one\n",
      "two\n"
     ]
    },
    {
     "data": {
      "application/json": {
       "x": [
        1.0,
        12345678901234567890
       ]
      },
      "image/png": "aGk=\n",
      "text/plain": [
       "<Figure>"
      ]
     },
     "execution_count": 2,
     "metadata": {},
     "output_type": "execute_result"
    }
   ],
   "source": []
  }
 ],
 "metadata": {
  "kernelspec": {
   "display_name": "Go (Nacre)",
   "language": "go",
   "name": "nacre"
  }
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
`

func TestRoundTrip(t *testing.T) {
	nb, err := Parse([]byte(written))
	if err != nil {
		t.Fatal(err)
	}
	if err := nb.Validate(); err != nil {
		t.Error(err)
	}
	if c := nb.Cells()[0]; c.Source() != "# Title <&>\ntext é" || c.ID() != "intro" || c.Type() != "markdown" {
		t.Errorf("%v", c)
	}
	if !nb.Cell("a-1").Tagged("parameters") || nb.Cell("none") != nil {
		t.Error("cell a-1")
	}
	if got, err := nb.Marshal(); err != nil || string(got) != written {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestOldAndNewFormats(t *testing.T) {
	nb, err := Parse([]byte(`{"nbformat":4,"nbformat_minor":2,"metadata":{},"cells":[{"cell_type":"code","metadata":{},"source":"x","outputs":[],"execution_count":null},{"cell_type":"code","metadata":{},"source":"x","outputs":[],"execution_count":null}]}`))
	if err != nil || nb.Validate() != nil || nb.Minor() != 2 {
		t.Fatal(err, nb.Validate())
	}
	ids := []string{nb.Cells()[0].ID(), nb.Cells()[1].ID()}
	if ids[0] == ids[1] || len(ids[0]) != 8 {
		t.Error(ids)
	}
	again, _ := Parse([]byte(`{"nbformat":4,"nbformat_minor":2,"metadata":{},"cells":[{"cell_type":"code","metadata":{},"source":"x","outputs":[],"execution_count":null}]}`))
	if again.Cells()[0].ID() != ids[0] {
		t.Error("identifiers differ from one reading to the next")
	}
	for text, want := range map[string]string{
		"":                                     "the file is empty",
		"{\n \"cells\": [\n":                   "breaks off at its end, in line 3",
		"{\n \"cells\": [}\n":                  "line 2, column 12",
		"[1]":                                  "not a notebook",
		`{"a":1}`:                              "no nbformat number",
		`{"nbformat":1,"cells":[]}`:            "format 1 was never used",
		`{"nbformat":3,"worksheets":{}}`:       "its worksheets are no list",
		`{"nbformat":5,"cells":[]}`:            "format 5 is newer than format 4.5",
		`{"nbformat":4}`:                       "no list of cells",
		`{"nbformat":4,"cells":[]} {"more":1}`: "more text after the end",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	later, err := Parse([]byte(`{"nbformat":4,"nbformat_minor":9,"metadata":{},"cells":[],"news":1}`))
	if err != nil || later.Validate() != nil {
		t.Errorf("a later 4.x: %v", err)
	}
	if b, _ := later.Marshal(); !strings.Contains(string(b), `"news": 1`) ||
		!strings.Contains(string(b), `"nbformat_minor": 9`) {
		t.Errorf("%s", b)
	}
}

func TestValidate(t *testing.T) {
	code := func(more string) string {
		return `{"cell_type":"code","id":"a","metadata":{},"source":"","outputs":[],"execution_count":null` + more + `}`
	}
	for cell, want := range map[string]string{
		`5`: "not a JSON object", `{"cell_type":"heading"}`: `cell_type "heading"`,
		code(`,"id":"a b"`): "1 to 64 letters", code(`,"source":5`): "source",
		code(`,"extra":1`): `unexpected field "extra"`, code(`,"metadata":[]`): "metadata",
		code(`,"metadata":{"execution":{"ms":5}}`): "metadata.execution.ms",
		code(`,"metadata":{"tags":["a","a"]}`):     "metadata.tags",
		code(`,"metadata":{"collapsed":1}`):        "metadata.collapsed",
		code(`,"metadata":{"scrolled":"no"}`):      "metadata.scrolled",
		code(`,"execution_count":-1`):              "execution_count -1",
		code(`,"execution_count":"1"`):             "execution_count",
		code(`,"outputs":{}`): "outputs is not a " +
			"list",
		code(
			`,"outputs":[{"output_type":"pyout"}]`): `output_type "pyout"`,
		code(`,"outputs":[{"output_type":"stream","name":"stdout"}]`):                             "text",
		code(`,"outputs":[{"output_type":"display_data","data":{"text/plain":5},"metadata":{}}]`): "text/plain",
		code(`,"outputs":[{"output_type":"execute_result","data":{},"metadata":{}}]`): "execution_count " +
			"is missing",
		code(`,"outputs":[{"output_type":"error","ename":"a","evalue":"b","traceback":"c"}]`):      "traceback",
		code(`,"outputs":[{"output_type":"display_data","data":{},"metadata":{},"transient":{}}]`): "transient",
	} {
		nb, err := Parse([]byte(`{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[` + cell + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		if err := nb.Validate(); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "cell 1") {
			t.Errorf("%s: %v, want %q", cell, err, want)
		}
	}
}

func TestOutputs(t *testing.T) {
	var o Outputs
	apply := func(msgType, content string) bool { return o.Apply(msgType, json.RawMessage(content)) }
	stream := func(name, text string) {
		b, _ := json.Marshal(map[string]string{"name": name, "text": text})
		apply("stream", string(b))
	}
	texts := func() []string {
		var list []string
		for i := range o.List {
			b, _ := json.Marshal(o.List[i].JSON())
			list = append(list, string(b))
		}
		return list
	}
	stream("stdout", "a\nb")
	stream("stdout", "c\n")
	stream("stderr", "e")
	stream("stdout", "10%\r20%\r\nabc\b\bXY")
	apply("display_data", `{"data":{"text/plain":"one"},"metadata":{},"transient":{"display_id":"d"}}`)
	apply("error", `{"ename":"E","evalue":"v","traceback":["t"]}`)
	want := []string{
		`{"name":"stdout","output_type":"stream","text":"a\nbc\n"}`,
		`{"name":"stderr","output_type":"stream","text":"e"}`,
		`{"name":"stdout","output_type":"stream","text":"20%\naXY"}`,
		`{"data":{"text/plain":"one"},"metadata":{},"output_type":"display_data"}`,
		`{"ename":"E","evalue":"v","output_type":"error","traceback":["t"]}`,
	}
	if got := texts(); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	if !o.Update(json.RawMessage(`{"data":{"text/plain":"two"},"transient":{"display_id":"d"}}`)) ||
		o.List[3].Data["text/plain"] != "two" {
		t.Errorf("%v", o.List[3])
	}
	if apply("clear_output", `{"wait":true}`) || len(o.List) != 5 {
		t.Error("clear with wait waits for the next output")
	}
	stream("stdout", "new")
	if got := texts(); fmt.Sprint(got) != `[{"name":"stdout","output_type":"stream","text":"new"}]` {
		t.Error(got)
	}
	apply("clear_output", `{"wait":false}`)
	if len(o.List) != 0 {
		t.Error(texts())
	}
}

func TestTextIsBounded(t *testing.T) {
	var o Outputs
	chunk, _ := json.Marshal(map[string]string{"name": "stdout", "text": strings.Repeat("é\n", 1<<19)})
	for range 20 {
		o.Apply("stream", chunk)
	}
	text := o.List[0].Text()
	if len(text) < MaxText || len(text) > MaxText+len(CutNote) || !strings.HasSuffix(text, CutNote) {
		t.Errorf("%d bytes, ending %q", len(text), text[len(text)-50:])
	}
}

// What a kernel shows must not make a notebook that cannot be opened again.
func TestDeepOutput(t *testing.T) {
	data := func(depth int) json.RawMessage {
		return json.RawMessage(`{"data":{"application/json":` + strings.Repeat("[", depth) +
			strings.Repeat("]", depth) + `},"metadata":{}}`)
	}
	n := New("k", "K", "go")
	var o Outputs
	for _, depth := range []int{maxOutputDepth - 2, maxOutputDepth - 1, 9000} {
		if !o.Apply("display_data", data(depth)) {
			t.Fatal(depth)
		}
	}
	if len(o.List) != 2 || o.List[0].Type != "display_data" || o.List[1].Text() != DepthNote+DepthNote {
		t.Fatalf("%+v", o.List)
	}
	c := NewCode("a", "")
	c.SetOutputs(o.List, 1)
	n.Insert(0, c)
	b, err := n.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Parse(b); err != nil {
		t.Error(err)
	}
}

// What can be read can be written and read again, is then the same, and has not grown beyond what its nesting explains.
func FuzzParse(f *testing.F) {
	n := New("nacre", "Go", "go")
	c := NewCode("a", "x := 1\ny")
	var o Outputs
	o.Apply("stream", json.RawMessage(`{"name":"stdout","text":"10%\r20%\n"}`))
	o.Apply("display_data", json.RawMessage(`{"data":{"text/plain":"a\nb","application/json":{"k":[1,2.5e3]}},"metadata":{},"transient":{"display_id":"d"}}`))
	o.Apply("error", json.RawMessage(`{"ename":"E","evalue":"v","traceback":["a","b"]}`))
	c.SetOutputs(o.List, 3)
	n.Insert(0, c)
	whole, err := n.Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	for _, text := range []string{
		``, `{}`, `{"nbformat":4,"cells":[]}`,
		`{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[null,5,{},{"id":"a"},{"id":"a"}]}`,
		`{"nbformat":4,"nbformat_minor":0,"metadata":{},"cells":[{"cell_type":"code","source":["a\n","b"],"outputs":[{"output_type":"stream","text":["a",5]}]}]}`,
		`{"nbformat":4e99,"cells":[]}`, `{"nbformat":4,"cells":[{"cell_type":"markdown","attachments":{"a":{"image/png":["x","y"]}},"source":"\ud800"}]}`,
		`{"nbformat":4,"cells":[],"x":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		defer bounded.Input(t, len(b))()
		n, err := Parse(b)
		if err != nil {
			return
		}
		_ = n.Validate()
		once, err := n.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if len(once) > 4096+(2*MaxDepth+20)*len(b) {
			t.Errorf("%d bytes became %d", len(b), len(once))
		}
		again, err := Parse(once)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, once)
		}
		if twice, err := again.Marshal(); err != nil || string(twice) != string(once) {
			t.Errorf("written again: %v\n%s\nand first\n%s", err, twice, once)
		}
	})
}

func FuzzOutputs(f *testing.F) {
	f.Add("stream", []byte(`{"name":"stdout","text":"a\r\bb\n"}`))
	f.Add("display_data", []byte(`{"data":{"text/html":"x"},"transient":{"display_id":"d"}}`))
	f.Add("update_display_data", []byte(`{"data":{"text/html":5},"transient":{"display_id":"d"}}`))
	f.Add("error", []byte(`{"traceback":["x"]}`))
	f.Add("clear_output", []byte(`{"wait":true}`))
	f.Fuzz(func(t *testing.T, msgType string, raw []byte) {
		defer bounded.Input(t, len(raw))()
		var o Outputs
		o.Apply("display_data", json.RawMessage(`{"data":{"text/plain":"x"},"transient":{"display_id":"d"}}`))
		for range 2 {
			o.Apply(msgType, raw)
			o.Update(raw)
		}
		c := NewCode("a", "")
		c.SetOutputs(o.List, 1)
		n := New("k", "K", "go")
		n.Insert(0, c)
		b, err := n.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(b); err != nil {
			t.Errorf("%s %q made a notebook that cannot be read: %v", msgType, raw, err)
		}
	})
}

func TestLargeInputs(t *testing.T) {
	bounded.Large(t, func(b []byte) {
		if n, err := Parse(b); err == nil {
			_ = n.Validate()
			_, _ = n.Marshal()
		}
		var o Outputs
		o.Apply("stream", json.RawMessage(b))
		o.Apply("display_data", json.RawMessage(b))
	}, []byte(`{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"code","source":["a"],"outputs":[{"output_type":"stream","text":["a","b"]}]}]}`),
		[]byte(`{"name":"stdout","text":"a\r\bb\n"}`))
}
