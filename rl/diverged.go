package rl

import (
	"fmt"
	"math"
	"slices"
)

// DivergedError reports a figure of an update that is no longer a finite number.
type DivergedError struct {
	Algorithm         string
	Loss              string // name of the figure
	Value             float64
	Iteration, Update int
	Tasks             []int // tasks of the meta-batch, as indices into Setup.Train; nil if the update has no meta-batch
}

func (e *DivergedError) Error() string {
	text := fmt.Sprintf("%s: %s became %v at iteration %d, update %d", e.Algorithm, e.Loss, e.Value,
		e.Iteration, e.Update)
	if e.Tasks != nil {
		text += fmt.Sprintf(" (meta-batch tasks %v)", e.Tasks)
	}
	return text
}

// Finite returns nil if v is a finite number, otherwise a DivergedError. Tasks may be nil; they are copied.
func Finite(algorithm, loss string, v float64, iteration, update int, tasks []int) error {
	if !math.IsNaN(v) && !math.IsInf(v, 0) {
		return nil
	}
	return &DivergedError{algorithm, loss, v, iteration, update, slices.Clone(tasks)}
}
