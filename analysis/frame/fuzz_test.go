package frame

import (
	"fmt"
	"strings"
	"testing"

	"nacre/internal/bounded"
	"nacre/internal/heavy"
)

// texts are the endings of files that hold text.
var texts = []string{".csv", ".tsv", ".json", ".jsonl"}

func FuzzParse(f *testing.F) {
	for i, text := range []string{
		"a,b\n1,x\n,y\n", "a\tb\n1\t2\n", `[{"a": 1, "b": {"c": "x"}}, {"a": null}]`, "{\"a\": 1}\n{\"b\": true}\n", "",
		"\ufeffa\n1e999\n", "a,a\n1,2\n",
		`{"a": {"a": {"a": {"a": 1}}}}`, `[1]`, "\"", "a\n0x1p4\nNaN\n",
	} {
		f.Add(uint8(i), []byte(text))
	}
	f.Fuzz(func(t *testing.T, kind uint8, b []byte) {
		defer bounded.Input(t, len(b))()
		table := parse(texts[int(kind)%len(texts)], b)
		if table.err != nil {
			return
		}
		out, err := table.CSV()
		if err != nil {
			t.Fatal(err)
		}
		again := parse(".csv", out)
		if len(table.columns) == 0 || table.rows == 0 || again.err != nil {
			return // names with line ends and the like
		}
		if len(again.columns) != len(table.columns) {
			t.Errorf("%q: %d columns were written as %d", b, len(table.columns), len(again.columns))
		}
	})
}

func TestLargeInputs(t *testing.T) {
	heavy.Skip(t, "reads large files in every form")
	for _, ending := range []string{".csv", ".json"} {
		bounded.Large(t, func(b []byte) { parse(ending, b) }, []byte("a,b\n1,x\n"), []byte(`{"a": 1}`))
	}
}

// Rows that share no name would make a table that is far larger than the file.
func TestSparseRows(t *testing.T) {
	var b strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&b, "{\"%d\":1}\n", i)
	}
	defer bounded.Input(t, b.Len())()
	if f := parse(".jsonl", []byte(b.String())); f.err == nil ||
		!strings.Contains(f.err.Error(), "50000 rows with 50000 names") {
		t.Errorf("%v", f.err)
	}
	deep := strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000)
	if f := parse(".json", []byte(deep)); f.err == nil || !strings.Contains(f.err.Error(), "deep") {
		t.Errorf("%v", f.err)
	}
}
