package bounded

import (
	"strings"
	"testing"
)

// recorder is a test whose failure is the point.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Helper()                   {}
func (r *recorder) Errorf(f string, _ ...any) { r.said += f }
func (r *recorder) Fatalf(f string, _ ...any) { r.said += f }
func (r *recorder) Failed() bool              { return r.said != "" }

var kept []byte

func TestMemoryIsCounted(t *testing.T) {
	r := &recorder{}
	done := Input(r, 10)
	for range 100 {
		kept = make([]byte, 1<<20)
	}
	done()
	if !strings.Contains(r.said, "memory") {
		t.Errorf("100 MiB for 10 bytes: %q", r.said)
	}
	r = &recorder{}
	done = Input(r, 10)
	kept = make([]byte, 1<<20)
	done()
	if r.Failed() {
		t.Error(r.said)
	}
}

func TestLarge(t *testing.T) {
	inputs, most := 0, 0
	Large(t, func(b []byte) { inputs, most = inputs+1, max(most, len(b)) }, []byte("{}"), nil)
	if inputs != 1+4*len(fragments) || most < 1<<20 || most > 2<<20 {
		t.Errorf("%d inputs, the largest of %d bytes", inputs, most)
	}
	r := &recorder{}
	Large(r, func(b []byte) {
		for range 2000 {
			if r.Failed() {
				return
			}
			kept = make([]byte, len(b))
		}
	}, []byte("x"))
	if !r.Failed() {
		t.Error("two thousand copies are not noticed")
	}
}
