//go:build mujoco && cgo

package mujoco

/*
#include "chunk.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"slices"
)

// Snapshot is a copy of one environment: everything MuJoCo keeps about its state, derived arrays and warm starts
// included, and the values of the varied fields. It may be restored by several goroutines at once.
type Snapshot struct {
	model  *Model
	data   *C.mjData
	params []float64
}

// Save copies environment i. Close frees the copy.
func (c *Chunk) Save(i int) (*Snapshot, error) {
	if err := c.enter(i); err != nil {
		return nil, err
	}
	defer c.leave()
	s := &Snapshot{model: c.model, params: slices.Clone(c.Parameters(i))}
	if C.nacre_copy(c.model.m, &s.data, c.data[i], c.fault) != C.NACRE_OK {
		return nil, c.failureOf(i)
	}
	return s, nil
}

// Restore puts environment i into the state that was saved in s, bit for bit. s may come from another chunk of the same
// model that varies the same fields.
func (c *Chunk) Restore(i int, s *Snapshot) error {
	if err := c.enter(i); err != nil {
		return err
	}
	defer c.leave()
	if s.data == nil {
		return errors.New("mujoco: the snapshot was closed")
	}
	if s.model != c.model || len(s.params) != len(c.nominal) {
		return fmt.Errorf("mujoco: the snapshot is of another model or of a chunk that varies other fields")
	}
	copy(c.Parameters(i), s.params)
	if C.nacre_copy(c.model.m, &c.data[i], s.data, c.fault) != C.NACRE_OK {
		return c.failureOf(i)
	}
	return nil
}

// Close frees the copy.
func (s *Snapshot) Close() {
	if s.data != nil {
		C.nacre_delete_data(s.data)
		s.data = nil
	}
}
