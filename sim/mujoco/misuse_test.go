//go:build mujoco && cgo

package mujoco

import (
	"math"
	"strings"
	"sync"
	"testing"
)

// What a cell can do wrong is an error, or a panic that the cell shows, and never the end of the process: C memory that
// was freed, numbers out of range, controls that are no numbers.
func TestMisuse(t *testing.T) {
	m, c := newChunk(t, ball, 2)
	other, d := newChunk(t, ball, 1)
	saved, err := d.Save(0)
	if err != nil {
		t.Fatal(err)
	}
	varied, err := m.NewChunk(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	active, ctrl := []bool{true, true}, []float64{0, 0}
	refused := func(what, want string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
	for _, i := range []int{-1, 2, math.MaxInt32, math.MinInt64} {
		refused("reset", "expected one of 0 to 1", c.Reset(i))
		refused("forward", "expected one of 0 to 1", c.Forward(i))
		refused("advance", "expected one of 0 to 1", c.Advance(i, 1))
		_, err := c.Save(i)
		refused("save", "expected one of 0 to 1", err)
		refused("restore", "expected one of 0 to 1", c.Restore(i, saved))
	}
	refused("a snapshot of another model", "of another model", c.Restore(0, saved))
	refused("controls that are no numbers", "", c.Step(active, []float64{math.NaN(), math.Inf(1)}, 5))
	refused("too few controls", "2 flags and 1 controls", c.Step(active, ctrl[:1], 5))

	saved.Close()
	saved.Close()
	refused("a closed snapshot", "the snapshot was closed", d.Restore(0, saved))
	d.Close()
	d.Close()
	refused("a closed chunk", "the chunk was closed", d.Step(nil, nil, 1))
	refused("a closed chunk", "the chunk was closed", d.PlainLoop(ctrl, 1))
	refused("a closed chunk", "the chunk was closed", d.Reset(0))
	other.Close()
	other.Close()
	_, err = other.NewChunk(1)
	refused("a chunk of a closed model", "the model was closed", err)
	_, err = other.Body("ball")
	refused("a body of a closed model", "the model was closed", err)

	// A model that is closed before its chunks, which are closed too, one with and one without parameters of its own.
	m.Close()
	refused("a closed model", "the model was closed", c.Step(active, ctrl, 1))
	refused("a closed model", "the model was closed", varied.Reset(0))
	c.Close()
	varied.Close()
}

// Of two goroutines that step the same chunk each step is whole, or refused; closing it waits for who steps.
func TestTwoGoroutinesOnOneChunk(t *testing.T) {
	_, c := newChunk(t, ball, 2)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 300 {
				err := c.Step([]bool{true, true}, []float64{0, 0}, 5)
				if err != nil && !strings.Contains(err.Error(), "another goroutine") &&
					!strings.Contains(err.Error(), "was closed") {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Go(func() {
		for range 100 {
			_ = c.Forward(1)
		}
		c.Close()
	})
	all.Wait()
}
