//go:build (((linux || darwin) && (amd64 || arm64)) || js) && !nogpu

package webgpu

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"nacre/internal/wgpu"
	"nacre/tsne"
)

// descent implements tsne.Descent: the buffers of a layout. Which grid an iteration has depends on the layout alone,
// not on how many iterations are asked for at once.
type descent struct {
	*Accelerator
	points, edges int

	state, ends, neighbours, affinities wgpu.Handle
	settings                            wgpu.Handle
	nodes, waves, table                 wgpu.Handle // buffers of the present grid
	groups                              [2]wgpu.Handle
	owned                               []wgpu.Handle
	list                                wgpu.Recording
	transforms                          string // kernels of the grid's transforms

	grid   grid
	around box     // the layout
	z      float64 // Z of the layout before the last iteration
	made   int
	placed bool // there is a grid
	out    bool // the layout has left it
}

// The same as in settings.wgsl.
const (
	statusMade = 0
	statusOut  = 1
	statusBox  = 2
	statusZ    = 6
	statusSize = 16
	partSize   = 8
	selfTable  = 4 * 17 * 17
)

const (
	// lookEvery is after how many iterations it is seen whether a grid has become too large.
	lookEvery = 10
	// submission is how many operations are given to the GPU at once, by a rough count: systems take a GPU away from a
	// program that holds it for seconds, and in between a layout can be stopped.
	submission = 4e9
)

func (d *descent) parts() int    { return (d.points + wgpu.Lanes - 1) / wgpu.Lanes }
func (d *descent) statusAt() int { return 10*d.points + partSize*d.parts() }

// work is about how many operations an iteration takes.
func (d *descent) work() float64 {
	values := float64(d.grid.lx * d.grid.ly)
	return 400*float64(d.points) + 12*float64(d.edges) + 10*values*float64(bits.Len(uint(d.grid.lx*d.grid.ly)))
}

// buffer makes a storage buffer, unless it is larger than the adapter can bind.
func (d *descent) buffer(what string, words int) (b wgpu.Handle, err error) {
	if err := d.info.TooLarge(what, words); err != nil {
		return b, err
	}
	return d.gpu.NewBuffer(what, words, false)
}

// load makes the buffers that do not depend on a grid, and fills them.
func (d *descent) load(w tsne.Work) error {
	for _, b := range []struct {
		to    *wgpu.Handle
		what  string
		words int
		text  []uint32
	}{
		{&d.state, "the layout", d.statusAt() + statusSize, nil},
		{&d.ends, "rows of affinities", len(w.Ends), wordsOf(w.Ends)},
		{&d.neighbours, "neighbours", len(w.Columns), wordsOf(w.Columns)},
		{&d.affinities, "affinities", len(w.Values), wgpu.Words(w.Values)},
	} {
		made, err := d.buffer(b.what, b.words)
		if err != nil {
			return err
		}
		*b.to, d.owned = made, append(d.owned, made)
		if err := d.gpu.Write(made, 0, b.text); err != nil {
			return err
		}
	}
	settings, err := d.gpu.NewBuffer("settings", 2*wgpu.ArgumentWords, true)
	if err != nil {
		return err
	}
	d.settings, d.owned = settings, append(d.owned, settings)
	return d.Write(centred(w.State))
}

// centred is a state with the mean of its positions at 0.
func centred(s tsne.State) tsne.State {
	var x, y float64
	for i := 0; i < len(s.Positions); i += 2 {
		x += float64(s.Positions[i])
		y += float64(s.Positions[i+1])
	}
	n := float64(len(s.Positions) / 2)
	moved := make([]float32, len(s.Positions))
	for i := 0; i < len(moved); i += 2 {
		moved[i] = float32(float64(s.Positions[i]) - x/n)
		moved[i+1] = float32(float64(s.Positions[i+1]) - y/n)
	}
	s.Positions = moved
	return s
}

// Write implements tsne.Descent.
func (d *descent) Write(s tsne.State) error {
	d.around = boxOf(s.Positions)
	d.out = d.placed && !d.fits(d.around)
	for at, x := range [][]float32{s.Positions, s.Steps, s.Gains} {
		if err := d.gpu.Write(d.state, 2*d.points*at, wgpu.Words(x)); err != nil {
			return err
		}
	}
	return nil
}

// fits reports whether the present grid is for a layout.
func (d *descent) fits(b box) bool { return b.inside(d.grid.room) && b.span() <= d.grid.widest }

// Read implements tsne.Descent.
func (d *descent) Read(s tsne.State) (z float64, err error) {
	f, err := d.gpu.Fetch(d.state, 0, 6*d.points)
	if err != nil {
		return 0, err
	}
	return d.z, f.Wait(func(words []uint32) {
		x := wgpu.Floats(words)
		for at, to := range [][]float32{s.Positions, s.Steps, s.Gains} {
			copy(to, x[2*d.points*at:2*d.points*(at+1)])
		}
	})
}

// Device implements tsne.Descent.
func (d *descent) Device() string { return d.name() }

// Close implements tsne.Descent.
func (d *descent) Close() {
	d.dropGrid()
	for _, b := range d.owned {
		d.gpu.FreeBuffer(b)
	}
	d.owned = nil
}

// Advance implements tsne.Descent.
func (d *descent) Advance(ctx context.Context, k int, ph tsne.Phase, clip float64) (made int, err error) {
	for made < k {
		if err := ctx.Err(); err != nil {
			return made, err
		}
		if !d.placed || d.out || d.made%lookEvery == 0 && d.grid.wasteful(d.around) {
			if err := d.place(); err != nil {
				return made, err
			}
		}
		some := min(k-made, lookEvery-d.made%lookEvery, max(1, int(submission/d.work())))
		n, err := d.iterate(some, ph, clip)
		if err != nil {
			return made, err
		}
		if n == 0 {
			return made, fmt.Errorf("an iteration was not made: %w", tsne.ErrStretched)
		}
		made, d.made = made+n, d.made+n
	}
	return made, nil
}

// iterate submits the given number of iterations. It returns how many were made before the layout left its grid.
func (d *descent) iterate(k int, ph tsne.Phase, clip float64) (int, error) {
	if err := d.gpu.Write(d.settings, 0, d.settingsOf(ph, clip)); err != nil {
		return 0, err
	}
	if err := d.gpu.Write(d.state, d.statusAt(), []uint32{statusMade: 0, statusOut: 0}); err != nil {
		return 0, err
	}
	lists := make([]wgpu.Recording, k)
	for i := range lists {
		lists[i] = d.list
	}
	if err := d.gpu.Submit(lists); err != nil {
		return 0, err
	}
	f, err := d.gpu.Fetch(d.state, d.statusAt(), statusSize)
	if err != nil {
		return 0, err
	}
	n := 0
	err = f.Wait(func(words []uint32) {
		s := wgpu.Floats(words)
		n, d.out, d.z = int(s[statusMade]), s[statusOut] > 0, float64(s[statusZ])
		d.around = box{s[statusBox], s[statusBox+1], s[statusBox+2], s[statusBox+3]}
	})
	return n, err
}

// settingsOf are the settings of an iteration as settings.wgsl has them.
func (d *descent) settingsOf(ph tsne.Phase, clip float64) []uint32 {
	g := d.grid
	charges := g.ny * g.stride()
	spectrum := 2 * charges
	factorsY := 2 * g.lx
	places := factorsY + 2*g.ly
	sharpenX := places + g.lx
	sharpenY := sharpenX + g.lx/2 + 1
	var out []uint32
	for _, v := range []int{
		d.points, g.nx, g.ny, g.stride(), g.lx, g.ly, 0, charges, spectrum, spectrum + (g.lx/2+1)*g.ly,
		factorsY, places, sharpenX, sharpenY,
	} {
		out = append(out, uint32(v))
	}
	x, y := g.origin()
	for _, v := range []float32{
		float32(g.h), x, y, d.charge(),
		float32(ph.Exaggeration), float32(ph.LearningRate), float32(ph.Momentum), float32(min(clip, 1e18)),
		g.room.lowX, g.room.lowY, g.room.highX, g.room.highY, float32(min(g.widest, 1e30)),
	} {
		out = append(out, math.Float32bits(v))
	}
	return out
}

// charge returns the number for a point's charge. It is a power of two, small enough that 32 bits hold the charges of
// all points at one node; each point leaves at most 0.55² of its charge there.
func (d *descent) charge() float32 {
	return float32(math.Exp2(math.Floor(math.Log2((1 << 32) / (0.31 * float64(d.points))))))
}

// Places of settings: the rows of the grid, and what makes rows and columns compute the kernel's spectrum.
const nyAt, makeAt = 2, 6

// place makes a grid for the layout, and the kernel's spectrum on it.
func (d *descent) place() error {
	g, ok := gridFor(d.around, d.longest)
	if !ok {
		return tsne.ErrStretched
	}
	d.dropGrid()
	d.grid = g
	words := g.tables()
	for _, b := range []struct {
		to    *wgpu.Handle
		what  string
		words int
	}{
		{&d.nodes, "the grid", 2*g.ny*g.stride() + (g.lx/2+1)*g.ly + selfTable},
		{&d.waves, "its spectrum", 2 * (g.lx/2 + 1) * g.ly},
		{&d.table, "factors", len(words)},
	} {
		var err error
		if *b.to, err = d.buffer(b.what, b.words); err != nil {
			return err
		}
		d.placed = true
	}
	if err := d.gpu.Write(d.table, 0, wgpu.Words(words)); err != nil {
		return err
	}
	for i, third := range []wgpu.Handle{d.ends, d.table} {
		var err error
		of := [wgpu.Bindings]wgpu.Handle{d.state, d.nodes, d.settings, third, d.neighbours, d.waves, d.affinities}
		if d.groups[i], err = d.gpu.NewGroup(of); err != nil {
			return err
		}
	}
	if g.expands {
		d.list = d.gpu.Record(d.iteration())
		return nil
	}
	var err error
	if d.transforms, err = d.Accelerator.transforms(max(g.lx, g.ly)); err != nil {
		return err
	}
	d.list = d.gpu.Record(d.iteration())
	return d.makeKernel()
}

func (d *descent) command(entry string, blocks int) wgpu.Command {
	return wgpu.Command{Kernel: d.kernels[entry], Group: d.groups[0], Blocks: blocks}
}

// transform is a command that works on rows or columns.
func (d *descent) transform(entry string, blocks int) wgpu.Command {
	return wgpu.Command{Kernel: d.kernels[entry+d.transforms], Group: d.groups[1], Blocks: blocks}
}

// convolution is the field of the charges that lie on the grid.
func (d *descent) convolution() []wgpu.Command {
	return []wgpu.Command{
		d.transform("rows", d.grid.ny/2), d.transform("columns", d.grid.lx/2+1), d.transform("rows_back", d.grid.ny/2),
	}
}

// iteration is all of one.
func (d *descent) iteration() []wgpu.Command {
	of := d.parts()
	var out []wgpu.Command
	if d.grid.expands {
		out = append(out, d.command("moments", of), d.command("all_moments", 1), d.command("expand", of))
	} else {
		out = append(out, d.command("spread", of))
		out = append(out, d.convolution()...)
		out = append(out, d.command("gather", of), d.command("total", 1))
	}
	return append(out, d.command("attract", (d.points+7)/8), d.command("descend", of), d.command("finish", 1),
		d.command("centre", of))
}

// makeKernel computes the kernel's spectrum, and the table of what a charge leaves at its own place.
func (d *descent) makeKernel() error {
	g := d.grid
	whole := d.settingsOf(tsne.Phase{}, 0)
	if err := d.gpu.Write(d.settings, 0, whole); err != nil {
		return err
	}
	whole[nyAt], whole[makeAt] = uint32(g.ly), 1 // the kernel has values in all rows
	if err := d.gpu.Write(d.settings, wgpu.ArgumentWords, whole); err != nil {
		return err
	}
	rows, columns := d.transform("rows", g.ly/2), d.transform("columns", g.lx/2+1)
	rows.Arguments, columns.Arguments = 1, 1
	middle := g.ny/2*g.stride() + g.nx/2
	if err := d.gpu.Write(d.nodes, middle, []uint32{uint32(d.charge())}); err != nil {
		return err
	}
	list := append([]wgpu.Command{rows, columns}, d.convolution()...)
	list = append(list, d.command("tabulate", (17*17+wgpu.Lanes-1)/wgpu.Lanes))
	return d.gpu.Submit([]wgpu.Recording{d.gpu.Record(list)})
}

// dropGrid gives back what belongs to a grid.
func (d *descent) dropGrid() {
	if !d.placed {
		return
	}
	for i, b := range []*wgpu.Handle{&d.nodes, &d.waves, &d.table} {
		d.gpu.FreeBuffer(*b)
		var none wgpu.Handle
		*b = none
		if i < len(d.groups) {
			d.gpu.FreeGroup(d.groups[i])
			d.groups[i] = none
		}
	}
	d.placed = false
}

func wordsOf(v []int32) []uint32 {
	out := make([]uint32, len(v))
	for i, x := range v {
		out[i] = uint32(x)
	}
	return out
}
