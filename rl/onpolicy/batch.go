package onpolicy

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"nacre/core"
)

// Batch holds paths in the form of a program's inputs: Paths × Horizon rows, path after path. Short paths are padded
// with rows of weight 0. Every other row has the weight 1/(number of these rows), so Σ weight·x is the mean over steps.
type Batch struct {
	Paths, Horizon, ObsDim, ActDim int

	Obs       []float32 // rows × ObsDim
	Act       []float32 // rows × ActDim
	Advantage []float32 // rows
	Return    []float32 // rows
	Weight    []float32 // rows
}

// NewBatch makes a batch with room for `paths` paths of at most `horizon` steps.
func NewBatch(paths, horizon, obs, act int) *Batch {
	n := paths * horizon
	return &Batch{
		Paths: paths, Horizon: horizon, ObsDim: obs, ActDim: act, Obs: make([]float32, n*obs),
		Act:       make([]float32, n*act),
		Advantage: make([]float32, n), Return: make([]float32, n), Weight: make([]float32, n),
	}
}

// Rows is the number of rows, padding included.
func (b *Batch) Rows() int { return b.Paths * b.Horizon }

// Set replaces the content by paths. There may be fewer paths than the batch has room for.
func (b *Batch) Set(paths []Path) error {
	if len(paths) > b.Paths {
		return fmt.Errorf("onpolicy: %d paths for a batch of %d", len(paths), b.Paths)
	}
	steps := 0
	for i, p := range paths {
		if p.Len > b.Horizon {
			return fmt.Errorf("onpolicy: path %d has %d steps, the batch has room for %d", i, p.Len, b.Horizon)
		}
		steps += p.Len
	}
	for _, x := range [][]float32{b.Obs, b.Act, b.Advantage, b.Return, b.Weight} {
		clear(x)
	}
	for i, p := range paths {
		row := i * b.Horizon
		copy(b.Obs[row*b.ObsDim:], p.Obs[:p.Len*b.ObsDim])
		copy(b.Act[row*b.ActDim:], p.Act[:p.Len*b.ActDim])
		for t := range p.Len {
			b.Advantage[row+t], b.Return[row+t] = float32(p.Advantage[t]), float32(p.Return[t])
			b.Weight[row+t] = 1 / float32(steps)
		}
	}
	return nil
}

// Write sets the program's inputs prefix+name for each name of "obs", "act", "advantage", "return" and "weight".
func (b *Batch) Write(run core.Runner, prefix string, names ...string) error {
	for _, name := range names {
		x, ok := map[string][]float32{"obs": b.Obs, "act": b.Act, "advantage": b.Advantage, "return": b.Return,
			"weight": b.Weight}[name]
		if !ok {
			return fmt.Errorf("onpolicy: a batch has no %q", name)
		}
		if err := run.Write(prefix+name, x); err != nil {
			return err
		}
	}
	return nil
}

// Encode writes the content, little-endian; Decode reads it back into a batch of the same sizes.
func (b *Batch) Encode(w io.Writer) error {
	return binary.Write(w, binary.LittleEndian, slices.Concat(b.Obs, b.Act, b.Advantage, b.Return, b.Weight))
}

// Decode replaces the content by what Encode wrote.
func (b *Batch) Decode(r io.Reader) error {
	for _, x := range [][]float32{b.Obs, b.Act, b.Advantage, b.Return, b.Weight} {
		if err := binary.Read(r, binary.LittleEndian, x); err != nil {
			return fmt.Errorf("onpolicy: batch of %d × %d rows: %w", b.Paths, b.Horizon, err)
		}
	}
	return nil
}
