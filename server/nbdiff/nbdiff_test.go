package nbdiff

import (
	"fmt"
	"strings"
	"testing"

	"nacre/server/nbformat"
)

// notebook is a notebook of cells, each as JSON.
func notebook(t *testing.T, minor int, cells ...string) *nbformat.Notebook {
	t.Helper()
	nb, err := nbformat.Parse(fmt.Appendf(nil, `{"cells":[%s],"metadata":{"kernelspec":{"name":"nacre"}},"nbformat":4,`+
		`"nbformat_minor":%d}`, strings.Join(cells, ","), minor))
	if err != nil {
		t.Fatal(err)
	}
	return nb
}

// cell is a code cell; of no id if it is empty.
func cell(id, source, outputs string) string {
	if id != "" {
		id = fmt.Sprintf(`"id":%q,`, id)
	}
	return fmt.Sprintf(`{"cell_type":"code",%s"execution_count":1,"metadata":{},"outputs":[%s],"source":%s}`, id,
		outputs, nbformat.JSON(source, ""))
}

// stdout is a text that a cell printed.
func stdout(text string) string {
	return fmt.Sprintf(`{"name":"stdout","output_type":"stream","text":%q}`, text)
}

// result is what a cell showed, as plain text and as a picture.
func result(text, picture string) string {
	return fmt.Sprintf(`{"data":{"image/png":%q,"text/plain":%q},"execution_count":1,"metadata":{},`+
		`"output_type":"execute_result"}`, picture, text)
}

const number = `{"data":{"text/plain":"%d"},"execution_count":1,"metadata":{},"output_type":"execute_result"}`

func TestDiff(t *testing.T) {
	ten := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10"
	plot := result("plot", "aGVsbG8=")
	for what, test := range map[string]struct {
		a, b []string // cells
		o    Options
		want string
	}{
		"nothing": {[]string{cell("a", "x", "")}, []string{cell("a", "x", "")}, Options{}, ""},
		"a line": {[]string{cell("a", ten, "")}, []string{cell("a", strings.Replace(ten, "5", "five", 1), "")},
			Options{Context: 1}, "cell 1 (code)\n@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n"},
		"a line at the end": {[]string{cell("a", "x", "")}, []string{cell("a", "x\ny", "")}, Options{Context: 3},
			"cell 1 (code)\n@@ -1 +1,2 @@\n x\n+y\n"},
		"a line end": {[]string{cell("a", "x", "")}, []string{cell("a", "x\n", "")}, Options{},
			"cell 1 (code)\n@@ -1,0 +2 @@\n+\n"},
		"ends of lines": {[]string{cell("a", "x\r\n", "")}, []string{cell("a", "x\n", "")}, Options{},
			"cell 1 (code)\n@@ -1 +1 @@\n-x\\r\n+x\n"},
		"one added and one deleted": {[]string{cell("a", "x", ""), cell("b", "y", "")},
			[]string{cell("b", "y", ""), cell("c", "z", stdout("z\n"))}, Options{},
			"cell 1 (code), deleted\n@@ -1 +0,0 @@\n-x\n~ execution count: 1 → null\n" +
				"cell 2 (code), added\n@@ -0,0 +1 @@\n+z\n~ outputs: none → stdout, 1 line\n" +
				"~ execution count: null → 1\n"},
		"moved": {[]string{cell("a", "x", ""), cell("b", "y", ""), cell("c", "z", "")},
			[]string{cell("c", "z", ""), cell("a", "x", ""), cell("b", "yy", "")}, Options{},
			"cell 3 → 1 (code), moved\ncell 2 → 3 (code)\n@@ -1 +1 @@\n-y\n+yy\n"},
		"alike, without ids": {[]string{cell("", "alpha := 1", ""), cell("", "f(beta, gamma)", ""), cell("", "x", "")},
			[]string{cell("", "f(beta, delta)", ""), cell("", "x", "")}, Options{Sources: true},
			"cell 1 (code), deleted\n@@ -1 +0,0 @@\n-alpha := 1\ncell 2 → 1 (code)\n@@ -1 +1 @@\n-f(beta, gamma)\n" +
				"+f(beta, delta)\n"},
		"an id": {[]string{cell("a", "x", "")}, []string{cell("b", "x", "")}, Options{},
			"cell 1 (code)\n~ id: a → b\n"},
		"its kind": {[]string{cell("a", "x", "")}, []string{`{"cell_type":"raw","id":"a","metadata":{},"source":"x"}`},
			Options{Sources: true}, "cell 1 (code → raw)\n"},
		"outputs": {[]string{cell("a", "x", stdout("1\n2\n"))}, []string{cell("a", "x", stdout("1\n2\n3\n")+","+plot)},
			Options{}, "cell 1 (code)\n~ outputs: stdout, 2 lines → stdout, 3 lines; image/png, 5 bytes\n"},
		"values": {[]string{cell("a", "x", fmt.Sprintf(number, 2))}, []string{cell("a", "x", fmt.Sprintf(number, 3))},
			Options{}, "cell 1 (code)\n~ outputs: result 2 → result 3\n"},
		"outputs that look alike": {[]string{cell("a", "x", stdout("1\n"))}, []string{cell("a", "x", stdout("2\n"))},
			Options{}, "cell 1 (code)\n~ outputs: stdout, 1 line, other content\n"},
		"whole outputs": {[]string{cell("a", "x", stdout("1\n2\n"))}, []string{cell("a", "x", stdout("1\n3\n"))},
			Options{Whole: true}, "cell 1 (code)\n~ outputs:\n@@ -3 +3 @@\n-2\n+3\n"},
		"sources alone": {[]string{cell("a", "x", stdout("1\n"))}, []string{cell("a", "x", stdout("2\n"))},
			Options{Sources: true}, ""},
		"what a terminal obeys": {[]string{cell("a", "x", "")}, []string{cell("a", "\x1b[2J\u202ex 👩\u200d🔬", "")},
			Options{Sources: true}, "cell 1 (code)\n@@ -1 +1 @@\n-x\n+\\x1b[2J\\u202ex 👩\u200d🔬\n"},
		"colours": {[]string{cell("a", "x", "")}, []string{cell("a", "y", stdout("1"))}, Options{Colour: true},
			"\x1b[1mcell 1 (code)\x1b[m\n\x1b[36m@@ -1 +1 @@\x1b[m\n\x1b[31m-x\x1b[m\n\x1b[32m+y\x1b[m\n" +
				"\x1b[33m~ outputs: none → stdout, 1 line\x1b[m\n"},
	} {
		head := "--- a\n+++ b\n"
		if test.o.Colour {
			head = "\x1b[1m--- a\x1b[m\n\x1b[1m+++ b\x1b[m\n"
		}
		minor := 5
		if strings.Contains(what, "without ids") {
			minor = 4
		}
		got := Diff(Side{"a", notebook(t, minor, test.a...)}, Side{"b", notebook(t, minor, test.b...)}, test.o)
		if got != "" {
			got = strings.TrimPrefix(got, head)
		}
		if got != test.want {
			t.Errorf("%s:\n%q\nwant\n%q", what, got, test.want)
		}
	}
}

func TestDiffOfMetadata(t *testing.T) {
	with := func(meta string) Side {
		nb, err := nbformat.Parse([]byte(`{"cells":[],"metadata":` + meta + `,"nbformat":4,"nbformat_minor":5}`))
		if err != nil {
			t.Fatal(err)
		}
		return Side{"n", nb}
	}
	got := Diff(with(`{"kernelspec":{"name":"a","x":1.0},"tags":["x"],"big":9007199254740993,"n":NaN}`),
		with(`{"kernelspec":{"name":"b","x":1.0},"tags":["x","y"],"big":9007199254740992,"m":null,"n":NaN}`), Options{})
	want := "--- n\n+++ n\nnotebook\n~ metadata: big 9007199254740993 → 9007199254740992; " +
		"kernelspec.name \"a\" → \"b\"; m none → null; tags [\"x\"] → [\"x\",\"y\"]\n"
	if got != want {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	got = Diff(with(`{"x":1}`), with(`{"x":2}`), Options{Whole: true})
	if want := "--- n\n+++ n\nnotebook\n~ metadata:\n@@ -2 +2 @@\n- \"x\": 1\n+ \"x\": 2\n"; got != want {
		t.Errorf("whole: %q\nwant\n%q", got, want)
	}
	got = Diff(Side{Name: "/dev/null"}, with(`{"kernelspec":{"name":"a"}}`), Options{})
	if want := "--- /dev/null\n+++ n\nnotebook\n~ added: format 4.5, kernel a\n"; got != want {
		t.Errorf("added: %q\nwant\n%q", got, want)
	}
}

// Text tells apart outputs that look alike, and a cell that another is put before stays the same text.
func TestText(t *testing.T) {
	nb := notebook(t, 5, cell("a", "x := 1\nx", stdout("1\n")), `{"cell_type":"markdown","id":"b","metadata":{"tags":["t"]},`+
		`"source":"# T"}`)
	want := "~ code cell a\nx := 1\nx\n~ execution count: 1\n~ outputs: stdout, 1 line (" +
		digest(outputsOf(nb.Cells()[0])) + ")\n" +
		"~ markdown cell b\n# T\n~ metadata: {\"tags\":[\"t\"]} (" + digest(nb.Cells()[1]["metadata"]) +
		")\n~ notebook: format 4.5, kernel nacre (" + digest(nb.Metadata()) + ")\n"
	if got := Text(nb, Options{}); got != want {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	want = "~ code cell a\nx := 1\nx\n~ markdown cell b\n# T\n"
	if got := Text(nb, Options{Sources: true}); got != want {
		t.Errorf("sources: %q, want %q", got, want)
	}
	other := notebook(t, 5, cell("a", "x := 1\nx", stdout("2\n")))
	if Text(nb, Options{}) == Text(other, Options{}) {
		t.Error("other outputs are the same text")
	}
	old := Text(notebook(t, 4, cell("", "x", "")), Options{})
	if now := Text(notebook(t, 4, cell("", "y", ""), cell("", "x", "")), Options{}); !strings.HasSuffix(now, old) {
		t.Errorf("the cell is %q after another, %q alone", now, old)
	}
}

// Every cell of both notebooks is in one pair, whatever they hold.
func TestMatchIsComplete(t *testing.T) {
	texts := []string{"x", "y := f(x)", "y := f(z)", "", "x", "for { }", "y := f(x)"}
	build := func(seed, n int) *nbformat.Notebook {
		var cells []string
		for i := range n {
			id := ""
			if (seed+i)%3 == 0 {
				id = fmt.Sprint("c", (seed*i)%n)
			}
			cells = append(cells, cell(id, texts[(seed*7+i*i)%len(texts)], ""))
		}
		return notebook(t, 5, cells...)
	}
	for seed := range 40 {
		a, b := build(seed, 1+seed%9), build(seed+3, 1+seed%7)
		seenA, seenB, last := map[int]int{}, map[int]int{}, -1
		for _, p := range match(a, b) {
			if seenA[p.a]++; seenA[p.a] > 1 && p.a >= 0 {
				t.Fatalf("seed %d: cell %d of a is in two pairs", seed, p.a)
			}
			if seenB[p.b]++; seenB[p.b] > 1 && p.b >= 0 {
				t.Fatalf("seed %d: cell %d of b is in two pairs", seed, p.b)
			}
			if p.b >= 0 && p.b <= last {
				t.Fatalf("seed %d: cell %d of b comes after %d", seed, p.b, last)
			}
			last = max(last, p.b)
		}
		delete(seenA, -1)
		delete(seenB, -1)
		if len(seenA) != len(a.Cells()) || len(seenB) != len(b.Cells()) {
			t.Fatalf("seed %d: %d of %d and %d of %d cells", seed, len(seenA), len(a.Cells()), len(seenB),
				len(b.Cells()))
		}
	}
}
