package difftest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"nacre/kernel"
)

// enough is the share of generated programs that must print what they print compiled. The others are open defects.
const enough = 0.85

// TestGenerated runs generated programs in cells, as many in one session as share one, and compiled.
func TestGenerated(t *testing.T) {
	const batch = 500
	counts := map[Class]int{}
	for from := 0; from < *programs; from += batch {
		var list []*Program
		for n := from; n < min(from+batch, *programs); n++ {
			list = append(list, Generate(*seed, n))
		}
		want, err := Compiled(t.Context(), t.TempDir(), list)
		if err != nil {
			t.Fatal(err)
		}
		var s kernel.Session
		const shared = 10
		for k, p := range list {
			if k%shared == 0 {
				if s != nil {
					s.Close()
				}
				s = open(t)
			}
			o := InCells(s, p, want[k])
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
		s.Close()
	}
	t.Log(summary(*seed, *programs, counts))
	if float64(counts[Same]) < enough*float64(*programs) {
		t.Errorf("only %d of %d programs as compiled", counts[Same], *programs)
	}
}

func summary(seed uint64, n int, counts map[Class]int) string {
	return fmt.Sprintf("seed %d, %d programs: %d same, %d refused, %d wrong error, %d silently wrong",
		seed, n, counts[Same], counts[Refused], counts[Wrong], counts[Silent])
}
