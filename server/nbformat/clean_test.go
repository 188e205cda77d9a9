package nbformat

import (
	"strings"
	"testing"
)

// code4 is a code cell with what a run leaves in it.
const code4 = `{"cell_type":"code","execution_count":3,"id":"a","metadata":{"collapsed":false,"execution":{"a":"b"},` +
	`"tags":["x"],"trusted":true},"outputs":[{"data":{"text/plain":["3"]},"execution_count":3,"metadata":{},` +
	`"output_type":"execute_result"}],"source":["1 + 2"]}`

// Of every kind of file, however it is written, only what is to go is taken out: the rest is the same text.
func TestClean(t *testing.T) {
	cleaned := strings.NewReplacer(`"execution_count":3,"id"`, `"execution_count":null,"id"`,
		`"collapsed":false,"execution":{"a":"b"},`, ``, `,"trusted":true`, ``)
	emptied := strings.NewReplacer(`[{"data":{"text/plain":["3"]},"execution_count":3,"metadata":{},`+
		`"output_type":"execute_result"}]`, `[]`)
	uncounted := strings.NewReplacer(`"execution_count":3`, `"execution_count":null`)
	unmarked := strings.NewReplacer(`"collapsed":false,"execution":{"a":"b"},`, ``, `,"trusted":true`, ``)
	for what, test := range map[string]struct {
		Cleaning
		want string
	}{
		"all":          {Cleaning{}, emptied.Replace(cleaned.Replace(code4))},
		"with outputs": {Cleaning{KeepOutputs: true}, unmarked.Replace(uncounted.Replace(code4))},
		"with counts":  {Cleaning{KeepCounts: true}, unmarked.Replace(emptied.Replace(code4))},
		"with metadata": {Cleaning{KeepMetadata: true},
			strings.Replace(emptied.Replace(code4), `count":3`, `count":null`, 1)},
		"with everything": {Cleaning{true, true, true, nil}, code4},
		"without tags, one member": {Cleaning{true, true, true, []string{"cell.metadata.tags"}},
			strings.Replace(code4, `"tags":["x"],`, ``, 1)},
		"without all metadata": {Cleaning{true, true, false, []string{"cell.metadata.tags"}},
			strings.Replace(unmarked.Replace(code4), `{"tags":["x"]}`, `{}`, 1)},
		"deeper": {Cleaning{true, true, true, []string{"cell.metadata.execution.a"}},
			strings.Replace(code4, `{"a":"b"}`, `{}`, 1)},
	} {
		for form, write := range map[string]func(string) string{
			"canonical":       pretty,
			"one line":        func(s string) string { return s },
			"two spaces":      func(s string) string { return strings.ReplaceAll(pretty(s), "\n ", "\n  ") },
			"CRLF":            func(s string) string { return strings.ReplaceAll(pretty(s), "\n", "\r\n") },
			"byte order mark": func(s string) string { return byteOrderMark + strings.TrimSuffix(pretty(s), "\n") },
			"escapes":         func(s string) string { return strings.ReplaceAll(s, `"outputs"`, `"\u006futputs"`) },
		} {
			file, want := write(cells4(5, code4)), write(cells4(5, test.want))
			got, err := Clean([]byte(file), test.Cleaning)
			if err != nil || string(got) != want {
				t.Errorf("%s, %s: %v\n%s\nwant\n%s", what, form, err, got, want)
			}
			if again, err := Clean(got, test.Cleaning); err != nil || string(again) != want {
				t.Errorf("%s, %s, cleaned again: %v\n%s", what, form, err, again)
			}
		}
	}
}

// Files that have nothing to take out keep every byte, whatever they are.
func TestCleanKeeps(t *testing.T) {
	for what, text := range keeps {
		if strings.Contains(text, `"execution_count":1`) || strings.Contains(text, "hologram") ||
			what == "texts in lists" {
			continue
		}
		for _, text := range []string{text, pretty(text), doubled(pretty(text))} {
			if got, err := Clean([]byte(text), Cleaning{}); err != nil || string(got) != text {
				t.Errorf("%s: %v\n%s\nwant\n%s", what, err, got, text)
			}
		}
	}
	for what, text := range map[string]string{
		"empty": "", "blank": "\n", "kept by a tag": cells4(5, strings.Replace(strings.Replace(code4, `["x"]`,
			`["keep_output"]`, 1), `"collapsed":false,"execution":{"a":"b"},"tags":["keep_output"],"trusted":true`,
			`"tags":["keep_output"]`, 1)),
		"braces in texts": cells4(5, `{"cell_type":"raw","id":"a","metadata":{"x":"}]\"{["},"source":["\\\"]"]}`),
		"other lists":     `{"cells":[null,3,"x",[]],"metadata":[],"nbformat":4,"nbformat_minor":5}`,
		"odd cells": cells4(5, `{"cell_type":"code","execution_count":null,"metadata":7,"outputs":[ ]},{"cell_type":5,`+
			`"outputs":[1]}`),
	} {
		if got, err := Clean([]byte(text), Cleaning{}); err != nil || string(got) != text {
			t.Errorf("%s: %v\n%s\nwant\n%s", what, err, got, text)
		}
	}
}

func TestCleanRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"{": "it breaks off at its end", "\xff{}": "not UTF-8",
		`{"nbformat":3,"worksheets":[]}`: "it has format 3, expected 4",
		"<<<<<<< HEAD\n{}":               "line 1, column 1", `[]`: "not a notebook",
	} {
		if got, err := Clean([]byte(text), Cleaning{}); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q, %v, want %s", text, got, err, want)
		}
	}
	for _, path := range []string{"metadata", "cell.id", "metadata.", "cell.metadata.a..b", ""} {
		if err := (Cleaning{Drop: []string{path}}).Check(); err == nil {
			t.Errorf("%q is taken for a path", path)
		}
	}
	if err := (Cleaning{Drop: []string{"metadata.kernelspec", "cell.metadata.a.b"}}).Check(); err != nil {
		t.Error(err)
	}
}
