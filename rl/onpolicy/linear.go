package onpolicy

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Linear is the baseline of Duan et al. (2016): least squares on the features
// [o, o², t/100, (t/100)², (t/100)³, 1] with o clipped to ±10, for observations of the given width.
// Its zero weights predict 0.
type Linear struct {
	width  int
	ridge  float64
	weight []float64
	row    []float64
}

// NewLinear makes a baseline for observations of width numbers. The argument ridge is added to the diagonal of the
// normal equations and multiplied by 10 until they can be solved.
func NewLinear(width int, ridge float64) *Linear {
	n := 2*width + 4
	return &Linear{width: width, ridge: ridge, weight: make([]float64, n), row: make([]float64, n)}
}

// Weights returns the 2·width + 4 weights. They may be changed: the slice is not a copy.
func (l *Linear) Weights() []float64 { return l.weight }

// features writes those of step t of p to l.row.
func (l *Linear) features(p *Path, t int) []float64 {
	for j, o := range p.Obs[t*l.width : (t+1)*l.width] {
		x := math.Max(-10, math.Min(10, float64(o)))
		l.row[j], l.row[l.width+j] = x, x*x
	}
	x := float64(t) / 100
	copy(l.row[2*l.width:], []float64{x, x * x, x * x * x, 1})
	return l.row
}

// Fit fits the weights to the returns of the paths. Sums are added in the order of the paths and their steps, so equal
// paths give equal weights to the last bit.
func (l *Linear) Fit(paths []Path) error {
	n := len(l.weight)
	gram, rhs := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	raw, right := gram.RawSymmetric(), rhs.RawVector().Data
	steps := 0
	for k := range paths {
		p := &paths[k]
		steps += p.Len
		for t := range p.Len {
			x, y := l.features(p, t), p.Return[t]
			for i, a := range x {
				right[i] += a * y
				row := raw.Data[i*raw.Stride:]
				for j := i; j < n; j++ {
					row[j] += a * x[j]
				}
			}
		}
	}
	if steps == 0 {
		return fmt.Errorf("onpolicy: a baseline fitted to %d paths without a step", len(paths))
	}
	solution := mat.NewVecDense(n, l.weight)
	for ridge := l.ridge; ridge < 1e10; ridge *= 10 {
		system := mat.NewSymDense(n, nil)
		system.CopySym(gram)
		for i := range n {
			system.SetSym(i, i, gram.At(i, i)+ridge)
		}
		var factor mat.Cholesky
		if factor.Factorize(system) && factor.SolveVecTo(solution, rhs) == nil && finite(l.weight) {
			return nil
		}
	}
	return fmt.Errorf("onpolicy: the baseline's normal equations of %d steps have no finite solution: an observation "+
		"or a return is not a number", steps)
}

func finite(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// Predict writes the values of all steps of the paths.
func (l *Linear) Predict(paths []Path) {
	for k := range paths {
		p := &paths[k]
		for t := range p.Len {
			var v float64
			for i, x := range l.features(p, t) {
				v += x * l.weight[i]
			}
			p.Value[t] = v
		}
	}
}
