package kernel_test

import (
	"math/rand"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"nacre/kernel"
)

// TestTorsos feeds the kernel broken and shuffled programs, those that package fidelity runs whole, as cells being
// written are: it may refuse them, but neither the cell compiler nor the interpreter nor completion may fall over.
func TestTorsos(t *testing.T) {
	s := start(t)
	files, err := filepath.Glob("../fidelity/whole/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	r, seen := rand.New(rand.NewSource(3)), 0
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if !strings.HasSuffix(f.Name, ".go") {
				continue
			}
			if seen++; testing.Short() && seen%8 != 0 {
				continue
			}
			for _, code := range torsos(string(f.Data), r) {
				if fail := kernel.Prepare(s, code); fail != nil && fail.Name == "EngineError" {
					t.Errorf("%s\n%s", fail.Message, code)
				}
				cursor := r.Intn(len(code) + 1)
				s.Complete(t.Context(), code, cursor)
				s.Inspect(t.Context(), code, cursor, 0)
				s.IsComplete(code)
			}
		}
	}
}

// torsos returns src cut off, with a piece missing, with a stray character, and with two words exchanged.
func torsos(src string, r *rand.Rand) []string {
	cut := []int{r.Intn(len(src)), r.Intn(len(src))}
	slices.Sort(cut)
	words := strings.Fields(src)
	i, j := r.Intn(len(words)), r.Intn(len(words))
	words[i], words[j] = words[j], words[i]
	const stray = "(){}[];,.:=\"'`+*&"
	return []string{
		src[:cut[0]],
		src[:cut[0]] + src[cut[1]:],
		src[:cut[1]] + string(stray[r.Intn(len(stray))]) + src[cut[1]:],
		strings.Join(words, "\n"),
	}
}
