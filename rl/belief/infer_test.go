package belief_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/core/ref"
	"nacre/internal/rng"
	"nacre/rl/belief"
)

// devices are the reference and the kernels this machine runs by default.
func devices(t *testing.T) []core.Device {
	d, err := cpu.New(cpu.Options{Workers: 2})
	check(t, err)
	return []core.Device{ref.Device, d}
}

// load makes an encoder with random weights on a device, and its inference.
func load(t *testing.T, d core.Device) (belief.Encoder, core.Memory, *belief.Inference) {
	t.Helper()
	enc := belief.Encoder{Latent: 3, Net: nn.MLP{Name: "encoder", In: 5, Hidden: []int{9, 8}, Out: 6, Act: op.ReLU}}
	m, err := d.NewMemory(enc.Net.Specs())
	check(t, err)
	check(t, nn.Oyster{Last: 0.5}.Init(m, enc.Net, rng.New(3)))
	f, err := belief.NewInference(d, m, enc)
	check(t, err)
	t.Cleanup(func() { check(t, f.Close()) })
	return enc, m, f
}

func contexts(width int, rows ...int) [][]float32 {
	r := rng.New(4)
	out := make([][]float32, len(rows))
	for i, n := range rows {
		out[i] = make([]float32, n*width)
		for k := range out[i] {
			out[i][k] = float32(r.NormFloat64())
		}
	}
	return out
}

// product computes a posterior row by row in float64, apart from everything the package does.
func product(t *testing.T, m core.Memory, enc belief.Encoder, rows []float32) belief.Gaussian {
	t.Helper()
	specs := enc.Net.Specs()
	params := make([][]float64, len(specs))
	for i, p := range specs {
		params[i] = make([]float64, p.Rows*p.Cols)
		check(t, m.Read(p.Name, params[i]))
	}
	g := belief.Gaussian{Mean: make([]float64, enc.Latent), Var: make([]float64, enc.Latent)}
	for ; len(rows) > 0; rows = rows[enc.Width():] {
		h := make([]float64, enc.Width())
		for i := range h {
			h[i] = float64(rows[i])
		}
		for k := 0; k < len(specs); k += 2 {
			next := append([]float64(nil), params[k+1]...)
			for j := range next {
				for i := range h {
					next[j] += h[i] * params[k][i*specs[k].Cols+j]
				}
				if k < len(specs)-2 {
					next[j] = max(next[j], 0)
				}
			}
			h = next
		}
		for l := range enc.Latent {
			precision := 1 / max(math.Log1p(math.Exp(h[enc.Latent+l])), 1e-7)
			g.Var[l] += precision
			g.Mean[l] += precision * h[l]
		}
	}
	for l := range g.Var {
		g.Mean[l] /= g.Var[l]
		g.Var[l] = 1 / g.Var[l]
	}
	return g
}

// Contexts of any length, also of many more rows than the program holds at a time, give the product over all rows.
func TestInferenceOverPieces(t *testing.T) {
	for _, d := range devices(t) {
		enc, m, f := load(t, d)
		cs := contexts(enc.Width(), 1, 63, 64, 65, 0, 200, 1500, 7)
		got, err := f.Posteriors(cs)
		check(t, err)
		tolerance := 1e-12
		if d != ref.Device {
			tolerance = 1e-5
		}
		for i, c := range cs {
			want := belief.Prior(enc.Latent)
			if len(c) > 0 {
				want = product(t, m, enc, c)
			}
			for l := range want.Mean {
				if math.Abs(got[i].Mean[l]-want.Mean[l]) > tolerance ||
					math.Abs(got[i].Var[l]/want.Var[l]-1) > tolerance {
					t.Errorf("%s, %d rows, dimension %d: N(%v, %v), want N(%v, %v)", d.Name(), len(c)/enc.Width(), l,
						got[i].Mean[l], got[i].Var[l], want.Mean[l], want.Var[l])
				}
			}
		}
	}
}

// A posterior has the same bits alone and beside any others, also after contexts that are not numbers.
func TestInferenceOfOneContextOnly(t *testing.T) {
	for _, d := range devices(t) {
		enc, _, f := load(t, d)
		cs := contexts(enc.Width(), 10, 900, 70, 300)
		together, err := f.Posteriors(cs)
		check(t, err)
		broken := contexts(enc.Width(), 1024)
		for i := range broken[0] {
			broken[0][i] = float32(math.NaN())
		}
		_, err = f.Posteriors(broken)
		check(t, err)
		for i := range cs {
			alone, err := f.Posteriors(cs[i : i+1])
			check(t, err)
			if got, want := fmt.Sprint(alone[0]), fmt.Sprint(together[i]); got != want {
				t.Errorf("%s: context %d alone gives %s, beside others %s", d.Name(), i, got, want)
			}
		}
	}
}

// Inference reads the encoder as it is at each call.
func TestInferenceFollowsTheEncoder(t *testing.T) {
	enc, m, f := load(t, ref.Device)
	cs := contexts(enc.Width(), 20)
	before, err := f.Posteriors(cs)
	check(t, err)
	check(t, m.Write("encoder/b2", []float64{1, 1, 1, 0, 0, 0}))
	after, err := f.Posteriors(cs)
	check(t, err)
	want := product(t, m, enc, cs[0])
	for l := range want.Mean {
		near(t, "mean after the change", after[0].Mean[l], want.Mean[l])
		if after[0].Mean[l] == before[0].Mean[l] {
			t.Errorf("dimension %d: the mean stayed at %v", l, before[0].Mean[l])
		}
	}
}

func TestInferenceRejectsPartialRows(t *testing.T) {
	enc, _, f := load(t, ref.Device)
	_, err := f.Posteriors([][]float32{make([]float32, enc.Width()), make([]float32, enc.Width()+1)})
	if err == nil || !strings.Contains(err.Error(), "context 1 has 6 numbers, want a multiple of the row width 5") {
		t.Errorf("error %v, want one that names the context and the width", err)
	}
}

// A draw is mean + standard deviation × the stream's normal numbers.
func TestGaussianSample(t *testing.T) {
	g := belief.Gaussian{Mean: []float64{1, -2}, Var: []float64{4, 0.25}}
	r := rng.New(9)
	a, b := r.NormFloat64(), r.NormFloat64()
	z := g.Sample(rng.New(9))
	near(t, "z₀", z[0], 1+2*a)
	near(t, "z₁", z[1], -2+0.5*b)
	prior := belief.Prior(2)
	near(t, "prior mean", prior.Mean[1], 0)
	near(t, "prior variance", prior.Var[1], 1)
}
