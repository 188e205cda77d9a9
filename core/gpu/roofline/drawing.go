package roofline

import (
	"nacre/core/feed"
	"nacre/core/gpu"
)

// These are the model's assumptions on the kernels that draw an update's data (core/cuda/feed.h).
const (
	near     = 0.05 // µs of a load that the first-level cache has, and of the arithmetic that waits for it
	skipping = 1.0  // µs in which a lane finds its place in the stream
	// µs in which it finds out what starts at its numbers, if that is outside the ziggurat's rectangles
	starting    = 2.0
	perElement  = 6   // loads that wait for one another, from a part of an input to its number
	walking     = 12  // such loads before a lane walks its part of the normals' stream
	perWindow   = 6   // such loads from a task to a window of this task
	perRows     = 1   // such loads for every gpu.BlockSize rows that are drawn together
	partNumbers = 512 // of an input that a block fills
)

// drawing adds the launches around an update's own launches in training, for every memory. gather fills the inputs with
// data that were drawn before. raw, draw, walk and normals draw the data of the next update while this one runs. note
// keeps the scalars. All of them but note come first in Launches.
func (m *Model) drawing(d *gpu.Drawing) (before, after []Launch) {
	add := func(list *[]Launch, name, what string, branch int, deps []int, busy float64, blocks int,
		bytes float64) int {
		n := len(before)
		*list = append(*list, Launch{Number: n, What: what, Kernel: name, Branch: branch, After: deps,
			Bytes: int64(bytes),
			cost: cost{alone: m.Card.Start + busy, ideal: bytes / m.Card.CacheRate / 1e6,
				workers: min(m.Card.SMs, gpu.CeilDiv(blocks, resident)), bytes: bytes, bound: "latency"}})
		return n
	}
	numbers := 0
	for _, f := range d.Recipe.Fills {
		numbers += d.Rows(f) * d.Cols(f)
	}
	numbers += d.Noises
	filled := -1
	for range m.Options.Memories {
		blocks := gpu.CeilDiv(numbers, partNumbers)
		waves := float64(gpu.CeilDiv(blocks, m.Card.SMs*resident))
		var deps []int
		if filled >= 0 {
			deps = []int{filled}
		}
		filled = add(&before, "gather", "fill inputs with what was drawn", 0, deps, waves*perElement*m.Card.Latency,
			blocks, 8*float64(numbers))
	}
	blocks, length := d.Walks()
	for k := range m.Options.Memories {
		branch := gpu.MaxBranches + k
		n := add(&before, "raw", "numbers of the next update's stream", branch, []int{filled}, skipping+2*starting,
			gpu.CeilDiv(d.Raws, 2*gpu.BlockSize), 14*float64(d.Raws))
		n = add(&before, "draw", "tasks and rows of the next update", branch, []int{n}, m.picking(d), 1, 0)
		n = add(&before, "walk", "where parts of the normals' stream are entered", branch, []int{n},
			walking*m.Card.Latency+near*float64(length)+barrier*gpu.BlockSize, blocks, 2*float64(d.Noises))
		add(&before, "normals", "noise of the next update", branch, []int{n}, 5*m.Card.Latency+barrier*float64(blocks)+
			2*near*float64(length), blocks, 10*float64(d.Noises))
		add(&after, "note", "keep the update's scalars", 0, nil, 2*m.Card.Latency, 1, 0)
	}
	return before, after
}

// picking is how long one block draws tasks and rows.
func (m *Model) picking(d *gpu.Drawing) float64 {
	us := 2 * near * float64(d.Tasks)
	for _, p := range d.Picks {
		each := perWindow * m.Card.Latency
		if p.Kind == feed.Transitions {
			each = float64(gpu.CeilDiv(p.N, gpu.BlockSize)) * perRows * m.Card.Latency
		}
		us += float64(d.Slots) * each
	}
	return us
}
