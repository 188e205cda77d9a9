package fidelity

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"nacre/internal/heavy"
)

// enough is the share of generated programs that must print what they print compiled; of the others each is refused.
const enough = 0.95

// TestGenerated runs generated programs in cells and compiled.
func TestGenerated(t *testing.T) {
	heavy.Skip(t, "compiles many programs")
	needsCells(t)
	const batch = 500
	counts := map[Class]int{}
	for from := 0; from < *programs; from += batch {
		var list []*Case
		for n := from; n < min(from+batch, *programs); n++ {
			list = append(list, Generate(*seed, n))
		}
		want, err := Compiled(t.Context(), t.TempDir(), list)
		if err != nil {
			t.Fatal(err)
		}
		for k, o := range outcomes(t, list, want) {
			p := list[k]
			counts[o.Class]++
			if o.Class == Same {
				continue
			}
			if *keep != "" {
				os.WriteFile(filepath.Join(*keep, p.Name+".go"), []byte(p.Source), 0o644)
			}
			if counts[o.Class] <= *shown {
				t.Log(o.Difference(p, want[k]))
			}
		}
	}
	t.Log(summary(*seed, *programs, counts))
	record(t, fmt.Sprintf("generated, seed %d", *seed), *programs, counts)
	if counts[Silent] > 0 || float64(counts[Same]) < enough*float64(*programs) {
		t.Errorf("%d of %d programs as compiled, %d silently wrong", counts[Same], *programs, counts[Silent])
	}
}

// shared is how many programs run in one session, one after the other.
const shared = 10

// outcomes runs programs in sessions, on all processors.
func outcomes(t *testing.T, list []*Case, want []Result) []Outcome {
	out := make([]Outcome, len(list))
	groups := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		wg.Go(func() {
			for from := range groups {
				s := open(t)
				for k := from; k < min(from+shared, len(list)); k++ {
					out[k] = InCells(s, list[k], want[k])
				}
				s.Close()
			}
		})
	}
	for from := 0; from < len(list); from += shared {
		groups <- from
	}
	close(groups)
	wg.Wait()
	return out
}

func summary(seed uint64, n int, counts map[Class]int) string {
	return fmt.Sprintf("seed %d, %d programs: %d same, %d refused, %d wrong error, %d silently wrong",
		seed, n, counts[Same], counts[Refused], counts[Wrong], counts[Silent])
}
