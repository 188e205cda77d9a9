package difftest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"nacre/kernel"
)

// TestGenerated runs generated programs in cells, as many in one session as share one, and compiled. None may be
// silently wrong or fail otherwise; what is refused is counted.
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
				report := t.Error
				if o.Class == Refused {
					report = t.Log
				}
				report(o.Difference(p, want[k]))
			}
		}
		s.Close()
	}
	t.Log(summary(*seed, *programs, counts))
}

func summary(seed uint64, n int, counts map[Class]int) string {
	return fmt.Sprintf("seed %d, %d programs: %d same, %d refused, %d wrong error, %d silently wrong",
		seed, n, counts[Same], counts[Refused], counts[Wrong], counts[Silent])
}
