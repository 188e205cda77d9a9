//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"nacre/core"
	"nacre/core/gpu"
	"nacre/core/gpu/host"
)

// runner implements core.Runner. Inputs are written to one of two buffers of pinned memory while the other may still be
// on its way to the GPU; outputs come back to pinned memory at the end of the graph.
type runner struct {
	p      *core.Program
	gpu    *device
	mem    *memory
	moves  bool    // whether it steps parameters
	steps  *tables // tables of the optimiser
	place  *gpu.Placement
	module module
	base   [gpu.Arena + 1]address
	tables address
	work   [gpu.MaxBranches]address // workspaces of products
	lt     map[*gpu.Launch]*ltProduct
	graph  graph

	parts   address // room for operands in two parts, by branch
	partsAt [gpu.MaxBranches]int
	feeding *feeding // if set, it draws the data of every run
	set     *set     // programs that may run as one with this program; nil if there are none
	plan    *gpu.Schedule
	each    []func(stream) error // its launches, by unit
	spread  []*ltProduct

	staged  [2][]float32
	copied  [2]event
	pending [2]bool
	turn    int
	fresh   []int // inputs that were written since the last run
	inputs  []int // all inputs, by place
	results []float32
	done    event
	ran     bool
	kept    bool // for a program that draws its data: whether results holds those of the last run
	closed  bool
}

func (g *device) loadHere(p *core.Program, mem *memory) (core.Runner, error) {
	return g.loadFeeding(p, mem, nil)
}

// loadFeeding loads a program that draws its own data if d is not nil.
func (g *device) loadFeeding(p *core.Program, mem *memory, d *feeding) (core.Runner, error) {
	pl, err := gpu.New(p, Planning(g.options))
	if err != nil {
		return nil, err
	}
	r := &runner{p: p, gpu: g, mem: mem, moves: host.Steps(p), place: pl.Place, feeding: d}
	leave, err := mem.settle()
	if err != nil {
		return nil, err
	}
	defer leave()
	mem.group.join(r)
	if err := r.prepare(pl); err != nil {
		r.release()
		return nil, fmt.Errorf("cuda: program %q: %w", p.Name, err)
	}
	return r, nil
}

// prepare compiles, allocates and records the graph.
func (r *runner) prepare(pl *gpu.Schedule) error {
	g := r.gpu
	r.lt = map[*gpu.Launch]*ltProduct{}
	text, names := Source(pl)
	cubin, err := g.compiler.compile(text)
	if err != nil {
		return err
	}
	if r.module, err = g.load(cubin); err != nil {
		return err
	}
	if err := r.allocate(pl); err != nil {
		return err
	}
	launches, err := r.launches(pl, names, alone)
	if err != nil {
		return err
	}
	if r.feeding != nil {
		if err := r.feeding.prepare(r); err != nil {
			return err
		}
	}
	if err := r.tryProducts(pl, launches); err != nil {
		return err
	}
	r.plan, r.each = pl, launches
	if r.graph, err = r.record(pl, launches, []*runner{r}); err != nil {
		return err
	}
	return r.set.complete(r, pl, names)
}

// room allocates n floats for a program. If other programs may run as one with it, the room of each lies at the same
// distance from the one before.
func (r *runner) room(what string, k roomKind, n int) (address, error) {
	if r.set == nil {
		return r.gpu.alloc(what, n)
	}
	return r.set.room(r, what, k, n)
}

func (r *runner) allocate(pl *gpu.Schedule) (err error) {
	g := r.gpu
	r.base[gpu.Params] = r.mem.base
	for s, what := range map[gpu.Space]string{gpu.Inputs: "inputs", gpu.Outputs: "outputs",
		gpu.Arena: "intermediate values"} {
		if r.base[s], err = r.room(what, roomKind(s), r.place.Size[s]+gpu.Align); err != nil {
			return err
		}
	}
	if g.lt != nil {
		for _, u := range pl.Units {
			if u.Product != nil && r.work[u.Branch] == 0 {
				if r.work[u.Branch], err = g.reserve("matrix products", workspaceFloats); err != nil {
					return err
				}
			}
		}
	}
	if err := r.allocateParts(pl); err != nil {
		return err
	}
	for i := range r.staged {
		if r.staged[i], err = g.pin(r.place.Size[gpu.Inputs] + gpu.Align); err != nil {
			return err
		}
		if r.copied[i], err = g.newEvent(); err != nil {
			return err
		}
	}
	if r.results, err = g.pin(r.place.Size[gpu.Outputs] + gpu.Align); err != nil {
		return err
	}
	for _, v := range r.place.Consts {
		if err := upload(g.driver, r.address(v), []float32{float32(r.p.Values[v].Fill)}); err != nil {
			return err
		}
	}
	for _, v := range r.p.Inputs {
		r.inputs = append(r.inputs, v)
	}
	slices.SortFunc(r.inputs, func(a, b int) int { return cmp.Compare(r.place.Of[a].Offset, r.place.Of[b].Offset) })
	r.done, err = g.newEvent()
	return err
}

// allocateParts allocates, on each branch, room for the operands of one product.
func (r *runner) allocateParts(pl *gpu.Schedule) (err error) {
	if r.gpu.lt == nil || !r.gpu.lt.parts {
		return nil
	}
	var most [gpu.MaxBranches]int
	for _, u := range pl.Units {
		if g := u.Product; g != nil {
			most[u.Branch] = max(most[u.Branch], gpu.RoundUp(3*gpu.Pitch(g.K)*g.M)+gpu.RoundUp(3*gpu.Pitch(g.K)*g.N))
		}
	}
	all := 0
	for b, n := range most {
		r.partsAt[b] = all
		all += n
	}
	if all > 0 {
		r.parts, err = r.room("operands in two parts", partsRoom, all)
	}
	return err
}

// address returns the address of a value.
func (r *runner) address(v int) address {
	at := r.place.Of[v]
	if at.Space == gpu.Params {
		return r.mem.at(r.param(v), host.Weights)
	}
	return r.at(at)
}

func (r *runner) at(p gpu.Place) address { return r.base[p.Space] + address(4*p.Offset) }

// record makes the graph. Every unit is on the stream of its branch, after the events of the units on other branches
// that it depends on. The graph of a program with a feed begins by copying what was drawn. A branch of its own draws
// for the next run. The graph ends by keeping the scalars. Without a feed, outputs are copied to the host at the end.
//
// The graph may be that of several runners. This runner is then the first of them.
func (r *runner) record(pl *gpu.Schedule, launches []func(stream) error, of []*runner) (graph, error) {
	g := r.gpu
	c := &recording{gpu: g, after: map[int]event{}}
	defer c.release()
	c.streams[0] = r.mem.stream
	for b := 1; b < gpu.MaxBranches; b++ {
		var err error
		if c.streams[b], err = g.newStream(); err != nil {
			return 0, err
		}
	}
	if r.feeding != nil {
		for range of {
			s, err := g.newStream()
			if err != nil {
				return 0, err
			}
			c.drawing = append(c.drawing, s)
		}
	}
	return g.capture(c.streams[0], func() error {
		for _, x := range of {
			if x.feeding == nil {
				break
			}
			if err := x.feeding.before(x, c.streams[0]); err != nil {
				return err
			}
		}
		begin, err := c.event(c.streams[0])
		if err != nil {
			return err
		}
		drawn, err := c.ahead(of, begin)
		if err != nil {
			return err
		}
		for i, u := range pl.Units {
			if err := c.reach(pl, i, begin); err != nil {
				return err
			}
			if err := launches[i](c.streams[u.Branch]); err != nil {
				return err
			}
			if needed(pl, i) {
				if c.after[i], err = c.event(c.streams[u.Branch]); err != nil {
					return err
				}
			}
		}
		if err := c.join(); err != nil {
			return err
		}
		for i, x := range of {
			switch {
			case x.feeding != nil:
				if err := g.wait(c.streams[0], drawn[i]); err != nil {
					return err
				}
				if err := x.feeding.after(x, c.streams[0]); err != nil {
					return err
				}
			case len(x.p.Outputs) > 0:
				if err := g.copyOut(c.streams[0], x.results, x.base[gpu.Outputs]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// needed reports whether a unit of another branch waits for unit i.
func needed(pl *gpu.Schedule, i int) bool {
	return slices.ContainsFunc(pl.Units[i+1:], func(u *gpu.Launch) bool {
		return u.Branch != pl.Units[i].Branch && slices.Contains(u.Deps, i)
	})
}

// recording is the state of a graph being recorded.
type recording struct {
	gpu     *device
	streams [gpu.MaxBranches]stream
	begun   [gpu.MaxBranches]bool
	// by branch and other branch: 1 + the last unit of the other branch that it has waited for
	seen    [gpu.MaxBranches][gpu.MaxBranches]int
	after   map[int]event
	events  []event
	drawing []stream // streams that draw for the next run
}

// ahead records the drawing of the next runs' data. The drawing may begin after the event begin. ahead returns the
// events of its end.
func (c *recording) ahead(of []*runner, begin event) (drawn []event, err error) {
	for i, s := range c.drawing {
		if err := c.gpu.wait(s, begin); err != nil {
			return nil, err
		}
		if err := of[i].feeding.ahead(s); err != nil {
			return nil, err
		}
		e, err := c.event(s)
		if err != nil {
			return nil, err
		}
		drawn = append(drawn, e)
	}
	return drawn, nil
}

// event records an event on a stream.
func (c *recording) event(s stream) (event, error) {
	e, err := c.gpu.newEvent()
	if err != nil {
		return 0, err
	}
	c.events = append(c.events, e)
	return e, c.gpu.record(e, s)
}

// reach makes the stream of unit i wait for all units that it depends on.
func (c *recording) reach(pl *gpu.Schedule, i int, begin event) error {
	b := pl.Units[i].Branch
	if b > 0 && !c.begun[b] {
		if err := c.gpu.wait(c.streams[b], begin); err != nil {
			return err
		}
	}
	c.begun[b] = true
	for _, d := range slices.Backward(pl.Units[i].Deps) {
		from := pl.Units[d].Branch
		if from == b || c.seen[b][from] > d {
			continue
		}
		c.seen[b][from] = d + 1
		if err := c.gpu.wait(c.streams[b], c.after[d]); err != nil {
			return err
		}
	}
	return nil
}

// join makes the first branch wait for all other branches.
func (c *recording) join() error {
	for b := 1; b < gpu.MaxBranches; b++ {
		if !c.begun[b] {
			continue
		}
		e, err := c.event(c.streams[b])
		if err != nil {
			return err
		}
		if err := c.gpu.wait(c.streams[0], e); err != nil {
			return err
		}
	}
	return nil
}

func (c *recording) release() {
	for _, e := range c.events {
		c.gpu.call("cuEventDestroy_v2", uintptr(e))
	}
	for _, s := range append(c.streams[1:], c.drawing...) {
		if s != 0 {
			c.gpu.call("cuStreamDestroy_v2", uintptr(s))
		}
	}
}

// Run gives the program to the GPU and returns without waiting for it.
func (r *runner) Run() error {
	if r.closed {
		return errClosed
	}
	leave, err := r.gpu.enter()
	if err != nil {
		return err
	}
	defer leave()
	if r.feeding != nil && len(r.feeding.notes.runs) == notesKept {
		return fmt.Errorf("cuda: %d updates have been started and none of their records read", notesKept)
	}
	if r.moves {
		r.mem.Changed()
	}
	if err := r.send(); err != nil {
		return err
	}
	if r.feeding != nil { // it rarely waits here; see read
		r.kept = false
		r.feeding.notes.add(r)
	}
	r.ran = true
	return r.mem.group.start(r)
}

// launch gives the program to the GPU.
func (r *runner) launch() error { return r.launched(r.graph) }

// launched gives a graph to the GPU. If somebody may wait for its end, launched marks the end by an event.
func (r *runner) launched(g graph) error {
	r.gpu.graphs.Add(1)
	if err := r.gpu.do(Launching, "cuGraphLaunch", uintptr(g), uintptr(r.mem.stream)); err != nil || r.feeding != nil {
		return err
	}
	return r.gpu.record(r.done, r.mem.stream)
}

// send starts copying the inputs that were written since the last run. Neighbours are copied together.
func (r *runner) send() error {
	if len(r.fresh) == 0 {
		return nil
	}
	if err := r.mem.group.flush(r.mem); err != nil { // runs that have not begun must read the earlier inputs
		return err
	}
	for i := 0; i < len(r.inputs); {
		from := r.place.Of[r.inputs[i]].Offset
		to := from
		for ; i < len(r.inputs) && slices.Contains(r.fresh, r.inputs[i]); i++ {
			x := r.p.Values[r.inputs[i]]
			to = r.place.Of[r.inputs[i]].Offset + gpu.RoundUp(host.Size(x.Rows, x.Cols))
		}
		if to == from {
			i++
			continue
		}
		if err := r.gpu.copyIn(r.mem.stream, r.base[gpu.Inputs]+address(4*from),
			r.staged[r.turn][from:to]); err != nil {
			return err
		}
	}
	r.fresh = r.fresh[:0]
	r.pending[r.turn] = true
	err := r.gpu.record(r.copied[r.turn], r.mem.stream)
	r.turn = 1 - r.turn
	return err
}

var errClosed = errors.New("cuda: the program is closed")

// find returns the number of a named input or output of n elements.
func (r *runner) find(kind, name string, n int) (int, error) {
	if r.closed {
		return 0, errClosed
	}
	return host.Value("cuda", kind, r.p, name, n)
}

func (r *runner) Write(input string, src []float32) error   { return write(r, input, src) }
func (r *runner) Write64(input string, src []float64) error { return write(r, input, src) }
func (r *runner) Read(output string, dst []float32) error   { return read(r, output, dst) }
func (r *runner) Read64(output string, dst []float64) error { return read(r, output, dst) }

func write[T host.Number](r *runner, input string, src []T) error {
	v, err := r.find("input", input, len(src))
	if err != nil {
		return err
	}
	if r.pending[r.turn] {
		if err := r.await(r.copied[r.turn]); err != nil {
			return err
		}
		r.pending[r.turn] = false
	}
	host.Scatter(r.staged[r.turn][r.place.Of[v].Offset:], src, r.p.Values[v].Cols)
	if !slices.Contains(r.fresh, v) {
		r.fresh = append(r.fresh, v)
	}
	return nil
}

func read[T host.Number](r *runner, output string, dst []T) error {
	v, err := r.find("output", output, len(dst))
	if err != nil {
		return err
	}
	if err := r.fetch(); err != nil {
		return err
	}
	host.Gather(dst, r.results[r.place.Of[v].Offset:], r.p.Values[v].Cols)
	return nil
}

// fetch waits until the outputs of the last run have arrived.
func (r *runner) fetch() error {
	if r.feeding == nil {
		if !r.ran {
			return nil
		}
		leave, err := r.gpu.enter()
		if err != nil {
			return err
		}
		defer leave()
		if err := r.mem.group.flush(r.mem); err != nil { // which may launch the run
			return err
		}
		return r.await(r.done)
	}
	if r.kept {
		return nil
	}
	leave, err := r.mem.settle()
	if err != nil {
		return err
	}
	defer leave()
	r.kept = true
	return download(r.gpu.driver, r.results, r.base[gpu.Outputs])
}

// await waits for the GPU to reach an event.
func (r *runner) await(e event) error {
	leave, err := r.gpu.enter()
	if err != nil {
		return err
	}
	defer leave()
	return r.gpu.do(Launching, "cuEventSynchronize", uintptr(e))
}

func (r *runner) Close() error {
	if r.closed {
		return nil
	}
	leave, err := r.mem.settle()
	if err != nil {
		r.closed = true
		return nil // the GPU is lost, with everything it held
	}
	defer leave()
	r.release()
	return nil
}

func (r *runner) release() {
	r.closed = true
	g := r.gpu
	r.mem.group.leave(r)
	if r.feeding != nil {
		r.feeding.release(r)
	}
	if r.graph != 0 {
		g.call("cuGraphExecDestroy", uintptr(r.graph))
	}
	for _, p := range r.lt {
		g.lt.release(p)
	}
	for _, p := range r.spread {
		g.lt.release(p)
	}
	g.unload(r.module)
	for _, a := range r.work {
		g.free(a)
	}
	if r.set == nil {
		for _, a := range []address{r.base[gpu.Inputs], r.base[gpu.Outputs], r.base[gpu.Arena], r.tables, r.parts} {
			g.free(a)
		}
	}
	for i := range r.staged {
		g.unpin(r.staged[i])
		if r.copied[i] != 0 {
			g.call("cuEventDestroy_v2", uintptr(r.copied[i]))
		}
	}
	g.unpin(r.results)
	if r.done != 0 {
		g.call("cuEventDestroy_v2", uintptr(r.done))
	}
	r.staged, r.results = [2][]float32{}, nil
}
