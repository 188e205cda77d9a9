package gpu

// Total holds what a plan comes to.
type Total struct {
	Launches int   `json:"launches"`
	Depth    int   `json:"depth"`  // of launches that must be done one after the other
	FLOPs    int64 `json:"flops"`  // in matrix products, 2 per multiply-add
	Moved    int64 `json:"moved"`  // bytes read and written, each number of a launch once
	Memory   int64 `json:"memory"` // bytes of inputs, outputs and intermediate values
}

// Total adds up all launches. HandOvers says that sums which blocks share take a second launch, as they do where blocks
// of one launch cannot wait for one another.
func (pl *Schedule) Total(handOvers bool) Total {
	t := Total{Launches: len(pl.Units), Depth: pl.Depth()}
	for _, u := range pl.Units {
		flops, bytes := pl.Work(u)
		t.FLOPs, t.Moved = t.FLOPs+flops, t.Moved+bytes
		if u.Kernel != nil && u.Kernel.Slices > 1 {
			t.Moved += 8 * int64(u.Kernel.Partial)
			if handOvers {
				t.Launches++
			}
		}
	}
	for _, n := range pl.Place.Size {
		t.Memory += 4 * int64(n)
	}
	return t
}
