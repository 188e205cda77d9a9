package difftest

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/kernel"
	"nacre/library"
)

var (
	update   = flag.Bool("update", false, "compile the programs of the corpus and store what they print")
	engine   = flag.String("engine", "yaegi", "what runs the cells: yaegi or go")
	programs = flag.Int("programs", 200, "how many programs to generate")
	seed     = flag.Uint64("seed", 1, "what they are generated from, and split by")
	written  = flag.String("programs-in", "", "a folder of programs to run")
	keep     = flag.String("keep", "", "a folder for the generated programs that differ")
	shrink   = flag.String("shrink", "", "a file with a program to make smaller while it differs")
	shown    = flag.Int("show", 5, "how many differences of a kind to show")
)

func open(t testing.TB) kernel.Session {
	t.Helper()
	o := kernel.Options{Library: library.New(), Engine: kernel.Yaegi}
	if *engine == "go" {
		o.Engine = kernel.Compiled("../..", "")
	}
	s, err := kernel.New(o)
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
			p, want, err := Parse(file, data)
			if err != nil {
				t.Fatal(err)
			}
			comment, _, _ := strings.Cut(string(data), "-- cell")
			if *update {
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
			if strings.HasPrefix(comment, "refused") && *engine == "yaegi" {
				expected = Refused
			}
			if o := InCells(s, p, want); o.Class != expected {
				t.Error(o.Difference(p, want))
			}
		})
	}
}

// TestWritten runs the programs of a folder and tells how each compares.
func TestWritten(t *testing.T) {
	if *written == "" {
		t.Skip("no folder is given with -programs-in")
	}
	files, err := filepath.Glob(filepath.Join(*written, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal("no programs in ", *written, err)
	}
	var list []*Program
	for k, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(string(text)); err != nil {
			t.Errorf("%s does not compile: %v", filepath.Base(file), err)
			continue
		}
		p, err := New(filepath.Base(file), string(text), rand.New(rand.NewPCG(*seed, uint64(k))))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	want, err := Compiled(t.Context(), t.TempDir(), list)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[Class]int{}
	for k, p := range list {
		s := open(t)
		o := InCells(s, p, want[k])
		s.Close()
		counts[o.Class]++
		switch o.Class {
		case Same:
		case Refused:
			t.Log(o.Difference(p, want[k]))
		default:
			t.Error(o.Difference(p, want[k]))
		}
	}
	t.Log(summary(*seed, len(list), counts))
}

// TestShrink makes a program that differs smaller and prints it as a file of the corpus.
func TestShrink(t *testing.T) {
	if *shrink == "" {
		t.Skip("no file is given with -shrink")
	}
	text, err := os.ReadFile(*shrink)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(filepath.Base(*shrink), string(text), rand.New(rand.NewPCG(*seed, 0)))
	if err != nil {
		t.Fatal(err)
	}
	class := func(p *Program, want Result) Class {
		s := open(t)
		defer s.Close()
		return InCells(s, p, want).Class
	}
	want, err := Compiled(t.Context(), t.TempDir(), []*Program{p})
	if err != nil {
		t.Fatal(err)
	}
	first := class(p, want[0])
	if first == Same {
		t.Fatal("this program does not differ")
	}
	p, result, err := Shrink(t.Context(), t.TempDir(), p, func(p *Program, want Result) bool { return class(p, want) == first })
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\n%s\n%s", first, p.Source, Format(p, result, string(first)+"\n"))
}
