package pictured

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestChangedCellsAreFound(t *testing.T) {
	root := t.TempDir()
	const notebook = `{"cells": [{"id": "a", "source": ["x := 1\n", "x"], "outputs": []}, {"id": "b", "source": ["text"]}]}`
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(root, "n.ipynb"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(notebook)
	hash, err := Hash([]byte(notebook), []string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]Picture{"n.png": {Notebook: "n.ipynb", Cells: []string{"a"}, SHA256: hash}}
	if err := Write(root, list); err != nil {
		t.Fatal(err)
	}
	if list, err = Read(root); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{`"outputs": []`, `"outputs": [1]`, ""},
		{`"text"`, `"other"`, ""}, // a cell that the picture does not show
		{`x := 1`, `x := 2`, "have changed"},
		{`"id": "a"`, `"id": "c"`, `no cell "a"`},
		{`{"cells"`, `{cells`, "invalid character"},
	} {
		write(strings.Replace(notebook, c.old, c.new, 1))
		err := list["n.png"].Check(root)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q for %q: %v, want %q", c.new, c.old, err, c.want)
		}
	}
}
