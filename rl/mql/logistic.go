package mql

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

// logistic is a linear classifier: f(x) = w·x + b is above 0 for what looks like train tasks, below for the test task.
type logistic struct {
	weight    []float64
	intercept float64
	accuracy  float64 // on what it was fitted to
}

// maxLogisticIterations bounds the fit; it takes tens.
const maxLogisticIterations = 2000

// fitLogistic minimises  ½|w|² + C·Σ log(1 + exp(−yᵢ·f(xᵢ)))  over w and b by L-BFGS, as scikit-learn's
// LogisticRegression does. Labels are ±1.
func fitLogistic(x [][]float64, y []float64, c float64) (logistic, error) {
	n := len(x[0])
	problem := optimize.Problem{
		Func: func(p []float64) float64 {
			loss := floats.Dot(p[:n], p[:n]) / 2
			for i, row := range x {
				loss += c * softplus(-y[i]*(floats.Dot(p[:n], row)+p[n]))
			}
			return loss
		},
		Grad: func(grad, p []float64) {
			copy(grad, p[:n])
			grad[n] = 0
			for i, row := range x {
				d := -c * y[i] / (1 + math.Exp(y[i]*(floats.Dot(p[:n], row)+p[n])))
				floats.AddScaled(grad[:n], d, row)
				grad[n] += d
			}
		},
	}
	settings := &optimize.Settings{GradientThreshold: 1e-6, MajorIterations: maxLogisticIterations}
	result, err := optimize.Minimize(problem, make([]float64, n+1), settings, &optimize.LBFGS{})
	// The line search gives up where rounding hides further descent; that is an end like any other.
	if result == nil || !finite(append(result.X, result.F)) {
		return logistic{}, fmt.Errorf("mql: logistic regression of %d rows: %w", len(x), err)
	}
	m := logistic{weight: result.X[:n], intercept: result.X[n]}
	for i, row := range x {
		if m.value(row)*y[i] > 0 {
			m.accuracy += 1 / float64(len(x))
		}
	}
	return m, nil
}

func (m logistic) value(x []float64) float64 { return floats.Dot(m.weight, x) + m.intercept }

// softplus is log(1 + eˣ) without overflow.
func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func finite(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
