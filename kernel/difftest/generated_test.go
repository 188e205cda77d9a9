package difftest

import (
	"flag"
	"testing"

	"nacre/kernel"
)

var (
	programs = flag.Int("programs", 1000, "how many programs to generate")
	seed     = flag.Uint64("seed", 1, "what they are generated from")
)

// TestGenerated runs generated programs in cells, as many in one session as share one, and compiled. None may be
// silently wrong.
func TestGenerated(t *testing.T) {
	const batch, shared = 500, 25
	counts := map[Class]int{}
	for from := 0; from < *programs; from += batch {
		var list []*Program
		for n := from; n < min(from+batch, *programs); n++ {
			p := Generate(*seed, n)
			if err := p.setImports(); err != nil {
				t.Fatalf("program %d: %v\n%s", n, err, p.Source("main"))
			}
			list = append(list, p)
		}
		want, err := Compiled(t.Context(), t.TempDir(), list)
		if err != nil {
			t.Fatal(err)
		}
		var s kernel.Session
		for k, p := range list {
			if k%shared == 0 {
				if s != nil {
					s.Close()
				}
				s = open(t)
			}
			o := InCells(s, p, want[k])
			counts[o.Class]++
			switch {
			case o.Class == Silent && counts[Silent] <= 5:
				t.Errorf("seed %d, program %d is silently wrong: %s\n%s\ngot\n%s%s\nwant\n%s%s", *seed, from+k, o.Error, p.Source("main"), o.Got.Output, o.Got.End, want[k].Output, want[k].End)
			case o.Class != Same && counts[o.Class] <= 3:
				t.Logf("program %d: %s: %s", from+k, o.Class, o.Error)
			}
		}
		s.Close()
	}
	t.Logf("seed %d, %d programs: %v", *seed, *programs, counts)
}
