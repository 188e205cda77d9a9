//go:build (((linux || darwin) && (amd64 || arm64)) || js) && !nogpu

package webgpu

import (
	"fmt"
	"math"

	"nacre/core"
	"nacre/core/feed"
	"nacre/core/gpu"
	"nacre/core/gpu/host"
	"nacre/internal/wgpu"
)

// deviceFeed is replay on the GPU; see feed.wgsl for its kernels. Programs loaded by it draw their data at the
// beginning of every run.
type deviceFeed struct {
	gpu       *device
	mem       *memory
	drawing   *gpu.Drawing
	arguments []int // of all kernels; the first two are each launch's own

	rows, drawn, rings wgpu.Handle
	roomRows           int        // words of rows
	roomRings          int        // of rings
	used               int        // chunks of rows that belong to a ring
	of                 []ringRows // by ring
	stale              bool       // rings have changed since they were uploaded
	offset             drawnPlaces

	started []*runner // runs whose records were not asked for yet
	flights []flight
	noted   int // records written since the beginning, where the next one goes
	loaded  map[*runner]bool
}

// ringRows holds the host's data on a ring.
type ringRows struct {
	chunks []uint32 // by number of a chunk: its place among all, plus one; 0 for none
	ring   feed.Ring
}

// drawnPlaces holds the places in the buffer of drawn data, in words; see feed.wgsl.
type drawnPlaces struct{ raw, starts, chosen, picks, noise, notes, size int }

const (
	rowsPerChunk = 1024
	rawsPerLane  = 4
	countsOfFeed = 4 // pairs, overlap, short, failed
	partOfFill   = 512
	notesKept    = 64 // updates whose scalars the GPU keeps
	maxScalars   = 32
	stateWords   = 8
	ringWords    = 5
	maxNoises    = 1 << 22 // normals of an update; the number of a lane's part must fit into 16 bits
)

// flight is a copy of records under way.
type flight struct {
	f    *wgpu.Fetching
	from int
	runs []*runner
}

// NewFeed implements feed.Device.
func (d *device) NewFeed(m core.Memory, p feed.Recipe) (feed.Feed, error) {
	mem, ok := m.(*memory)
	if !ok || mem.gpu.Device != d.Device {
		return nil, fmt.Errorf("webgpu: the memory belongs to another device (%T)", m)
	}
	drawing, err := gpu.NewDrawing(p)
	if err != nil {
		return nil, err
	}
	if drawing.Noises > maxNoises {
		return nil, fmt.Errorf("webgpu: %d numbers of noise per update, at most %d can be drawn here", drawing.Noises,
			maxNoises)
	}
	f := &deviceFeed{gpu: d, mem: mem, drawing: drawing, of: make([]ringRows, p.Stores*p.Tasks), stale: true,
		loaded: map[*runner]bool{}}
	f.layOut()
	if f.drawn, err = d.room("random numbers", f.offset.size); err == nil {
		f.rows, err = d.room("replay", wgpu.MinWords)
		f.roomRows = wgpu.MinWords
	}
	if err == nil {
		f.roomRings = f.ringsSize()
		f.rings, err = d.room("replay's rings", f.roomRings)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// layOut sets the places of drawn data and makes the kernels' arguments.
func (f *deviceFeed) layOut() {
	p, o := f.drawing, &f.offset
	o.raw = stateWords
	length := (p.Noises+p.Noises/16)/gpu.BlockSize + 4 // of the stream that a lane of walk has
	o.starts = o.raw + 2*p.Raws
	o.chosen = o.starts + 2*(p.Raws+length*gpu.BlockSize)
	o.picks = o.chosen + p.Slots + countsOfFeed + p.Tasks
	o.noise = o.picks + p.Slots*p.PerSlot
	o.notes = o.noise + p.Noises
	o.size = o.notes + notesKept*f.noteWidth()
	f.arguments = []int{0, 0, p.Tasks, p.Slots, int(p.Choose), p.PerSlot, p.Raws, p.Noises, p.Stride(), p.Capacity,
		len(p.Picks),
		o.raw, o.chosen, o.picks, o.noise, o.notes, f.noteWidth(), o.starts, length, 0}
	number := map[bool]int{true: 1}
	for _, d := range p.Picks {
		f.arguments = append(f.arguments, int(d.Kind), d.Store, d.N, number[d.Pair == feed.SameTask],
			number[d.ExclusiveEnd], d.Skip, d.At)
	}
}

// with is the arguments of a launch of which two are its own.
func (f *deviceFeed) with(a, b int) []int {
	args := append([]int(nil), f.arguments...)
	args[0], args[1] = a, b
	return args
}

func (f *deviceFeed) noteWidth() int { return maxScalars + f.drawing.Slots + countsOfFeed }

// ringsSize is the words that the rings' buffer needs now.
func (f *deviceFeed) ringsSize() int {
	n := tableWords + ringWords*len(f.of)
	for _, r := range f.of {
		n += len(r.chunks) + 2*len(r.ring.Spans)
	}
	return n
}

// ring finds a ring.
func (f *deviceFeed) ring(store, task int) (*ringRows, error) {
	if store < 0 || store >= f.drawing.Stores || task < 0 || task >= f.drawing.Tasks {
		return nil, fmt.Errorf("webgpu: ring %d of task %d: there are %d of %d tasks", store, task, f.drawing.Stores,
			f.drawing.Tasks)
	}
	return &f.of[store*f.drawing.Tasks+task], nil
}

// Put implements feed.Feed.
func (f *deviceFeed) Put(store, task, at int, rows []float32) error {
	r, err := f.ring(store, task)
	stride := f.drawing.Stride()
	n := len(rows) / stride
	if err != nil {
		return err
	}
	if n*stride != len(rows) || at < 0 || at+n > f.drawing.Capacity {
		return fmt.Errorf("webgpu: %d numbers of rows of %d at position %d of %d", len(rows), stride, at,
			f.drawing.Capacity)
	}
	if err := f.mem.flush(); err != nil {
		return err
	}
	for n > 0 {
		c, k := at/rowsPerChunk, at%rowsPerChunk
		part := min(n, rowsPerChunk-k)
		for len(r.chunks) <= c {
			r.chunks = append(r.chunks, 0)
		}
		if r.chunks[c] == 0 {
			if err := f.grow(); err != nil {
				return err
			}
			f.used++
			r.chunks[c], f.stale = uint32(f.used), true
		}
		to := (int(r.chunks[c])-1)*rowsPerChunk*stride + k*stride
		if err := f.gpu.Write(f.rows, to, wgpu.Words(rows[:part*stride])); err != nil {
			return err
		}
		rows, at, n = rows[part*stride:], at+part, n-part
	}
	return nil
}

// grow makes room for another chunk of rows: twice as much as before, or as much as the adapter can bind.
func (f *deviceFeed) grow() error {
	chunk := rowsPerChunk * f.drawing.Stride()
	need := (f.used + 1) * chunk
	if need <= f.roomRows {
		return nil
	}
	room := max(need, min(2*f.roomRows, int(f.gpu.info.Storage/4)))
	bigger, err := f.gpu.room("replay", room)
	if err == nil {
		err = f.gpu.CopyTo(bigger, f.rows, min(f.roomRows, f.used*chunk))
	}
	if err != nil {
		return err
	}
	f.gpu.FreeBuffer(f.rows)
	f.rows, f.roomRows = bigger, room
	return f.rebind()
}

// rebind lets the programs see the buffers as they are now.
func (f *deviceFeed) rebind() error {
	for r := range f.loaded {
		r.buffers[rows], r.buffers[rings] = f.rows, f.rings
		if err := r.bind(); err != nil {
			return err
		}
	}
	return nil
}

// Set implements feed.Feed.
func (f *deviceFeed) Set(store, task int, r feed.Ring) error {
	to, err := f.ring(store, task)
	if err != nil {
		return err
	}
	if r.First < 0 || r.First >= f.drawing.Capacity || r.Length < 0 || r.Length > f.drawing.Capacity {
		return fmt.Errorf("webgpu: %d rows from position %d of a ring of %d", r.Length, r.First, f.drawing.Capacity)
	}
	to.ring = r
	to.ring.Spans = append([]feed.Span(nil), r.Spans...)
	f.stale = true
	return nil
}

// Begin implements feed.Feed.
func (f *deviceFeed) Begin(a, b, update uint64) error {
	for i, r := range f.of {
		if r.ring.Length == 0 {
			return fmt.Errorf("webgpu: nothing to draw from in store %d of task %d", i/f.drawing.Tasks,
				i%f.drawing.Tasks)
		}
	}
	if err := f.mem.flush(); err != nil {
		return err
	}
	if f.stale {
		if err := f.upload(); err != nil {
			return err
		}
		f.stale = false
	}
	state := []uint32{uint32(a), uint32(a >> 32), uint32(b), uint32(b >> 32), uint32(update), uint32(update >> 32)}
	return f.gpu.Write(f.drawn, 0, state)
}

// upload writes all rings.
func (f *deviceFeed) upload() error {
	if n := f.ringsSize(); n > f.roomRings {
		bigger, err := f.gpu.room("replay's rings", 2*n)
		if err != nil {
			return err
		}
		f.gpu.FreeBuffer(f.rings)
		f.rings, f.roomRings = bigger, 2*n
		if err := f.rebind(); err != nil {
			return err
		}
	}
	content := normalTables()
	at := len(content)
	content = append(content, make([]uint32, ringWords*len(f.of))...)
	for i, r := range f.of {
		spans := len(content)
		for _, s := range r.ring.Spans {
			content = append(content, uint32(s.First), uint32(s.N))
		}
		copy(content[at+ringWords*i:], []uint32{uint32(r.ring.First), uint32(r.ring.Length), uint32(len(r.ring.Spans)),
			uint32(spans), uint32(len(content))})
		for _, c := range r.chunks {
			content = append(content, max(c, 1)-1)
		}
	}
	return f.gpu.Write(f.rings, 0, content)
}

// Load implements feed.Feed.
func (f *deviceFeed) Load(p *core.Program, scalars []string) (core.Runner, error) {
	if err := f.mem.Fits(p); err != nil {
		return nil, err
	}
	return f.gpu.loadFeeding(p, f.mem, &feeding{f, scalars})
}

// feeding asks for a program to draw its own data.
type feeding struct {
	*deviceFeed
	scalars []string
}

// begin adds what comes before a program's own dispatches: drawing, and filling its inputs.
func (d *feeding) begin(r *runner) error {
	d.loaded[r] = true
	r.buffers[rows], r.buffers[rings], r.buffers[drawn] = d.rows, d.rings, d.drawn
	fills, err := d.drawing.Fills(r.p)
	if err != nil {
		return err
	}
	if len(fills) == 0 || len(d.scalars) > maxScalars {
		return fmt.Errorf("%d inputs to fill, %d scalars to record: want at least 1 and at most %d", len(fills),
			len(d.scalars), maxScalars)
	}
	var jobs []int
	for _, f := range fills {
		jobs = append(jobs, len(r.table))
		d.addJob(r, f)
	}
	parts := len(r.table)
	for i, f := range fills {
		for from := 0; from < f.Rows*f.Cols; from += partOfFill {
			r.table = append(r.table, uint32(jobs[i]), uint32(from))
		}
	}
	n := (len(r.table) - parts) / 2
	if err := r.add(feedText, "raw", gpu.CeilDiv(d.drawing.Raws, gpu.BlockSize*rawsPerLane), d.with(0, 0)); err != nil {
		return err
	}
	if err := r.add(feedText, "draw", 1, d.with(0, 0)); err != nil {
		return err
	}
	if err := r.add(feedText, "walk", 1, d.with(0, 0)); err != nil {
		return err
	}
	return r.add(feedText, "gather", n, d.with(parts, n))
}

// addJob adds an input to the program's tables; see feed.wgsl.
func (d *feeding) addJob(r *runner, f gpu.Fill) {
	job := []int{int(f.Kind), r.at(f.Value), f.Rows, f.Cols, gpu.Pitch(f.Cols), 0, 0, 1, f.Column, f.Split, f.Windows,
		f.Which, f.Base, int(math.Float32bits(f.Masked)), 0, 0}
	if f.Kind == gpu.Columns || f.Kind == gpu.Weight || f.Kind == gpu.History {
		p := d.drawing.Picks[f.Pick]
		job[5], job[6], job[7] = p.Store, p.At+f.Skip, p.N
	}
	if f.Kind == gpu.OfTask {
		job[14] = len(r.table) + len(job)
	}
	for _, x := range job {
		r.table = append(r.table, uint32(x))
	}
	if f.Kind == gpu.OfTask {
		r.table = append(r.table, wgpu.Words(f.Table)...)
	}
}

// end adds what comes after: keeping the scalars.
func (d *feeding) end(r *runner) error {
	at := len(r.table)
	values, err := host.Scalars(r.p, d.scalars)
	if err != nil {
		return err
	}
	for _, v := range values {
		inParams := uint32(0)
		if r.bufferOf(v) == "P" {
			inParams = 1
		}
		r.table = append(r.table, inParams, uint32(r.at(v)))
	}
	return r.add(feedText, "note", 1, d.with(at, len(d.scalars)))
}

// leave forgets a program.
func (d *feeding) leave(r *runner) { delete(d.loaded, r) }

// Room implements feed.Feed.
func (f *deviceFeed) Room() int { return notesKept }

// Records implements feed.Feed.
func (f *deviceFeed) Records(wait bool) (out []feed.Record, err error) {
	if len(f.started) > 0 {
		if err := f.mem.flush(); err != nil {
			return nil, err
		}
		x, err := f.gpu.Fetch(f.drawn, f.offset.notes, notesKept*f.noteWidth())
		if err != nil {
			return nil, err
		}
		f.flights = append(f.flights, flight{x, f.noted, f.started})
		f.noted, f.started = (f.noted+len(f.started))%notesKept, nil
	}
	for len(f.flights) > 0 && (wait || f.flights[0].f.Ready()) {
		if out, err = f.land(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// land waits for the oldest copy and reads it.
func (f *deviceFeed) land(out []feed.Record) ([]feed.Record, error) {
	now := f.flights[0]
	f.flights = f.flights[1:]
	failed := false
	err := now.f.Wait(func(all []uint32) {
		for i, r := range now.runs {
			row := all[(now.from+i)%notesKept*f.noteWidth():]
			scalars := len(r.feeding.scalars)
			x := feed.Record{Scalars: append([]float32(nil), wgpu.Floats(row[:scalars])...)}
			row = row[scalars:]
			for _, task := range row[:f.drawing.Slots] {
				x.Tasks = append(x.Tasks, int(task))
			}
			row = row[f.drawing.Slots:]
			x.Pairs, x.Overlap, x.Short = int(row[0]), int(row[1]), int(row[2])
			failed = failed || row[3] != 0
			out = append(out, x)
		}
	})
	if err == nil && failed {
		err = fmt.Errorf("webgpu: the stream of random numbers ended before an update's %d normals were drawn",
			f.drawing.Noises)
	}
	return out, err
}

// Close implements feed.Feed. Programs that were loaded here must be closed before.
func (f *deviceFeed) Close() error {
	f.mem.flush() // a GPU that is lost has nothing left to give back
	for _, b := range []*wgpu.Handle{&f.rows, &f.drawn, &f.rings} {
		f.gpu.FreeBuffer(*b)
		var none wgpu.Handle
		*b = none
	}
	return nil
}
