package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nacre/internal/heavy"
	"nacre/internal/shell"
)

// ranCell is a code cell as Jupyter writes it, after a run.
func ranCell(id, source string, count int) string {
	return fmt.Sprintf(`  {
   "cell_type": "code",
   "execution_count": %[3]d,
   "id": "%[1]s",
   "metadata": {},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "run %[3]d\n"
     ]
    }
   ],
   "source": [
    "%[2]s"
   ]
  }`, id, source, count)
}

// fileOf is a notebook of cells for a kernel.
func fileOf(kernel string, cells ...string) string {
	return "{\n \"cells\": [\n" + strings.Join(cells, ",\n") + "\n ],\n \"metadata\": {\n  \"kernelspec\": {\n" +
		"   \"display_name\": \"K\",\n   \"language\": \"any\",\n   \"name\": \"" + kernel + "\"\n  }\n },\n" +
		" \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n"
}

// cleanOf is such a notebook without outputs and counts.
func cleanOf(file string) string {
	for n := range 10 {
		file = strings.ReplaceAll(file, fmt.Sprintf("\"execution_count\": %d", n), "\"execution_count\": null")
		file = strings.ReplaceAll(file, fmt.Sprintf(`[
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "run %d\n"
     ]
    }
   ]`, n), "[]")
	}
	return file
}

// repository is a git repository that uses nacre by the lines that nacre diff --git prints.
type repository struct {
	*testing.T
	dir string
}

func newRepository(t *testing.T) *repository {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: apt install git")
	}
	r := &repository{t, t.TempDir()}
	for _, key := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF",
		"GIT_PAGER_IN_USE"} {
		t.Setenv(key, "")
		os.Unsetenv(key)
	}
	for key, value := range map[string]string{"NACRE_TEST_PROCESS": "1", "GIT_CONFIG_NOSYSTEM": "1", "HOME": r.dir,
		"XDG_CONFIG_HOME": r.dir, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
		"GIT_COMMITTER_EMAIL": "a@b", "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"} {
		t.Setenv(key, value)
	}
	r.git("init", "-q", "-b", "main", ".")
	cmd, stderr := separate("diff", "--git")
	lines, err := cmd.Output()
	if err != nil {
		t.Fatal(err, stderr)
	}
	paste := exec.Command("sh", "-e")
	paste.Dir, paste.Stdin = r.dir, bytes.NewReader(lines)
	if out, err := paste.CombinedOutput(); err != nil || strings.Count(string(lines), "\n") != 4 {
		t.Fatalf("%s%s%v", lines, out, err)
	}
	return r
}

// git runs a command that must succeed.
func (r *repository) git(args ...string) string {
	r.Helper()
	out, status := r.try(args...)
	if status != 0 {
		r.Fatalf("git %s: status %d\n%s", strings.Join(args, " "), status, out)
	}
	return out
}

func (r *repository) try(args ...string) (string, int) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		r.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (r *repository) write(name, text string) {
	r.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
}

func (r *repository) commit(message string) {
	r.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "-m", message)
}

func (r *repository) want(what, got, want string) {
	r.Helper()
	if got != want {
		r.Errorf("%s:\n%s\nwant\n%s", what, got, want)
	}
}

// Git compares and cleans notebooks with nacre: diff, log, add, checkout, blame, mv and merge, of notebooks of any
// kernel and of files that are none.
func TestGit(t *testing.T) {
	heavy.Skip(t, "git starts the program for every file")
	r := newRepository(t)
	first := fileOf("nacre", ranCell("a", "x := 1", 1), ranCell("b", "y := 2", 2))
	r.write("n.ipynb", first)
	r.write("p.ipynb", fileOf("python3", ranCell("c", "x = 1", 3)))
	r.write("empty.ipynb", "")
	r.commit("first")
	r.want("what git keeps", r.git("show", "HEAD:n.ipynb"), cleanOf(first))
	r.want("an empty file", r.git("show", "HEAD:empty.ipynb"), "")
	r.want("the working file", contents(t, r.dir, "n.ipynb"), first)

	r.write("n.ipynb", fileOf("nacre", ranCell("a", "x := 1", 5), ranCell("b", "y := 2", 6)))
	r.want("status after another run", r.git("status", "--porcelain"), "")
	r.write("n.ipynb", fileOf("nacre", ranCell("b", "y := 3", 6), ranCell("a", "x := 1", 5)))
	changed := "--- a/n.ipynb\n+++ b/n.ipynb\n" +
		"cell 2 → 1 (code)\n@@ -1 +1 @@\n-y := 2\n+y := 3\ncell 1 → 2 (code), moved\n"
	r.want("diff", r.git("diff"), changed)
	r.want("diff the other way round", r.git("diff", "-R", "--", "n.ipynb"), "--- a/n.ipynb\n+++ b/n.ipynb\n"+
		"cell 1 → 2 (code), moved\n@@ -1 +1 @@\n-y := 3\n+y := 2\n")
	r.commit("second")
	r.want("diff of commits", r.git("diff", "HEAD~", "HEAD"), changed)
	if out := r.git("log", "-p", "-1", "--format="); !strings.Contains(out, "\n-y := 2\n") ||
		!strings.Contains(out, "\n+y := 3\n") || strings.Contains(out, `"source"`) {
		t.Errorf("log -p:\n%s", out)
	}
	if out := r.git("log", "-p", "--format="); !strings.Contains(out, "\n+x = 1\n") {
		t.Errorf("log -p of the first commit:\n%s", out)
	}
	tool := shell.Command(os.Args[0], "diff", "--sources")
	if out, status := r.try("difftool", "-y", "-x", tool, "HEAD~", "HEAD"); status != 0 ||
		!strings.Contains(out, "-y := 2\n+y := 3\n") {
		t.Errorf("difftool: %d\n%s", status, out)
	}
	r.git("checkout", "-q", "HEAD~", "--", "n.ipynb")
	r.want("checkout", contents(t, r.dir, "n.ipynb"), cleanOf(first))
	r.git("reset", "-q", "--hard")

	r.git("mv", "p.ipynb", "q.ipynb")
	r.write("q.ipynb", fileOf("python3", ranCell("c", "x = 2", 3), ranCell("d", "z = 3", 4)))
	r.git("add", "-A")
	if out := r.git("diff", "--cached", "-M20%"); !strings.Contains(out, "rename from p.ipynb\nrename to q.ipynb\n") ||
		!strings.Contains(out, "--- a/p.ipynb\n+++ b/q.ipynb\ncell 1 (code)\n@@ -1 +1 @@\n-x = 1\n+x = 2\n") {
		t.Errorf("diff of a renamed notebook:\n%s", out)
	}
	r.write("q.ipynb", "<<<<<<< HEAD\n{}\n")
	out, status := r.try("add", "q.ipynb")
	if status != 0 || !strings.Contains(out, "nacre: q.ipynb: not a notebook: line 1, column 1") {
		t.Errorf("add of a broken notebook: %d\n%s", status, out)
	}
	r.want("a broken notebook", r.git("show", ":q.ipynb"), "<<<<<<< HEAD\n{}\n")
	r.commit("broken")
	out = r.git("diff", "HEAD~", "HEAD", "--no-renames")
	for _, want := range []string{"--- a/p.ipynb\n+++ /dev/null\ncell 1 (code), deleted\n@@ -1 +0,0 @@\n-x = 1\n" +
		"notebook\n~ deleted: format 4.5, kernel python3\n",
		"--- /dev/null\n+++ b/q.ipynb\n~ compared as text: b/q.ipynb: not a notebook: line 1, column 1: invalid " +
			"character '<' looking for beginning of value\n@@ -0,0 +1,2 @@\n+<<<<<<< HEAD\n+{}\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("diff of a deleted and a broken notebook:\n%s\nwant\n%s", out, want)
		}
	}
	if out := r.git("log", "-p", "--format="); !strings.Contains(out, "+<<<<<<< HEAD\n") {
		t.Errorf("log -p of a broken notebook:\n%s", out)
	}
}

// Branches on which different cells changed and ran merge, as outputs and counts are not in them; where they conflict,
// git diff and nacre say so.
func TestGitMerge(t *testing.T) {
	heavy.Skip(t, "git starts the program for every file")
	r := newRepository(t)
	file := func(a, b string, count int) string {
		return fileOf("nacre", ranCell("a", a, count), ranCell("m", "// between", count), ranCell("b", b, count))
	}
	r.write("n.ipynb", file("x := 1", "y := 1", 1))
	r.commit("first")
	r.git("checkout", "-q", "-b", "other")
	r.write("n.ipynb", file("x := 2", "y := 1", 2))
	r.commit("other")
	r.git("checkout", "-q", "main")
	r.write("n.ipynb", file("x := 1", "y := 2", 3))
	r.commit("main")
	r.git("merge", "-q", "-m", "merge", "other")
	r.want("the merged notebook", contents(t, r.dir, "n.ipynb"), cleanOf(file("x := 2", "y := 2", 4)))
	r.git("checkout", "-q", "-b", "third", "HEAD")
	r.write("n.ipynb", file("x := 3", "y := 2", 5))
	r.commit("third")
	r.git("checkout", "-q", "main")
	r.write("n.ipynb", file("x := 4", "y := 2", 6))
	r.commit("fourth")
	if out, status := r.try("merge", "third"); status == 0 {
		t.Fatalf("the merge has no conflict:\n%s", out)
	}
	r.want("diff in a merge", r.git("diff", "--cached"), "* n.ipynb: its merge is not finished\n")
	if out, status := r.try("diff"); status != 0 || !strings.Contains(out, "\n- x := 4\n -x := 3\n") {
		t.Errorf("diff of the sides: %d\n%s", status, out)
	}
	if !strings.Contains(contents(t, r.dir, "n.ipynb"), "<<<<<<<") {
		t.Error("the conflict is not in the file")
	}
	r.git("merge", "--abort")
	r.want("after the merge was given up", contents(t, r.dir, "n.ipynb"), cleanOf(file("x := 4", "y := 2", 6)))
}

// The exit status is that of diff, and what cannot be compared or cleaned is one sentence.
func TestDiffStatus(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GIT_DIFF_PATH_COUNTER", "")
	for name, text := range map[string]string{
		"a.ipynb": fileOf("nacre", ranCell("a", "x", 1)), "b.ipynb": fileOf("nacre", ranCell("a", "x", 2)),
		"ran.ipynb":   fileOf("nacre", ranCell("a", "x", 2)),
		"same.ipynb":  strings.ReplaceAll(fileOf("nacre", ranCell("a", "x", 1)), "\n ", "\n  "),
		"empty.ipynb": "", "broken.ipynb": "{", "latin.ipynb": "{\"\xe9\"", "png.ipynb": "\x89PNG",
		"three.ipynb": `{"metadata":{},"nbformat":3,"nbformat_minor":0,"worksheets":[{"cells":[{"cell_type":"code",` +
			`"input":"x","outputs":[],"prompt_number":1}]}]}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]struct {
		status int
		says   string
	}{
		"diff a.ipynb a.ipynb":                {0, ""},
		"diff a.ipynb b.ipynb":                {1, "~ execution count: 1 → 2\n"},
		"diff --sources a.ipynb b.ipynb":      {0, ""},
		"diff a.ipynb same.ipynb":             {1, "their files are written in other ways"},
		"diff a.ipynb empty.ipynb":            {1, "cell 1 (code), deleted\n"},
		"diff /dev/null a.ipynb":              {1, "--- /dev/null\n+++ a.ipynb\ncell 1 (code), added\n"},
		"diff three.ipynb a.ipynb":            {1, "~ format: 3 → 4.5\n"},
		"diff --color always a.ipynb b.ipynb": {1, "\x1b[33m~ execution"},
		"diff --color auto a.ipynb b.ipynb":   {1, "\n~ execution"},
		"diff --color blue a.ipynb b.ipynb":   {2, `nacre: --color "blue": expected auto, always or never; see`},
		"diff a.ipynb":                        {2, "nacre: expected two notebooks, got 1 arguments; see"},
		"diff a.ipynb broken.ipynb": {2,
			"nacre: broken.ipynb: not a notebook: it breaks off at its end, in line 1\n"},
		"diff latin.ipynb a.ipynb": {2,
			"nacre: latin.ipynb: the text is not UTF-8: byte E9 in line 1, column 3"},
		"diff a.ipynb c.ipynb":        {2, "nacre: c.ipynb does not exist"},
		"diff --text a.ipynb b.ipynb": {2, "nacre: --text: expected a notebook, got 2 arguments"},
		"diff --text three.ipynb":     {0, "~ code cell\nx\n"},
		"diff --text png.ipynb":       {0, "\x89PNG"},
		"diff --text empty.ipynb":     {0, ""},
		"diff -U -1 a.ipynb b.ipynb":  {2, "nacre: --context -1: expected a whole number from 0"},
		"clean --check a.ipynb": {1,
			"nacre: notebooks that are not clean: 1; nacre clean cleans them\n"},
		"clean --check empty.ipynb": {0, ""},
		"clean broken.ipynb three.ipynb": {1,
			"three.ipynb: it has format 3, expected 4: open and save it first"},
		"clean --drop kernelspec a.ipynb":            {2, `nacre: --drop "kernelspec": expected a path such as metadata.`},
		"clean --check":                              {2, "nacre: expected notebooks, or one on standard input; see"},
		"clean --drop cell.metadata.x ran.ipynb":     {0, "ran.ipynb\n"},
		"clean --keep-outputs --keep-counts a.ipynb": {0, ""},
	} {
		status, stdout, stderr := nacre(t.Context(), strings.Fields(line)...)
		if says := stdout + stderr; status != want.status || !strings.Contains(says, want.says) ||
			want.says == "" && says != "" {
			t.Errorf("nacre %s: status %d, want %d\n%s\nwant\n%s", line, status, want.status, says, want.says)
		}
	}
	if got := contents(t, dir, "ran.ipynb"); got != cleanOf(fileOf("nacre", ranCell("a", "x", 2))) {
		t.Errorf("the cleaned file is\n%s", got)
	}
}
