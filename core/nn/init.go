package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"nacre/core"
)

// Oyster is the initialisation of the published PEARL implementation: hidden weights uniform in ±1/√n, hidden biases
// 0.1, weights and biases of the last layer uniform in ±Last.
//
// In the published code n is meant to be the number of a layer's inputs. But it reads the first dimension of a weight
// that is stored as outputs×inputs, so n is the number of outputs. This differs only if a layer changes the width, that
// is, in layer 0. FanIn makes n the number of inputs.
type Oyster struct {
	Last  float64
	FanIn bool
}

// Init draws m's parameters from r into mem: layer by layer, weights row by row, then biases. Adam's state is cleared.
func (o Oyster) Init(mem core.Memory, m MLP, r *rand.Rand) error {
	if !(o.Last >= 0) {
		return fmt.Errorf("nn: %s: half-width of the last layer %v; want at least 0", m.Name, o.Last)
	}
	specs := m.Specs()
	return initialise(mem, specs, func(i int, p core.ParamSpec, x []float64) {
		bias, last := i%2 == 1, i >= len(specs)-2
		switch {
		case last:
			uniform(x, o.Last, r)
		case bias:
			for k := range x {
				x[k] = 0.1
			}
		default:
			n := p.Cols
			if o.FanIn {
				n = p.Rows
			}
			uniform(x, 1/math.Sqrt(float64(n)), r)
		}
	})
}

// Xavier is the initialisation of Glorot and Bengio (2010): weights uniform in ±√(6/(inputs + outputs)), biases 0.
type Xavier struct {
	// Normal draws weights from a normal distribution of that variance, 2/(inputs + outputs), instead.
	Normal bool
	// Heads is the number of layers that lie side by side in the last layer, such as means and deviations. They have
	// equally many outputs, and each is drawn as a layer of its own. 0 means 1.
	Heads int
}

// Init draws m's parameters from r into mem: layer by layer, weights row by row, then biases. Adam's state is cleared.
func (x Xavier) Init(mem core.Memory, m MLP, r *rand.Rand) error {
	specs := m.Specs()
	return initialise(mem, specs, func(i int, p core.ParamSpec, w []float64) {
		outputs := p.Cols
		if i == len(specs)-2 {
			outputs /= max(x.Heads, 1)
		}
		sum := float64(p.Rows + outputs)
		switch {
		case i%2 == 1: // a bias
		case x.Normal:
			for k := range w {
				w[k] = math.Sqrt(2/sum) * r.NormFloat64()
			}
		default:
			uniform(w, math.Sqrt(6/sum), r)
		}
	})
}

// initialise sets parameters to what fill makes of zeros, in order, and clears their optimiser state.
func initialise(mem core.Memory, specs []core.ParamSpec, fill func(i int, p core.ParamSpec, x []float64)) error {
	for i, p := range specs {
		x := make([]float64, p.Rows*p.Cols)
		fill(i, p, x)
		if err := reset(mem, p, x); err != nil {
			return err
		}
	}
	return nil
}

// uniform fills x with numbers in ±half.
func uniform(x []float64, half float64, r *rand.Rand) {
	for i := range x {
		x[i] = half * (2*r.Float64() - 1)
	}
}

// reset writes a parameter and clears its optimiser state.
func reset(mem core.Memory, p core.ParamSpec, x []float64) error {
	zero := make([]float64, len(x))
	for _, e := range []struct {
		name string
		x    []float64
	}{{p.Name, x}, {p.Name + ".m", zero}, {p.Name + ".v", zero}, {p.Name + ".t", zero[:1]}} {
		if err := mem.Write(e.name, e.x); err != nil {
			return fmt.Errorf("nn: %w", err)
		}
	}
	return nil
}

// Copy copies the parameters of the network `from` to the network `to`, which has the same shape. It clears the
// optimiser state of `to`.
func Copy(mem core.Memory, to, from Network) error {
	src, dst := from.Specs(), to.Specs()
	if err := alike(dst, src); err != nil {
		return fmt.Errorf("nn: copy: %w", err)
	}
	for i, p := range dst {
		x := make([]float64, p.Rows*p.Cols)
		if err := mem.Read(src[i].Name, x); err != nil {
			return fmt.Errorf("nn: %w", err)
		}
		if err := reset(mem, p, x); err != nil {
			return err
		}
	}
	return nil
}

// InitUniform draws every parameter of n, weights and biases alike, uniformly from ±half, in the order of Specs.
// PyTorch does this to a GRU, with half = 1/√Hidden. Adam's state is cleared.
func InitUniform(mem core.Memory, n Network, half float64, r *rand.Rand) error {
	return initialise(mem, n.Specs(), func(_ int, _ core.ParamSpec, x []float64) { uniform(x, half, r) })
}

// InitXavier draws the weights of n as Xavier does, matrix by matrix, and sets biases to 0. A parameter counts as a
// bias if it has one row and an odd place in Specs. A GRU's three gates count as one matrix, as in Keras.
func InitXavier(mem core.Memory, n Network, r *rand.Rand) error {
	return initialise(mem, n.Specs(), func(i int, p core.ParamSpec, x []float64) {
		if i%2 == 0 {
			uniform(x, math.Sqrt(6/float64(p.Rows+p.Cols)), r)
		}
	})
}

// InitTorch draws a perceptron's weights and biases as PyTorch does: layer by layer uniform in ±1/√inputs. Adam's state
// is cleared.
func InitTorch(mem core.Memory, m MLP, r *rand.Rand) error {
	half := 0.0
	return initialise(mem, m.Specs(), func(i int, p core.ParamSpec, x []float64) {
		if i%2 == 0 {
			half = 1 / math.Sqrt(float64(p.Rows))
		}
		uniform(x, half, r)
	})
}
