package core

import (
	"errors"
	"fmt"
)

// Loading is a program to be made and loaded, and where its runner goes.
type Loading struct {
	Run  *Runner
	Make func() (*Program, error)
}

// LoadAll makes programs and loads them on parameters in m, one after the other, and returns the work of a run of each
// in matrix products, Program.FLOPs. It stops at the first error; the runners loaded before it stay loaded.
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

// CloseAll closes runners; those that are nil are left out.
func CloseAll(runs ...Runner) error {
	var errs []error
	for _, run := range runs {
		if run != nil {
			errs = append(errs, run.Close())
		}
	}
	return errors.Join(errs...)
}

// AddScalars adds weight times outputs of one number, 1×1, to the numbers beside their names.
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
