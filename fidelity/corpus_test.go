package fidelity

import (
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"nacre/kernel"
	"nacre/library"
)

var (
	update = flag.Bool("update", false,
		"compile the programs of the folders corpus and whole and store what they print")
	engine   = flag.String("engine", "yaegi", "what runs the cells: yaegi or go")
	programs = flag.Int("programs", 300, "how many programs to generate")
	seed     = flag.Uint64("seed", 21, "what they are generated from, and split by")
	written  = flag.String("programs-in", "programs", "a folder of programs to run: files of Go, or archives of such")
	keep     = flag.String("keep", "", "a folder for the generated programs that differ")
	shrink   = flag.String("shrink", "", "a file with a program to make smaller while it differs")
	shown    = flag.Int("show", 5, "how many differences of a kind to show")
)

type testEngine struct {
	name   string
	engine kernel.Engine
}

// engines run the programs.
var engines = []testEngine{{"yaegi", kernel.Yaegi}}

// open starts a session on the engine of the flag.
func open(t testing.TB) kernel.Session {
	t.Helper()
	for _, e := range engines {
		if e.name == *engine {
			return e.start(t)
		}
	}
	t.Fatalf("-engine %s: expected yaegi or go", *engine)
	return nil
}

// needsCells skips a test where cells cannot run.
func needsCells(t testing.TB) {
	t.Helper()
	if raced {
		t.Skip("cells do not run under the race detector")
	}
}

// start starts a session; the caller closes it.
func (e testEngine) start(t testing.TB) kernel.Session {
	t.Helper()
	s, err := kernel.New(kernel.Options{Library: library.New(), Engine: e.engine})
	if errors.Is(err, kernel.ErrNoToolChain) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCorpus runs programs that once differed, found by hand or by the generator: each gives what it gives compiled, or
// is refused where its comment begins with "refused".
func TestCorpus(t *testing.T) {
	needsCells(t)
	files, err := filepath.Glob("corpus/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
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
				results, err := Compiled(t.Context(), t.TempDir(), []*Case{p})
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

// TestWritten runs programs written by hand, in cells and compiled.
func TestWritten(t *testing.T) {
	needsCells(t)
	every := 1
	if testing.Short() {
		every = 40
	}
	list := writtenIn(t, *written, every)
	want, err := Compiled(t.Context(), t.TempDir(), list)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[Class]int{}
	for k, o := range outcomes(t, list, want) {
		counts[o.Class]++
		switch o.Class {
		case Same:
		case Refused:
			t.Log(o.Difference(list[k], want[k]))
		default:
			t.Error(o.Difference(list[k], want[k]))
		}
	}
	t.Log(summary(*seed, len(list), counts))
	record(t, "by hand, in "+filepath.Base(*written), len(list), counts)
}

// writtenIn are the programs of a folder, split at random places: one in every.
func writtenIn(t *testing.T, dir string, every int) []*Case {
	var list []*Case
	seen := 0
	add := func(name string, text []byte) {
		if seen++; seen%every != 0 {
			return
		}
		n := len(list)
		// programs that share a session do not redefine what is another's
		own, err := renamed(string(text), fmt.Sprintf("_%d", n))
		if err != nil {
			t.Errorf("%s does not compile: %v", name, err)
			return
		}
		own = strings.Replace(own, fmt.Sprintf("func main_%d()", n), "func main()", 1)
		h := fnv.New64a() // of its text: it is split alike wherever it stands
		h.Write(text)
		p, err := New(name, own, rand.New(rand.NewPCG(*seed, h.Sum64())))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal("no programs in ", dir, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		switch filepath.Ext(file) {
		case ".go":
			add(filepath.Base(file), text)
		case ".txtar":
			for _, f := range txtar.Parse(text).Files {
				add(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+f.Name, f.Data)
			}
		}
	}
	return list
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
	class := func(p *Case, want Result) Class {
		s := open(t)
		defer s.Close()
		return InCells(s, p, want).Class
	}
	want, err := Compiled(t.Context(), t.TempDir(), []*Case{p})
	if err != nil {
		t.Fatal(err)
	}
	first := class(p, want[0])
	if first == Same {
		t.Fatal("this program does not differ")
	}
	p, result, err := Shrink(t.Context(), t.TempDir(), p, func(p *Case, want Result) bool {
		return class(p, want) == first
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\n%s\n%s", first, p.Source, Format(p, result, string(first)+"\n"))
}
