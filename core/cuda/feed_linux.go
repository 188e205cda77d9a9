//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"fmt"
	"unsafe"

	"nacre/core"
	"nacre/core/feed"
	"nacre/core/gpu"
	"nacre/core/gpu/host"
)

// deviceFeed is the replay on the GPU. The file feed.h has its kernels. All its work is on the stream of the memory.
// The data of the next update are drawn on a branch of the current update's graph: where a stream of random numbers
// begins does not depend on what an update computes.
type deviceFeed struct {
	gpu     *device
	mem     *memory
	drawing *gpu.Drawing

	module                                 module
	raw, draw, walk, normals, gather, note kernel
	state                                  address // the struct feed on the GPU
	content                                feedState
	rings                                  []ringState
	chunks                                 [][]address // by ring; each list is as long as its table on the GPU
	spans                                  []spanRoom  // by ring
	stale                                  bool        // whether rings have changed since they were uploaded
	owned                                  []address

	notes notes
	runs  map[*runner]*feedRun
}

// feedState, ringState, pickState, job and part are the structs of feed.h.
type feedState struct {
	a, b, update                                               uint64
	rings, raw, steps, values, chosen, picks, seen, noise      address
	wn, fn, kn, ways, blocks, start, finished                  address
	tasks, slots, choose, draws, perSlot, raws, noises, stride int32
	walks, length                                              int32
	draw                                                       [maxDraws]pickState
}

type pickState struct{ kind, store, n, pair, exclusiveEnd, skip, at int32 }

type ringState struct {
	chunks, spans                   address
	first, length, capacity, nspans int32
}

const (
	maxDraws      = 4
	rowsPerChunk  = 1024
	rawsPerLane   = 2
	countsOfFeed  = 4 // pairs, overlap, short, failed
	elementsAPart = 512
	entries       = 16 // entries into a part of the normals' stream
)

// spanRoom is the room for the trajectories of a ring.
type spanRoom struct {
	at   address
	room int
}

// feedRun holds what a deviceFeed adds to the graph of a program.
type feedRun struct {
	jobs, parts, scalars address
	blocks, n            int
}

// NewFeed implements feed.Device.
func (g *device) NewFeed(m core.Memory, p feed.Recipe) (feed.Feed, error) {
	mem, ok := m.(*memory)
	if !ok || mem.gpu.driver != g.driver {
		return nil, fmt.Errorf("cuda: the memory belongs to another device (%T)", m)
	}
	drawing, err := gpu.NewDrawing(p)
	if err != nil {
		return nil, err
	}
	if len(p.Draws) > maxDraws {
		return nil, fmt.Errorf("cuda: %d draws per slot, at most %d can be made here", len(p.Draws), maxDraws)
	}
	leave, err := mem.settle()
	if err != nil {
		return nil, err
	}
	defer leave()
	f := &deviceFeed{gpu: g, mem: mem, drawing: drawing, runs: map[*runner]*feedRun{}}
	if err := f.prepare(); err != nil {
		f.release()
		return nil, err
	}
	return f, nil
}

// prepare compiles the kernels and allocates everything except the rows.
func (f *deviceFeed) prepare() (err error) {
	cubin, err := f.gpu.compiler.compile(prelude + feedText)
	if err != nil {
		return err
	}
	if f.module, err = f.gpu.load(cubin); err != nil {
		return err
	}
	for name, k := range map[string]*kernel{"raw": &f.raw, "draw": &f.draw, "walk": &f.walk, "normals": &f.normals,
		"gather": &f.gather, "note": &f.note} {
		if *k, err = f.gpu.function(f.module, name); err != nil {
			return err
		}
	}
	c, p := &f.content, f.drawing
	c.tasks, c.slots, c.choose, c.draws, c.stride = int32(p.Tasks), int32(p.Slots), int32(p.Choose),
		int32(len(p.Draws)), int32(p.Stride())
	c.perSlot, c.noises, c.raws = int32(p.PerSlot), int32(p.Noises), int32(p.Raws)
	walks, length := p.Walks()
	c.walks, c.length = int32(walks), int32(length)
	numbers := p.Raws + walks*gpu.BlockSize*length // numbers for which the state before them is known
	for i, d := range p.Picks {
		c.draw[i] = pickState{int32(d.Kind), int32(d.Store), int32(d.N), int32(d.Pair), 0, int32(d.Skip), int32(d.At)}
		if d.ExclusiveEnd {
			c.draw[i].exclusiveEnd = 1
		}
	}
	kn, wn, fn := gpu.Ziggurat()
	f.rings = make([]ringState, p.Stores*p.Tasks)
	f.chunks, f.spans = make([][]address, len(f.rings)), make([]spanRoom, len(f.rings))
	for _, x := range []struct {
		to    *address
		what  string
		words int
	}{
		{&f.state, "drawing data", int(unsafe.Sizeof(feedState{})) / 4},
		{&c.rings, "replay's rings", len(f.rings) * int(unsafe.Sizeof(ringState{})) / 4},
		{&c.raw, "random numbers", 2 * int(c.raws)}, {&c.steps, "noise", (numbers + 1) / 2},
		{&c.values, "noise", numbers}, {&c.chosen, "the tasks drawn", p.Tasks + p.Slots + countsOfFeed},
		{&c.picks, "the rows drawn", p.Slots*int(c.perSlot) + 1}, {&c.seen, "the tasks drawn", p.Slots + countsOfFeed},
		{&c.noise, "noise", int(c.noises) + 1},
		{&c.ways, "noise", 2 * walks * entries * gpu.BlockSize},
		{&c.blocks, "noise", 2 * walks * entries}, {&c.start, "noise", 1}, {&c.finished, "noise", 1},
		{&c.wn, "noise", 128}, {&c.fn, "noise", 128}, {&c.kn, "noise", 128},
	} {
		if *x.to, err = f.take(x.what, x.words); err != nil {
			return err
		}
	}
	for i := range f.rings {
		f.rings[i].capacity = int32(p.Capacity)
	}
	f.stale = true
	if err := upload(f.gpu.driver, c.kn, kn[:]); err != nil {
		return err
	}
	if err := upload(f.gpu.driver, c.wn, wn[:]); err != nil {
		return err
	}
	if err := upload(f.gpu.driver, c.fn, fn[:]); err != nil {
		return err
	}
	return f.notes.prepare(f)
}

// take allocates words of 4 bytes. They are freed with the deviceFeed.
func (f *deviceFeed) take(what string, words int) (address, error) {
	a, err := f.gpu.alloc(what, words+gpu.Align)
	if a != 0 {
		f.owned = append(f.owned, a)
	}
	return a, err
}

// ring returns the number of a ring.
func (f *deviceFeed) ring(store, task int) (int, error) {
	if store < 0 || store >= f.drawing.Stores || task < 0 || task >= f.drawing.Tasks {
		return 0, fmt.Errorf("cuda: ring %d of task %d: there are %d of %d tasks", store, task, f.drawing.Stores,
			f.drawing.Tasks)
	}
	return store*f.drawing.Tasks + task, nil
}

// Put implements feed.Feed.
func (f *deviceFeed) Put(store, task, at int, rows []float32) error {
	i, err := f.ring(store, task)
	stride := f.drawing.Stride()
	n := len(rows) / stride
	if err != nil {
		return err
	}
	if n*stride != len(rows) || at < 0 || at+n > f.drawing.Capacity {
		return fmt.Errorf("cuda: %d numbers of rows of %d at position %d of %d", len(rows), stride, at,
			f.drawing.Capacity)
	}
	leave, err := f.mem.settle()
	if err != nil {
		return err
	}
	defer leave()
	for n > 0 {
		c, k := at/rowsPerChunk, at%rowsPerChunk
		part := min(n, rowsPerChunk-k)
		if c >= len(f.chunks[i]) || f.chunks[i][c] == 0 {
			if err := f.grow(i, c); err != nil {
				return err
			}
		}
		if err := upload(f.gpu.driver, f.chunks[i][c]+address(4*k*stride), rows[:part*stride]); err != nil {
			return err
		}
		rows, at, n = rows[part*stride:], at+part, n-part
	}
	return nil
}

// grow makes room for a chunk of rows of a ring.
func (f *deviceFeed) grow(i, c int) (err error) {
	if c >= len(f.chunks[i]) {
		f.chunks[i] = append(f.chunks[i], make([]address, max(16, c+1))...)
		if f.rings[i].chunks, err = f.take("replay's rings", 2*len(f.chunks[i])); err != nil {
			return err
		}
		f.stale = true
	}
	if f.chunks[i][c], err = f.take("replay",
		min(rowsPerChunk, f.drawing.Capacity-c*rowsPerChunk)*f.drawing.Stride()); err != nil {
		return err
	}
	return upload(f.gpu.driver, f.rings[i].chunks, f.chunks[i])
}

// Set implements feed.Feed.
func (f *deviceFeed) Set(store, task int, r feed.Ring) error {
	i, err := f.ring(store, task)
	if err != nil {
		return err
	}
	if r.First < 0 || r.First >= f.drawing.Capacity || r.Length < 0 || r.Length > f.drawing.Capacity {
		return fmt.Errorf("cuda: %d rows from position %d of a ring of %d", r.Length, r.First, f.drawing.Capacity)
	}
	leave, err := f.mem.settle()
	if err != nil {
		return err
	}
	defer leave()
	to, s := &f.rings[i], &f.spans[i]
	to.first, to.length, to.nspans = int32(r.First), int32(r.Length), int32(len(r.Spans))
	f.stale = true
	if len(r.Spans) > s.room {
		room := 2 * len(r.Spans)
		if s.at, err = f.take("replay's trajectories", 2*room); err != nil {
			return err
		}
		s.room, to.spans = room, s.at
	}
	if len(r.Spans) == 0 {
		return nil
	}
	return upload(f.gpu.driver, s.at, r.Spans)
}

// Begin implements feed.Feed.
func (f *deviceFeed) Begin(a, b, update uint64) error {
	leave, err := f.mem.settle()
	if err != nil {
		return err
	}
	defer leave()
	for i, r := range f.rings {
		if r.length == 0 {
			return fmt.Errorf("cuda: nothing to draw from in store %d of task %d", i/f.drawing.Tasks, i%f.drawing.Tasks)
		}
	}
	if f.stale {
		if err := upload(f.gpu.driver, f.content.rings, f.rings); err != nil {
			return err
		}
		f.stale = false
	}
	f.content.a, f.content.b, f.content.update = a, b, update
	if err := upload(f.gpu.driver, f.state, []feedState{f.content}); err != nil {
		return err
	}
	return f.ahead(f.mem.stream)
}

// ahead adds the drawing of the next update's data to a stream.
func (f *deviceFeed) ahead(s stream) error {
	for _, launch := range f.launches() {
		if err := launch(s); err != nil {
			return err
		}
	}
	return nil
}

// launches returns the launches that draw the data of an update.
func (f *deviceFeed) launches() (list []func(stream) error) {
	var args arguments
	args.pointer(f.state)
	for _, x := range []struct {
		kernel kernel
		blocks int
	}{
		{f.raw, gpu.CeilDiv(int(f.content.raws), gpu.BlockSize*rawsPerLane)}, {f.draw, 1},
		{f.walk, int(f.content.walks)}, {f.normals, int(f.content.walks)},
	} {
		list = append(list, func(s stream) error { return f.gpu.launch(x.kernel, s, x.blocks, 1, args) })
	}
	return list
}

// Load implements feed.Feed.
func (f *deviceFeed) Load(p *core.Program, scalars []string) (core.Runner, error) {
	if err := f.mem.Fits(p); err != nil {
		return nil, err
	}
	return f.gpu.loadFeeding(p, f.mem, &feeding{f, scalars})
}

// feeding asks the graph of a program to draw the program's data.
type feeding struct {
	*deviceFeed
	scalars []string
}

// prepare makes the tables of a program's fills. By then the program's values have their addresses.
func (d *feeding) prepare(r *runner) error {
	jobs, err := d.jobs(r)
	if err != nil {
		return err
	}
	var parts []part
	for i, j := range jobs {
		for from := 0; from < int(j.rows*j.cols); from += elementsAPart {
			parts = append(parts, part{int32(i), int32(from)})
		}
	}
	if len(parts) == 0 || len(d.scalars) > maxScalars {
		return fmt.Errorf("%d inputs to fill, %d scalars to record: want at least 1 and at most %d", len(jobs),
			len(d.scalars), maxScalars)
	}
	values, err := host.Scalars(r.p, d.scalars)
	if err != nil {
		return err
	}
	var at []address
	for _, v := range values {
		at = append(at, r.address(v))
	}
	run := &feedRun{blocks: len(parts), n: len(at)}
	d.runs[r] = run
	for _, x := range []struct {
		to    *address
		words int
	}{{&run.jobs, len(jobs) * int(unsafe.Sizeof(job{})) / 4}, {&run.parts, 2 * len(parts)},
		{&run.scalars, 2*len(at) + 2}} {
		if *x.to, err = d.gpu.alloc("tables of inputs", x.words); err != nil {
			return err
		}
	}
	if err := upload(d.gpu.driver, run.jobs, jobs); err != nil {
		return err
	}
	if err := upload(d.gpu.driver, run.parts, parts); err != nil || len(at) == 0 {
		return err
	}
	return upload(d.gpu.driver, run.scalars, at)
}

// release frees what prepare allocated.
func (d *feeding) release(r *runner) {
	if run := d.runs[r]; run != nil {
		for _, a := range []address{run.jobs, run.parts, run.scalars} {
			d.gpu.free(a)
		}
		delete(d.runs, r)
	}
}

// before copies the drawn data into the program's inputs. after keeps the scalars that the program has computed.
func (d *feeding) before(r *runner, s stream) error {
	run := d.runs[r]
	var args arguments
	for _, a := range []address{d.state, run.jobs, run.parts} {
		args.pointer(a)
	}
	return d.gpu.launch(d.gather, s, run.blocks, 1, args)
}

func (d *feeding) after(r *runner, s stream) error {
	run := d.runs[r]
	var args arguments
	for _, a := range []address{run.scalars, d.content.seen, d.notes.rows, d.notes.at} {
		args.pointer(a)
	}
	for _, n := range []int{run.n, d.drawing.Slots + countsOfFeed, d.notes.width, notesKept} {
		args.integer(n)
	}
	return d.gpu.launch(d.note, s, 1, 1, args)
}

// Close implements feed.Feed. Programs that were loaded here must be closed before.
func (f *deviceFeed) Close() error {
	leave, err := f.mem.settle()
	if err != nil {
		return nil // the GPU is lost, with everything it held
	}
	defer leave()
	f.release()
	return nil
}

func (f *deviceFeed) release() {
	for _, a := range f.owned {
		f.gpu.free(a)
	}
	f.owned = nil
	f.notes.release(f.gpu)
	f.gpu.unload(f.module)
	f.module = 0
}
