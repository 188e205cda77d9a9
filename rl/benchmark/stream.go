package benchmark

import (
	"math"

	"nacre/core"
	"nacre/internal/rng"
)

// Updated makes update number step.
func Updated(y interface {
	Prepare(step int) error
	Run() error
}, step int) error {
	if err := y.Prepare(step); err != nil {
		return err
	}
	return y.Run()
}

// Read reads outputs of one number.
func Read(run core.Runner, names []string) (Figures, error) {
	f := Figures{}
	var x [1]float64
	for _, name := range names {
		if err := run.Read64(name, x[:]); err != nil {
			return nil, err
		}
		f[name] = x[0]
	}
	return f, nil
}

// Write writes inputs by name.
func Write(run core.Runner, inputs map[string][]float64) error {
	for name, x := range inputs {
		if err := run.Write64(name, x); err != nil {
			return err
		}
	}
	return nil
}

// Fill writes parameters from the streams, each within its bound.
func Fill(m core.Memory, specs []core.ParamSpec, bound func(core.ParamSpec) float64) error {
	for i, p := range specs {
		if err := m.Write(p.Name, Weights(i, p, bound)); err != nil {
			return err
		}
	}
	return nil
}

// Weights are the weights of parameter number i, from stream 1000+i.
func Weights(i int, p core.ParamSpec, bound func(core.ParamSpec) float64) []float64 {
	b := bound(p)
	return rng.Uniform(uint64(1000+i), p.Rows*p.Cols, -b, b)
}

// Glorot is the bound of Glorot and Bengio (2010) for a matrix, and 0.1 for biases and log standard deviations.
func Glorot(p core.ParamSpec) float64 {
	if p.Rows == 1 {
		return 0.1
	}
	return math.Sqrt(6 / float64(p.Rows+p.Cols))
}

// Ends returns 1 for each of n transitions that ends an episode, else 0. About one in a hundred ends one. It uses
// stream 5.
func Ends(n int) []float64 {
	done := rng.Uniform(5, n, 0, 1)
	for i, u := range done {
		done[i] = 0
		if u < 0.01 {
			done[i] = 1
		}
	}
	return done
}

// Transpose returns the transpose of a rows×cols matrix, row-major.
func Transpose(x []float64, rows, cols int) []float64 {
	t := make([]float64, len(x))
	for i := range rows {
		for j := range cols {
			t[j*rows+i] = x[i*cols+j]
		}
	}
	return t
}

// Narrow rounds to float32.
func Narrow(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}
