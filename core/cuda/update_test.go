//go:build linux && (amd64 || arm64) && !nogpu

package cuda_test

import (
	"fmt"
	"math"
	"testing"

	"nacre/bench/yardstick"
	"nacre/core"
	"nacre/core/cuda"
	"nacre/core/cuda/fakecuda"
	"nacre/core/ref"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newDevice(t testing.TB, o cuda.Options) core.Device {
	t.Helper()
	d, err := cuda.New(o)
	must(t, err)
	return d
}

// small is the yardstick's update with networks of odd widths, so that it is quick in the reference too.
var small = yardstick.Size{Name: "small", Obs: 5, Act: 3, Latent: 3, Hidden: 19, EncoderHidden: 13, Window: 6, RewardScale: 5}

// Whole updates, through the executor and the C side of every kernel, agree with the reference's over three updates; and
// they are the same bits whatever the order of lanes, blocks and branches, so that no barrier and no dependency is missing.
func TestUpdates(t *testing.T) {
	for _, products := range []string{"cublaslt", "own"} {
		for _, withTCL := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/tcl=%v", products, withTCL), func(t *testing.T) {
				gpu := fakecuda.Use(t)
				want := figures(t, ref.Device, small, withTCL, 3)
				var first []yardstick.Figures
				for order := range 4 {
					gpu.Order(order)
					got := figures(t, newDevice(t, cuda.Options{Products: products}), small, withTCL, 3)
					if order == 0 {
						first = got
						near(t, got, want, 2e-5)
						continue
					}
					near(t, got, first, 0)
				}
			})
		}
	}
}

// figures makes updates and returns what each came to.
func figures(t testing.TB, d core.Device, size yardstick.Size, withTCL bool, updates int) []yardstick.Figures {
	t.Helper()
	y, err := yardstick.New(size, withTCL, d)
	must(t, err)
	defer y.Close()
	var out []yardstick.Figures
	for step := range updates {
		f, err := y.Update(step)
		must(t, err)
		out = append(out, f)
	}
	return out
}

// near compares figures, relative to their size.
func near(t *testing.T, got, want []yardstick.Figures, tolerance float64) {
	t.Helper()
	largest := 0.0
	for step := range want {
		for name, w := range want[step] {
			diff := math.Abs(got[step][name]-w) / math.Abs(w)
			largest = max(largest, diff)
			if !(diff <= tolerance) {
				t.Errorf("update %d: %s = %.9g, want %.9g", step+1, name, got[step][name], w)
			}
		}
	}
	t.Logf("largest relative difference %.1e", largest)
}

// The full-sized update agrees with the figures of an independent PyTorch program.
func TestYardstick(t *testing.T) {
	fakecuda.Use(t)
	d := newDevice(t, cuda.Options{})
	y, err := yardstick.New(yardstick.Oyster, true, d)
	must(t, err)
	defer y.Close()
	got, err := y.Update(0)
	must(t, err)
	near(t, []yardstick.Figures{got}, []yardstick.Figures{y.Expected(0)}, 1e-4)
}
