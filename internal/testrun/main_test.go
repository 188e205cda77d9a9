package main

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// packages are those of a module whose tests end in every way.
var packages = map[string]string{
	"good": `func TestOne(t *testing.T) { t.Run("part", func(t *testing.T) {}) }
func TestSkipped(t *testing.T) { t.Log("a remark"); t.Skip("there is no\nabacus") }
func TestAlso(t *testing.T) { t.Run("part", func(t *testing.T) { t.Skip("there is no abacus") }) }
func TestMute(t *testing.T) { t.SkipNow() }`,
	"wrong": `func TestWrong(t *testing.T) { t.Log("remark of wrong"); t.Run("part", func(t *testing.T) { t.Error("two and two are five") }) }
func TestRight(t *testing.T) { t.Log("remark of right") }`,
	"panics":   `func TestPanics(t *testing.T) { panic("out of beads") }`,
	"exits":    "func TestExits(t *testing.T) { os.Exit(3) }\nvar _ = os.Exit",
	"compiles": `func TestCompiles(t *testing.T) { missing() }`,
}

// testrun runs the tests of some packages and returns what is printed and whether it counts as passed.
func testrun(t *testing.T, names ...string) (string, bool) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module m\n\ngo 1.24\n")
	for _, name := range names {
		imports := "import \"testing\"\n"
		if name == "exits" {
			imports += "import \"os\"\n"
		}
		write(name+"/a_test.go", "package "+name+"\n"+imports+packages[name])
	}
	cmd := exec.Command("go", "test", "-json", "-short", "./...")
	cmd.Dir = dir
	events, _ := cmd.Output()
	var out bytes.Buffer
	ok := follow(bytes.NewReader(events), &out, nil)
	return out.String(), ok
}

func TestSkipsAreListed(t *testing.T) {
	out, ok := testrun(t, "good")
	if !ok {
		t.Error("what passes counts as failed")
	}
	want := "\nSkipped:\nskipped without a word\n    m/good: TestMute\nthere is no abacus\n    m/good: TestSkipped " +
		"TestAlso/part\n\n2 tests passed, 3 skipped, in 0 s\n\nok  \tm/good\t"
	if !strings.HasPrefix(out, want) {
		t.Errorf("printed %q, expected %q", out, want)
	}
}

// Whatever way a package fails, its output is shown, its line is among the last, and nothing counts as passed.
func TestFailuresAreShown(t *testing.T) {
	out, ok := testrun(t, slices.Sorted(maps.Keys(packages))...)
	if ok {
		t.Error("what fails counts as passed")
	}
	for _, text := range []string{
		"--- FAIL: TestWrong", "remark of wrong", "two and two are five", "panic: out of beads", "NOT ENDED: TestExits",
		"undefined: missing", "[build failed]", "FAIL\tm/wrong\t", "FAIL\tm/panics\t", "FAIL\tm/exits\t",
		"ok  \tm/good\t",
	} {
		if !strings.Contains(out, text) {
			t.Errorf("%q is missing in:\n%s", text, out)
		}
	}
	if strings.Contains(out, "remark of right") {
		t.Errorf("shows what a test that passes says:\n%s", out)
	}
}

// go test may be killed: a package that has begun and not ended has failed, and so has a run of no package.
func TestBrokenOff(t *testing.T) {
	for _, events := range []string{
		`{"Action":"start","Package":"m"}` + "\n" +
			`{"Action":"output","Package":"m","Test":"TestA","Output":"half a li`,
		"", "no such tool\n",
	} {
		var out bytes.Buffer
		if follow(strings.NewReader(events), &out, nil) {
			t.Errorf("%q counts as passed: %s", events, out.String())
		}
	}
}
