package difftest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/kernel"
	"nacre/library"
)

var (
	update = flag.Bool("update", false, "compile the programs of the corpus and store what they print")
)

func open(t testing.TB) kernel.Session {
	t.Helper()
	s, err := kernel.New(kernel.Options{Library: library.New(), Engine: kernel.Yaegi})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCorpus runs programs that once differed, found by hand or by the generator: each gives what it gives compiled, or
// is refused where its comment begins with "refused".
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("corpus/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p, want, err := Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			comment, _, _ := strings.Cut(string(data), "-- cell")
			if *update {
				p.Prefix = "Corpus"
				results, err := Compiled(t.Context(), t.TempDir(), []*Program{p})
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, Format(p, results[0], comment), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			s := open(t)
			defer s.Close()
			expected := Same
			if strings.HasPrefix(comment, "refused") {
				expected = Refused
			}
			if o := InCells(s, p, want); o.Class != expected {
				t.Errorf("%s: %s\ngot\n%s%s\nwant\n%s%s", o.Class, o.Error, o.Got.Output, o.Got.End, want.Output, want.End)
			}
		})
	}
}
