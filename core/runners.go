package core

import (
	"errors"
	"fmt"
)

// Loading is a program to make and load, and the place of its runner.
type Loading struct {
	Run  *Runner
	Make func() (*Program, error)
}

// LoadAll makes programs and loads them one after the other on parameters in m. For each it returns the FLOPs of one
// run (Program.FLOPs). It stops at the first error; the runners loaded before it stay loaded.
func LoadAll(d Device, m Memory, programs ...Loading) (flops []int64, err error) {
	for _, x := range programs {
		p, err := x.Make()
		if err != nil {
			return flops, err
		}
		if *x.Run, err = d.Load(p, m); err != nil {
			return flops, err
		}
		flops = append(flops, p.FLOPs())
	}
	return flops, nil
}

// CloseAll closes the runners that are not nil.
func CloseAll(runs ...Runner) error {
	var errs []error
	for _, run := range runs {
		if run != nil {
			errs = append(errs, run.Close())
		}
	}
	return errors.Join(errs...)
}

// AddScalars multiplies each 1×1 output by weight and adds it to the entry of that name.
func AddScalars(run Runner, weight float64, to map[string]*float64) error {
	var v [1]float64
	for name, sum := range to {
		if err := run.Read64(name, v[:]); err != nil {
			return fmt.Errorf("output %s: %w", name, err)
		}
		*sum += weight * v[0]
	}
	return nil
}
