package app

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// notebookOf is a notebook's file with code cells of these sources, which need no escapes but \n.
func notebookOf(language string, sources ...string) string {
	var cells []string
	for _, s := range sources {
		cells = append(cells, `  {
   "cell_type": "code",
   "execution_count": 3,
   "metadata": {"x": 1.50},
   "outputs": [],
   "source": "`+strings.ReplaceAll(s, "\n", `\n`)+`"
  }`)
	}
	return "{\n \"cells\": [\n" + strings.Join(cells, ",\n") + "\n ],\n \"metadata\": {\"kernelspec\": {\"name\": " +
		"\"k\", " +
		"\"display_name\": \"K\", \"language\": \"" + language + "\"}},\n \"nbformat\": 4,\n \"nbformat_minor\": 4\n}\n"
}

// Files are formatted where they lie: links stay links, permissions stay, and what is formatted is not touched.
func TestFormat(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode fs.FileMode) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		return file
	}
	read := func(file string) string {
		t.Helper()
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	rough := write("rough.ipynb", notebookOf("go", "x:=1\ny( x )", "x := := 1", "%time  f( x );", "!ls   -l"), 0o600)
	fine := write("fine.ipynb", notebookOf("go", "x := 1"), 0o644)
	python := write("python.ipynb", notebookOf("python", "x=1"), 0o644)
	link := filepath.Join(dir, "link.ipynb")
	if err := os.Symlink("rough.ipynb", link); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	run := func(o FormatOptions) (said, failed string) {
		var out, logs bytes.Buffer
		env := quiet(&out)
		env.Log = slog.New(slog.NewTextHandler(&logs, nil))
		if err := Format(t.Context(), env, o); err != nil {
			failed = err.Error()
		}
		return out.String() + logs.String(), failed
	}
	before := read(fine)
	said, failed := run(FormatOptions{Files: []string{link, fine}, Check: true})
	if !strings.HasPrefix(said, link+"\n") || !strings.Contains(said, "cell 2 does not parse and stays as it is: "+
		"line 1, column 6: expected operand") || !strings.Contains(failed, "notebooks that are not formatted: 1") {
		t.Errorf("--check says %q and ends with %q", said, failed)
	}
	if strings.Contains(read(rough), "x := 1") {
		t.Error("--check has formatted the file")
	}
	said, failed = run(FormatOptions{Files: []string{link, fine, python, filepath.Join(dir, "fien.ipynb")}})
	for _, want := range []string{"cells that do not parse: 1", "python.ipynb says that its cells are python",
		`fien.ipynb does not exist; did you mean "fine.ipynb"?`} {
		if !strings.Contains(failed, want) {
			t.Errorf("ends with %q, want %q", failed, want)
		}
	}
	if strings.Contains(said, fine) {
		t.Errorf("%q, but nothing was to be done in %s", said, fine)
	}
	nb, err := readNotebook(rough)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"x := 1\ny(x)", "x := := 1", "%time f(x);", "!ls   -l"} {
		if got := nb.Cells()[i].Source(); got != want {
			t.Errorf("cell %d is %q, want %q", i+1, got, want)
		}
	}
	if got := read(rough); strings.Count(got, `"x": 1.50`) != 4 || strings.Contains(got, `"id"`) {
		t.Errorf("the file has other metadata: %s", got)
	}
	if info, err := os.Stat(rough); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if read(fine) != before {
		t.Error("a formatted notebook was written")
	}
}
