package contents

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/server/nbformat"
)

// edited is what a page sends of a notebook after it has replaced old by new in it.
func edited(t *testing.T, s *Store, p, old, new string) Save {
	t.Helper()
	m, err := s.Get(p, GetOptions{Content: true})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(m.Content)
	if err != nil {
		t.Fatal(err)
	}
	return Save{Type: "notebook", Content: json.RawMessage(strings.Replace(string(b), old, new, 1)), Hash: *m.Hash}
}

func put(t *testing.T, s *Store, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.Dir(), name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func textOf(t *testing.T, s *Store, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.Dir(), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A save without a change leaves the bytes alone, however the file is written.
func TestUnchangedFile(t *testing.T) {
	s := open(t)
	for what, text := range map[string]string{
		"one line": `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[]}`,
		"keys in any order": `{
   "nbformat": 4, "cells": [{"source": "a\nb", "metadata": {}, "cell_type": "markdown"}],
"metadata":{}, "nbformat_minor":2}

`,
		"escapes":   `{"nbformat":4,"nbformat_minor":5,"metadata":{"x":"\u00e9\/"},"cells":[]}`,
		"equal ids": `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"id":"a","cell_type":"raw","metadata":{},"source":""},{"id":"a","cell_type":"raw","metadata":{},"source":""}]}`,
		"Windows' line ends": strings.ReplaceAll(`{
 "nbformat":4,
 "nbformat_minor":5, "metadata":{}, "cells":[]
}
`, "\n", "\r\n"),
		"format 3":          `{"nbformat":3,"nbformat_minor":0,"metadata":{},"worksheets":[{"cells":[{"cell_type":"code","input":"x","outputs":[]}]}]}`,
		"a byte order mark": "\ufeff" + `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[]}`,
	} {
		put(t, s, "a.ipynb", text)
		if _, _, err := s.Save("a.ipynb", edited(t, s, "a.ipynb", "", "")); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if got := textOf(t, s, "a.ipynb"); got != text {
			t.Errorf("%s: %q", what, got)
		}
	}
}

// A notebook of format 3 becomes one of format 4 only when the user has agreed; what a kernel shows does not convert it
// either, and under another name it is saved at once.
func TestConversionIsAsked(t *testing.T) {
	s := open(t)
	const old = `{"nbformat":3,"nbformat_minor":0,"metadata":{},"worksheets":[{"cells":[{"cell_type":"code","input":"x","outputs":[]}]}]}`
	put(t, s, "a.ipynb", old)
	m, err := s.Get("a.ipynb", GetOptions{Content: true})
	if err != nil || m.ConvertedFrom != 3 || m.Problems != nil {
		t.Fatalf("%+v, %v", m, err)
	}
	save := edited(t, s, "a.ipynb", `"source":"x"`, `"source":"y"`)
	var refused *Error
	if _, _, err := s.Save("a.ipynb", save); !errors.As(err, &refused) || refused.Status != http.StatusConflict ||
		refused.Reason != "convert" || !strings.Contains(refused.Message, "format 3") {
		t.Errorf("%v", err)
	}
	err = s.Update("a.ipynb", func(nb *nbformat.Notebook) bool {
		nb.Cells()[0].SetOutputs(nil, 1)
		return true
	})
	if err == nil || textOf(t, s, "a.ipynb") != old {
		t.Errorf("outputs: %v; the file is\n%s", err, textOf(t, s, "a.ipynb"))
	}
	if _, _, err := s.Save("b.ipynb", Save{Type: "notebook", Content: save.Content}); err != nil {
		t.Error(err)
	}
	save.Repair = true
	if m, _, err := s.Save("a.ipynb", save); err != nil || m.Problems != nil {
		t.Errorf("%+v, %v", m, err)
	}
	for _, name := range []string{"a.ipynb", "b.ipynb"} {
		if got := textOf(t, s, name); !strings.Contains(got, `"y"`) || !strings.Contains(got, `"nbformat": 4`) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// What is wrong with a file is said when it is opened and saved, and stays until the user agrees to a repair.
func TestRepairIsAsked(t *testing.T) {
	s := open(t)
	put(t, s, "a.ipynb", `{"nbformat":4,"nbformat_minor":5,"cells":[{"id":"a:b","cell_type":"markdown","metadata":{},"source":"x"},{"id":"c","cell_type":"raw","source":null}]}`)
	m, err := s.Get("a.ipynb", GetOptions{Content: true})
	if err != nil || len(m.Problems) != 3 || !strings.Contains(m.Message, m.Problems[0]) {
		t.Fatalf("%+v, %v", m, err)
	}
	m, _, err = s.Save("a.ipynb", edited(t, s, "a.ipynb", `"source":"x"`, `"source":"y"`))
	got := textOf(t, s, "a.ipynb")
	if err != nil || len(m.Problems) != 3 || !strings.Contains(got, `"a:b"`) ||
		!strings.Contains(got, `"source": null`) ||
		strings.Count(got, `"metadata"`) != 1 || !strings.Contains(got, `"y"`) {
		t.Errorf("%+v, %v\n%s", m, err, got)
	}
	save := edited(t, s, "a.ipynb", "", "")
	save.Repair = true
	m, _, err = s.Save("a.ipynb", save)
	if err != nil || m.Problems != nil || len(m.Repaired) != 4 {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err = s.Get("a.ipynb", GetOptions{Content: true}); err != nil || m.Problems != nil {
		t.Errorf("%+v, %v", m, err)
	}
}

// The identifiers that a page was told stay those of the cells of a file without, after a save and under another name:
// what runs in them finds them again.
func TestIDsOfAFileWithout(t *testing.T) {
	s := open(t)
	put(t, s, "a.ipynb", `{"nbformat":4,"nbformat_minor":4,"metadata":{},"cells":[{"cell_type":"code","execution_count":null,"outputs":[],"metadata":{},"source":"x"}]}`)
	save := edited(t, s, "a.ipynb", `"cells":[`, `"cells":[{"cell_type":"markdown","id":"mine","metadata":{},"source":"new"},`)
	content, err := nbformat.Parse(save.Content)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Save("a.ipynb", save); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Rename("a.ipynb", "b.ipynb"); err != nil {
		t.Fatal(err)
	}
	err = s.Update("b.ipynb", func(nb *nbformat.Notebook) bool {
		for i, c := range nb.Cells() {
			if c.ID() != content.Cells()[i].ID() {
				t.Errorf("cell %d is %s, and was %s", i, c.ID(), content.Cells()[i].ID())
			}
		}
		nb.Cells()[1].SetOutputs(nil, 7)
		return true
	})
	if got := textOf(t, s, "b.ipynb"); err != nil || strings.Contains(got, `"id"`) ||
		!strings.Contains(got, `"nbformat_minor": 4`) || !strings.Contains(got, `"execution_count": 7`) {
		t.Errorf("%v\n%s", err, got)
	}
}

// Bytes that are not UTF-8 are never read as if they were, so that no save can change them.
func TestOtherEncodings(t *testing.T) {
	s := open(t)
	const text = `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"id":"a","cell_type":"raw","metadata":{},"source":"caf?"}]}`
	for name, b := range map[string]string{
		"latin1": strings.Replace(text, "?", "\xe9", 1), "windows": strings.Replace(text, "?", "\x80", 1),
		"cut": strings.Replace(text, "?", "\xc3", 1), "surrogate": strings.Replace(text, "?", "\xed\xa0\x80", 1),
		"utf16": "\xff\xfe" + strings.Join(strings.Split(text, ""), "\x00") + "\x00",
	} {
		put(t, s, "a.ipynb", b)
		_, err := s.Get("a.ipynb", GetOptions{Content: true})
		if err == nil || !strings.Contains(err.Error(), "convert it") {
			t.Errorf("%s: %v", name, err)
		}
		err = s.Update("a.ipynb", func(*nbformat.Notebook) bool { return true })
		if err == nil || textOf(t, s, "a.ipynb") != b {
			t.Errorf("%s was changed: %v", name, err)
		}
		if m, err := s.Get("a.ipynb", GetOptions{Content: true, Type: "file"}); err != nil || *m.Format != "base64" {
			t.Errorf("%s as a file: %v", name, err)
		}
	}
}
