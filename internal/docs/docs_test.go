package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"nacre/internal/measurement"
	"nacre/internal/pictured"
)

func rootOf(t *testing.T) string {
	t.Helper()
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func pagesOf(t *testing.T) map[string]string {
	t.Helper()
	root := rootOf(t)
	names, err := pages(root)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[strings.TrimPrefix(name, root+string(filepath.Separator))] = string(text)
	}
	if len(texts) < 20 {
		t.Fatalf("only %d pages found", len(texts))
	}
	return texts
}

// TestPagesAreCurrent compares every generated block with what its source gives now.
func TestPagesAreCurrent(t *testing.T) {
	root := rootOf(t)
	for name, text := range pagesOf(t) {
		want, err := fill(root, filepath.Join(root, name), text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if want != text {
			t.Errorf("%s differs from its sources: go run ./internal/docs", name)
		}
	}
}

// TestArrowsGoDownwards keeps the order of the house.
func TestArrowsGoDownwards(t *testing.T) {
	all, err := arrows(rootOf(t), false)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("only %d imports across rooms found", len(all))
	}
	for _, a := range upward(all) {
		t.Errorf("%s imports %s, which is not on a lower floor of the house (internal/docs/house.go)", a.from, a.to)
	}
}

// TestArrowsOfTestsGoDownwards keeps what a room's tests compile below it, but for the few that may climb.
func TestArrowsOfTestsGoDownwards(t *testing.T) {
	all, err := arrows(rootOf(t), true)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("only %d imports across rooms found in tests", len(all))
	}
	climbs := map[string]bool{}
	for _, a := range upward(all) {
		climbs[a.from] = true
		if climbing[a.from] == "" {
			t.Errorf("a test of %s imports %s, which is not on a lower floor of the house: move the test to a room "+
				"above both (internal/docs/house.go)", a.from, a.to)
		}
	}
	for from := range climbing {
		if !climbs[from] {
			t.Errorf("no test of %s climbs any more: strike it from the list in internal/docs/house.go", from)
		}
	}
}

// TestGorgoniaHasOneDoor keeps Gorgonia's traps in one package. Generated files, which serve cells, are left out.
func TestGorgoniaHasOneDoor(t *testing.T) {
	seen := map[string]bool{}
	sources(t, func(name string, text []byte) {
		who, what, err := pastTheDoor(name, text)
		if err != nil {
			t.Error(err)
		}
		seen[who] = true
		if who != "" && gorgonia[who] == "" {
			t.Errorf("%s imports %s: use nacre/core/graph, or give the reason in internal/docs/house.go", name, what)
		}
	})
	for who := range gorgonia {
		if !seen[who] {
			t.Errorf("%s import Gorgonia no more: strike it from the list in internal/docs/house.go", who)
		}
	}
}

func TestPastTheDoor(t *testing.T) {
	const text = "package p\n\nimport (\n\t\"fmt\"\n\n\tG \"gorgonia.org/gorgonia\"\n)\n"
	for name, want := range map[string]string{"pearl/update.go": "pearl", "core/compile.go": "core",
		"core/builder_test.go": "tests of core", "core/graph/graph_test.go": "core/graph"} {
		if who, what, err := pastTheDoor(name, []byte(text)); who != want || what != "gorgonia.org/gorgonia" {
			t.Errorf("%s: %q imports %q, %v", name, who, what, err)
		}
	}
	if who, _, err := pastTheDoor("pearl/update.go", []byte("package p\n\nimport \"nacre/core/graph\"\n")); who != "" {
		t.Errorf("the door itself is past the door: %q, %v", who, err)
	}
}

func TestUpwardFindsWhatGoesUpOrStaysLevel(t *testing.T) {
	got := upward([]arrow{{"cmd/nacre", "core"}, {"core/cpu", "pearl"}, {"kernel", "core"}, {"tcl", "pearl"}})
	want := []arrow{{"core/cpu", "pearl"}, {"kernel", "core"}}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("upward: %v, expected %v", got, want)
	}
}

// TestEveryMeasurementIsComplete reads all files, also those that no page shows whole.
func TestEveryMeasurementIsComplete(t *testing.T) {
	root := rootOf(t)
	files, err := filepath.Glob(filepath.Join(root, "docs/measurements/*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	all := ""
	for _, text := range pagesOf(t) {
		all += text
	}
	for _, name := range files {
		base := strings.TrimSuffix(filepath.Base(name), ".json")
		if _, err := measurement.Load(root, base); err != nil {
			t.Error(err)
		}
		if !strings.Contains(all, base) {
			t.Errorf("no page shows or names %s.json", base)
		}
	}
}

func TestLinesAreShort(t *testing.T) {
	for name, text := range pagesOf(t) {
		for i, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "|") || strings.HasPrefix(line, opening) ||
				strings.HasPrefix(line, "![") {
				continue // a table, a generator's arguments, a picture with what it shows
			}
			if n := utf8.RuneCountInString(line); n > width {
				t.Errorf("%s:%d has %d characters, %d are allowed", name, i+1, n, width)
			}
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	fence   = regexp.MustCompile("(?ms)^```.*?^```$")
	unnamed = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinksLeadSomewhere looks at links within the repository: the file, and the heading where one is named.
func TestLinksLeadSomewhere(t *testing.T) {
	root, texts := rootOf(t), pagesOf(t)
	anchors := map[string]map[string]bool{}
	for name, text := range texts {
		anchors[name] = map[string]bool{}
		for _, h := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			plain := unnamed.ReplaceAllString(strings.ToLower(h[1]), "")
			anchors[name][strings.ReplaceAll(plain, " ", "-")] = true
		}
	}
	for name, text := range texts {
		for _, l := range link.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			if strings.Contains(l[1], "://") {
				continue
			}
			path, anchor, _ := strings.Cut(l[1], "#")
			target := name
			if path != "" {
				target = filepath.Join(filepath.Dir(name), path)
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s, which is not there", name, l[1])
			} else if anchor != "" && !anchors[target][anchor] {
				t.Errorf("%s links to %s, which has no such heading", name, l[1])
			}
		}
	}
}

// TestPicturesAreOfTheirNotebooks says which picture shows cells that have changed since it was taken, and which is
// unknown.
func TestPicturesAreOfTheirNotebooks(t *testing.T) {
	root := rootOf(t)
	list, err := pictured.Read(filepath.Join(root, "docs/img"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "docs/img/notebook-*.png"))
	if err != nil || len(files) != len(list) || len(files) == 0 {
		t.Errorf("%d pictures of notebooks and %d of them in %s, %v: run make screenshots", len(files), len(list),
			pictured.File, err)
	}
	for _, f := range files {
		name := filepath.Base(f)
		if err := list[name].Check(root); err != nil {
			t.Errorf("docs/img/%s is of another notebook: %v; run make screenshots", name, err)
		}
	}
}

// TestEveryPictureIsShown looks for the pictures of docs/img in the pages.
func TestEveryPictureIsShown(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(rootOf(t), "docs/img/*.*"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d pictures, %v", len(files), err)
	}
	all := ""
	for _, text := range pagesOf(t) {
		all += text
	}
	for _, f := range files {
		if name := filepath.Base(f); name != pictured.File && !strings.Contains(all, "img/"+name+")") {
			t.Errorf("no page shows docs/img/%s", name)
		}
	}
}

// source is the path of a file of the repository as pages quote it.
var source = regexp.MustCompile("`([a-z0-9_]+/[A-Za-z0-9_./-]+\\.(?:go|ts|h|sh|toml|txt|ipynb))`")

// TestNamedFilesExist looks for the files that pages name with their folder.
func TestNamedFilesExist(t *testing.T) {
	root, found := rootOf(t), 0
	for name, text := range pagesOf(t) {
		for _, s := range source.FindAllStringSubmatch(text, -1) {
			found++
			if _, err := os.Stat(filepath.Join(root, s[1])); err != nil {
				t.Errorf("%s names %s, which is not there", name, s[1])
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d files found in the pages", found)
	}
}

func TestDecimal(t *testing.T) {
	for _, c := range []struct {
		v      float64
		digits int
		want   string
	}{
		{1.156, 2, "1.16"}, {87643, -2, "87,600"}, {-8.03, 2, "−8.03"}, {999.6, 0, "1,000"}, {1234567, 0, "1,234,567"},
		{-0.001, 2, "0.00"}, {0.5, 3, "0.500"},
	} {
		if got := decimal(c.v, c.digits); got != c.want {
			t.Errorf("decimal(%v, %d) = %q, expected %q", c.v, c.digits, got, c.want)
		}
	}
}

// TestTable writes a small measurement whose table was written by hand.
func TestTable(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "docs/measurements")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name+".json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const good = `{"what": "w", "date": "2026-01-02", "commit": "abc", "machine": "a machine", "spread": "range of 3 runs",
		"commands": ["c"], "labels": ["system"], "columns": [
			{"name": "ms", "head": "ms", "bold": true}, {"name": "r", "head": "return", "digits": 1},
			{"name": "s", "head": "by seed", "show": "each", "unit": " %"}],
		"rows": [
			{"of": ["a"], "cells": {"ms": {"value": 2, "low": 1, "high": 4}, "r": {"seeds": [-1, -2, -6]}, "s": {"seeds": [1, 2]}}},
			{"of": ["b"], "cells": {"ms": 1500, "r": "not run"}}]}`
	write("t-2026-01-02", good)
	const want = `| system | ms | return | by seed |
|---|--:|--:|--:|
| a | **2** (1–4) | −3.0 (−6.0 to −1.0) | 1; 2 % |
| b | **1,500** | not run |  |

2 January 2026, commit abc. range of 3 runs. [Data](measurements/t-2026-01-02.json).`
	got, err := table(root, "t-2026-01-02")
	if err != nil || got != want {
		t.Errorf("%v\n%s\nexpected\n%s", err, got, want)
	}
	part, err := table(root, "t-2026-01-02 columns=ms rows=b")
	if err != nil || !strings.HasPrefix(part, "| system | ms |\n|---|--:|\n| b | **1,500** |\n\n") {
		t.Errorf("%v\n%s", err, part)
	}
	for fault, change := range map[string][2]string{
		"spread does not say": {`"range of 3 runs"`, `""`},
		"is not between":      {`"low": 1`, `"low": 3`},
		"unknown field":       {`"what"`, `"whet"`},
		"should end with":     {`01-02`, `01-03`},
		"neither value":       {`{"seeds": [1, 2]}`, `{"low": 1}`},
		"is no column":        {`"name": "ms"`, `"name": "sm"`},
		"has 1 labels":        {`["system"]`, `["system", "size"]`},
		"commit is missing":   {`"abc"`, `""`},
		"each need an entry":  {`["c"]`, `[]`},
		"show is":             {`"each"`, `"every"`},
		"more than one value": {"not run\"}}]}", "not run\"}}]}{}"},
	} {
		write("t-2026-01-02", strings.Replace(good, change[0], change[1], 1))
		if _, err := table(root, "t-2026-01-02"); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%v, expected one that says %q", err, fault)
		}
	}
	if _, err := table(root, "t-2026-01-02 rows=c"); err == nil {
		t.Error("a row that is not there is no error")
	}
}

func TestBrief(t *testing.T) {
	for text, want := range map[string]string{
		"is MQL (Fakoor et al. 2020): TD3 whose actor\nsees a context. More.": "is MQL: TD3 whose actor sees a context",
		"keeps what was collected, task by task, for later: a\nlist.": "keeps what was collected, task by " +
			"task, for later",
		"finds the name a user probably meant.": "finds the name a user probably meant",
	} {
		if got := brief(text); got != want {
			t.Errorf("brief(%q) = %q, expected %q", text, got, want)
		}
	}
}

func TestFillRefusesABlockWithoutEnd(t *testing.T) {
	if _, err := fill("", "x.md", "text\n<!-- table: x -->\nmore\n"); err == nil ||
		!strings.Contains(err.Error(), "line 2") {
		t.Errorf("%v, expected an error that names line 2", err)
	}
	const other = "<!-- a remark -->\n"
	if got, err := fill("", "x.md", other); err != nil || got != other {
		t.Errorf("%q, %v: other comments are to be left alone", got, err)
	}
}

// test is the name of a test as pages quote it.
var test = regexp.MustCompile("`((?:Test|Fuzz|Example)[A-Z][A-Za-z0-9_]*)`")

// TestNamedTestsExist looks for the tests that pages name as what keeps a promise.
func TestNamedTestsExist(t *testing.T) {
	root, known := rootOf(t), map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (name == "node_modules" || name == "out" || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, f := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w+)\(`).FindAllStringSubmatch(
			string(text), -1) {
			known[f[1]] = true
		}
		return err
	})
	if err != nil || len(known) < 500 {
		t.Fatalf("%d tests found, %v", len(known), err)
	}
	for name, text := range pagesOf(t) {
		for _, n := range test.FindAllStringSubmatch(text, -1) {
			if !known[n[1]] {
				t.Errorf("%s names %s, which is no test", name, n[1])
			}
		}
	}
}
