package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/x.ipynb", "a/deep/y.ipynb", "a/z.txt", "b/w.ipynb", "top.ipynb"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := []group{{"a", []string{"a/deep/y.ipynb", "a/x.ipynb"}}, {"b", []string{"b/w.ipynb"}},
		{".", []string{"top.ipynb"}}}
	if got, err := find(dir); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := find(filepath.Join(dir, "a", "deep", "..", "z.txt")); err == nil {
		t.Error("a folder without notebooks is no error")
	}
}

// Canonical files are as nbformat.write of Python writes them: json.dumps(…, ensure_ascii=False, indent=1,
// sort_keys=True, separators=(",", ": ")) and a new line.
func TestCanonical(t *testing.T) {
	for text, want := range map[string]bool{
		"{\n \"a\": [\n  1,\n  2.50\n ],\n \"b\": {}\n}\n":            true,
		"{\n \"a\": \"é<&>\u2028\u007f\\\"\\\\u2028\\n\\u0001\"\n}\n": true,
		"{\n \"a\": []\n}":              false, // no new line
		"{\n \"b\": 1,\n \"a\": 1\n}\n": false, // another order
		"{\n  \"a\": 1\n}\n":            false, // another indent
		"{\n \"a\": \"\\u00e9\"\n}\n":   false, // escaped
		"\ufeff{\n \"a\": 1\n}\n":       false,
		"{\n \"a\": \"\\u2028\"\n}\n":   false,
		"{\n \"a\": NaN\n}\n":           false,
	} {
		if got := canonical([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestSameJSON(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`{"source": ["a\n", "b"], "n": [1, 2]}`, `{"n":[1,2],"source":"a\nb"}`, true},
		{`{"n": 12345678901234567890}`, `{"n": 12345678901234567891}`, false},
		{`{"n": 1.0}`, `{"n": 1}`, false},
		{`{"source": ["a", "b"]}`, `{"source": ["a", "c"]}`, false},
		{`{`, `{`, false},
	} {
		if got := sameJSON([]byte(c.a), []byte(c.b)); got != c.want {
			t.Errorf("%s, %s: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
