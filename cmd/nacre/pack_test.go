package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Everything that looks at runs says of an archive what it says of the folder, and writes beside it.
func TestPackedRun(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "one")
	must(t, append([]string{"train", "-q", "--preset", "quick/point-goal", "--algorithm", "pearl", "--out", run},
		set(append(tiny, "pearl.iterations=2")...)...)...)
	zip := filepath.Join(dir, "one.zip")
	if text := must(t, "pack", run); !strings.Contains(text, zip+": ") || !strings.Contains(text, "left out: ") {
		t.Errorf("pack: %s", text)
	}
	for _, args := range [][]string{{"eval", "-q", ""}, {"table", "runs", ""}, {"runs", ""},
		{"curves", "-o", filepath.Join(dir, "c.svg"), ""}} {
		said := func(of string) string {
			args[len(args)-1] = of
			text := must(t, args...)
			if strings.HasSuffix(args[0], "runs") {
				row := strings.Fields(strings.Split(text, "\n")[1])
				text = strings.Join(row[:len(row)-3], " ") // without how long ago it was
			}
			return strings.ReplaceAll(text, of, "RUN")
		}
		if a, b := said(run), said(zip); a != b || a == "" {
			t.Errorf("%s says of the folder\n%s\nand of the archive\n%s", args[0], a, b)
		}
	}
	for _, from := range []string{run, zip} {
		must(t, "embed", from, "-q", "--tasks", "2", "--windows", "60")
		must(t, "report", from)
	}
	if contents(t, run, "embeddings.npz") != contents(t, dir, "one-embeddings.npz") {
		t.Error("other embeddings of the archive")
	}
	if len(contents(t, dir, "one-report.html")) < 10_000 {
		t.Error("no report of the archive")
	}
	fails(t, []string{"tsne", zip}, "has no embeddings.npz", "nacre embed "+zip)
	if err := os.Remove(zip); err != nil {
		t.Fatal(err)
	}
	must(t, "pack", run)
	for _, from := range []string{run, zip} {
		must(t, "tsne", from, "-q", "--out", filepath.Join(dir, "plane"+filepath.Ext(from)))
	}
	if contents(t, dir, "plane/tsne.csv") != contents(t, dir, "plane.zip/tsne.csv") {
		t.Error("another plane of the archive")
	}
	const readOnly = "one.zip is an archive, which is only read: unpack it with"
	fails(t, []string{"resume", zip}, readOnly)
	fails(t, []string{"resume", "--start-over", zip}, readOnly)
	fails(t, []string{"embed", zip, "--out", filepath.Join(zip, "embeddings.npz")}, readOnly)
	fails(t, []string{"report", zip, "--out", filepath.Join(zip, "report.html")}, readOnly)
	fails(t, []string{"train", "--preset", "quick/point-goal", "--out", filepath.Join(zip, "new")}, readOnly)
	both := filepath.Join(dir, "both")
	for _, name := range []string{"a", "b"} {
		if err := os.CopyFS(filepath.Join(both, name), os.DirFS(run)); err != nil {
			t.Fatal(err)
		}
	}
	must(t, "pack", both)
	fails(t, []string{"eval", both + ".zip"}, "is not one run: it holds 2 ("+filepath.Join(both+".zip", "a"),
		"name one, such as")
	must(t, "eval", "-q", filepath.Join(both+".zip", "b"))
	if err := os.Truncate(both+".zip", 2000); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"eval", "report", "embed", "curves"} {
		fails(t, []string{command, both + ".zip"}, "both.zip is cut off or damaged")
	}
}

// An agent that adapts by what it collected is packed with it.
func TestPackedMQL(t *testing.T) {
	run := filepath.Join(t.TempDir(), "one")
	must(t, append(mqlArgs(run), "-q", "--set", "mql.iterations=2")...)
	must(t, "pack", run)
	if a, b := must(t, "eval", "-q", run), must(t, "eval", "-q", run+".zip"); a != b {
		t.Errorf("of the folder\n%s\nof the archive\n%s", a, b)
	}
}
