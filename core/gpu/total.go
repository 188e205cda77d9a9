package gpu

// Total holds the totals of a schedule.
type Total struct {
	Launches int   `json:"launches"`
	Depth    int   `json:"depth"`  // number of launches that must be done one after the other
	FLOPs    int64 `json:"flops"`  // operations of matrix products, 2 per multiply-add
	Moved    int64 `json:"moved"`  // bytes read and written, each number of a launch once
	Memory   int64 `json:"memory"` // bytes of inputs, outputs and intermediate values
}

// Total adds up all launches. Set handOvers if blocks of one launch cannot wait for one another. Then a sum that
// several blocks share takes a second launch.
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
