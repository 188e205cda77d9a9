//go:build mujoco && cgo

package mujoco

// Warmstart returns the accelerations from which the constraint solver starts in environment i in place, nv long.
func (c *Chunk) Warmstart(i int) []float64 { return view(c.data[i].qacc_warmstart, c.model.sizes.NV) }
