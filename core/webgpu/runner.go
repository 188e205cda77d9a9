//go:build (((linux || darwin) && (amd64 || arm64)) || js) && !nogpu

package webgpu

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"nacre/core"
	"nacre/core/gpu"
	"nacre/core/gpu/host"
	"nacre/internal/wgpu"
)

// runner implements core.Runner: a list of dispatches that is submitted again for every run.
type runner struct {
	p       *core.Program
	gpu     *device
	mem     *memory
	steps   bool
	plan    *gpu.Schedule
	feeding *feeding // draws the data of every run, if set
	starts  [gpu.Arena + 1]int

	buffers   [wgpu.Bindings]wgpu.Handle
	owned     []wgpu.Handle
	group     wgpu.Handle
	kernels   []*kernel
	table     []uint32
	arguments []uint32
	commands  []wgpu.Command
	list      wgpu.Recording

	staged  []float32 // inputs as they lie on the GPU
	fresh   []int     // inputs written since the last run
	results []float32
	kept    bool // results holds the last run's
	ran     bool
	closed  bool
}

// loadFeeding loads a program that draws its own data if f is not nil.
func (d *device) loadFeeding(p *core.Program, mem *memory, f *feeding) (core.Runner, error) {
	pl, err := Plan(p)
	if err != nil {
		return nil, err
	}
	r := &runner{p: p, gpu: d, mem: mem, steps: host.Steps(p), plan: pl, feeding: f}
	if err := r.prepare(); err != nil {
		r.release()
		return nil, fmt.Errorf("webgpu: program %q: %w", p.Name, err)
	}
	return r, nil
}

// prepare lays out memory, compiles, and makes the list of dispatches.
func (r *runner) prepare() (err error) {
	if err := r.mem.flush(); err != nil {
		return err
	}
	floats, place := 0, r.plan.Place
	for _, s := range []gpu.Space{gpu.Inputs, gpu.Outputs, gpu.Arena} {
		r.starts[s] = floats
		floats += gpu.RoundUp(place.Size[s])
	}
	slots := r.plan.Slots()
	corrections := floats
	if r.buffers[work], err = r.own("inputs and intermediate values", floats+2*len(slots)); err != nil {
		return err
	}
	r.buffers[params] = r.mem.buffer
	r.buffers[rows], r.buffers[rings], r.buffers[drawn] = r.gpu.empty[0], r.gpu.empty[0], r.gpu.empty[1]
	if r.feeding != nil {
		if err := r.feeding.begin(r); err != nil {
			return err
		}
	}
	for _, u := range r.plan.Units {
		if err := r.launch(u, slots, corrections); err != nil {
			return err
		}
	}
	if r.feeding != nil {
		if err := r.feeding.end(r); err != nil {
			return err
		}
	}
	return r.finish()
}

// own makes a storage buffer that is given back with the runner.
func (r *runner) own(what string, words int) (wgpu.Handle, error) {
	b, err := r.gpu.room(what, words)
	if err == nil {
		r.owned = append(r.owned, b)
	}
	return b, err
}

// finish uploads tables and constants and binds the buffers.
func (r *runner) finish() (err error) {
	if r.buffers[tables], err = r.own("tables", len(r.table)); err != nil {
		return err
	}
	if err := r.gpu.Write(r.buffers[tables], 0, r.table); err != nil {
		return err
	}
	if r.buffers[uniforms], err = r.gpu.NewBuffer("arguments", len(r.arguments), true); err != nil {
		return err
	}
	r.owned = append(r.owned, r.buffers[uniforms])
	if err := r.gpu.Write(r.buffers[uniforms], 0, r.arguments); err != nil {
		return err
	}
	for _, v := range r.plan.Place.Consts {
		if err := r.gpu.Write(r.buffers[work], r.at(v),
			wgpu.Words([]float32{float32(r.p.Values[v].Fill)})); err != nil {
			return err
		}
	}
	r.staged = make([]float32, r.plan.Place.Size[gpu.Inputs])
	r.results = make([]float32, r.plan.Place.Size[gpu.Outputs])
	return r.bind()
}

// bind makes the group of buffers, and the list of dispatches on it.
func (r *runner) bind() (err error) {
	r.gpu.FreeGroup(r.group)
	if r.group, err = r.gpu.NewGroup(r.buffers); err != nil {
		return err
	}
	for i := range r.commands {
		r.commands[i].Group = r.group
	}
	r.list = r.gpu.Record(r.commands)
	return nil
}

// add compiles a kernel and adds its dispatch.
func (r *runner) add(body, entry string, blocks int, args []int) error {
	if len(args) >= wgpu.ArgumentWords {
		return &Error{Fault: Limits, Detail: fmt.Sprintf("a kernel of %d arguments, at most %d", len(args),
			wgpu.ArgumentWords-1)}
	}
	k, err := r.gpu.compile(body, entry)
	if err != nil {
		return err
	}
	r.kernels = append(r.kernels, k)
	r.commands = append(r.commands, wgpu.Command{Kernel: k.handle, Arguments: len(r.arguments) / wgpu.ArgumentWords,
		Blocks: blocks})
	for _, a := range args {
		r.arguments = append(r.arguments, uint32(int32(a)))
	}
	r.arguments = append(r.arguments, make([]uint32, wgpu.ArgumentWords-len(args))...)
	return nil
}

// at is where a value lies in its buffer, in floats.
func (r *runner) at(v int) int {
	at := r.plan.Place.Of[v]
	if at.Space == gpu.Params {
		return r.mem.at(r.param(v), host.Weights)
	}
	return r.starts[at.Space] + at.Offset
}

// param is the number, in memory, of the parameter of which v is a version.
func (r *runner) param(v int) int { return r.mem.Of(r.p, v) }

// bufferOf is the name that kernels have for the buffer a value lies in.
func (r *runner) bufferOf(v int) string {
	if r.plan.Place.Of[v].Space == gpu.Params {
		return "P"
	}
	return "W"
}

// launch adds the dispatches of a unit.
func (r *runner) launch(u *gpu.Launch, slots map[int]int, corrections int) error {
	switch {
	case u.Product != nil:
		return r.launchProduct(u.Product)
	case u.Steps != nil:
		return r.launchSteps(u.Steps, slots, corrections)
	case u.Ticks != nil:
		return r.launchTicks(u.Ticks, slots, corrections)
	}
	return r.launchRegion(u)
}

func (r *runner) launchRegion(u *gpu.Launch) error {
	k := u.Kernel
	var args []int
	for _, a := range k.Args {
		args = append(args, r.at(a.Value))
	}
	shared := 4 * gpu.BlockSize * k.Sums
	if k.Log {
		shared *= 2
	}
	if shared > r.gpu.info.Shared {
		return &Error{Fault: Limits,
			Detail: fmt.Sprintf("%d sums in one kernel take %d bytes that a workgroup shares; this adapter has %d",
				k.Sums, shared, r.gpu.info.Shared)}
	}
	text := kernelText(k, r.bufferOf)
	if k.Slices <= 1 {
		return r.add(text, "main", k.Blocks, args)
	}
	partial := r.plan.Place.Partial[slices.Index(r.plan.Units, u)]
	args = append(args, r.starts[partial.Space]+partial.Offset)
	if err := r.add(text, "main", k.Blocks, args); err != nil {
		return err
	}
	return r.add(text, "finish", k.Blocks/k.Slices, args)
}

func (r *runner) launchProduct(g *gpu.Product) error {
	fours := func(v int) (at, pitch int) {
		if v < 0 {
			return 0, 0
		}
		return r.at(v) / 4, gpu.Pitch(r.p.Values[v].Cols) / 4
	}
	a, lda := fours(g.A)
	b, ldb := fours(g.B)
	bias, _ := fours(g.Bias)
	mask, ldm := fours(g.Mask)
	c, ldc := fours(g.Out)
	return r.add(productText(g, r.bufferOf), "main", gpu.CeilDiv(g.M, 64)*gpu.CeilDiv(g.N, 64),
		[]int{a, b, bias, mask, c, g.M, g.N, g.K, lda, ldb, ldc, ldm})
}

func (r *runner) launchTicks(ticks []core.Instr, slots map[int]int, corrections int) error {
	at := len(r.table)
	for _, in := range ticks {
		a := in.Op.(core.Adam)
		r.table = append(r.table, uint32(r.mem.count(r.param(in.Out))), uint32(corrections+2*slots[in.Out]),
			bitsOf(logOf(a.Beta1)), bitsOf(logOf(a.Beta2)))
	}
	return r.add(optimiserText, "tick", gpu.CeilDiv(len(ticks), gpu.BlockSize), []int{at, len(ticks)})
}

// logOf is the logarithm of a decay. For a decay of zero it is a large negative number, so the decayed value is gone at
// once.
func logOf(beta float64) float64 { return math.Max(math.Log(beta), -1e4) }

func bitsOf(x float64) uint32 { return math.Float32bits(float32(x)) }

func (r *runner) launchSteps(steps []core.Instr, slots map[int]int, corrections int) error {
	at := len(r.table)
	pieces := r.plan.Pieces(steps, slots)
	for _, p := range pieces {
		i, kind := r.param(p.Param), uint32(0)
		row := [16]uint32{1: uint32(r.mem.at(i, host.Weights) + p.From), 4: uint32(r.at(p.Source) + p.From),
			7: uint32(p.N), 14: bitsOf(p.Tau)}
		if r.bufferOf(p.Source) == "P" {
			kind |= 2
		}
		if a := p.Adam; a != nil {
			kind |= 1
			row[2], row[3], row[6] = uint32(r.mem.at(i, host.First)+p.From), uint32(r.mem.at(i, host.Second)+p.From),
				uint32(corrections+2*p.Slot)
			for k, x := range []float64{a.LR, a.Beta1, 1 - a.Beta1, a.Beta2, 1 - a.Beta2, a.Eps} {
				row[8+k] = bitsOf(x)
			}
		}
		if p.Average >= 0 {
			kind |= 4
			row[5] = uint32(r.mem.at(r.param(p.Average), host.Weights) + p.From)
		}
		row[0] = kind
		r.table = append(r.table, row[:]...)
	}
	return r.add(optimiserText, "step_all", len(pieces), []int{at, len(pieces)})
}

// Run gives the program to the GPU and returns without waiting for it.
func (r *runner) Run() error {
	if r.closed {
		return errClosed
	}
	if r.feeding != nil && len(r.feeding.started) == notesKept {
		return fmt.Errorf("webgpu: %d updates have been started and none of their records read", notesKept)
	}
	if r.steps {
		r.mem.Changed()
	}
	if err := r.send(); err != nil {
		return err
	}
	r.kept, r.ran = false, true
	if r.feeding != nil {
		r.feeding.started = append(r.feeding.started, r)
	}
	return r.mem.enqueue(r.list, r.p.FLOPs(), r.feeding == nil)
}

// send writes the inputs that are new. What was queued before reads the old ones.
func (r *runner) send() error {
	if len(r.fresh) == 0 {
		return nil
	}
	if err := r.mem.flush(); err != nil {
		return err
	}
	for _, v := range r.fresh {
		at := r.plan.Place.Of[v].Offset
		if err := r.gpu.Write(r.buffers[work], r.at(v), wgpu.Words(r.staged[at:at+r.plan.SizeOf(v)])); err != nil {
			return err
		}
	}
	r.fresh = r.fresh[:0]
	return nil
}

var errClosed = errors.New("webgpu: the program is closed")

// find returns the value of a named input or output.
func (r *runner) find(kind, name string, n int) (int, error) {
	if r.closed {
		return 0, errClosed
	}
	return host.Value("webgpu", kind, r.p, name, n)
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
	host.Scatter(r.staged[r.plan.Place.Of[v].Offset:], src, r.p.Values[v].Cols)
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
	at := r.plan.Place.Of[v]
	if at.Space != gpu.Outputs { // a parameter or an input that is given back as it is
		return r.fetch(r.bufferHandle(v), r.at(v), r.plan.SizeOf(v), func(x []float32) {
			host.Gather(dst, x, r.p.Values[v].Cols)
		})
	}
	if r.ran && !r.kept {
		if err := r.fetch(r.buffers[work], r.starts[gpu.Outputs], len(r.results), func(x []float32) {
			copy(r.results, x)
		}); err != nil {
			return err
		}
		r.kept = true
	}
	host.Gather(dst, r.results[at.Offset:], r.p.Values[v].Cols)
	return nil
}

func (r *runner) bufferHandle(v int) wgpu.Handle {
	if r.bufferOf(v) == "P" {
		return r.mem.buffer
	}
	return r.buffers[work]
}

// fetch waits for the runs so far and reads.
func (r *runner) fetch(from wgpu.Handle, at, n int, use func([]float32)) error {
	if err := r.mem.flush(); err != nil {
		return err
	}
	f, err := r.gpu.Fetch(from, at, n)
	if err != nil {
		return err
	}
	return f.Wait(func(words []uint32) { use(wgpu.Floats(words)) })
}

func (r *runner) Close() error {
	if !r.closed {
		r.mem.flush() // a GPU that is lost has nothing left to give back
		r.release()
	}
	return nil
}

func (r *runner) release() {
	r.closed = true
	if r.feeding != nil {
		r.feeding.leave(r)
	}
	r.gpu.FreeGroup(r.group)
	for _, b := range r.owned {
		r.gpu.FreeBuffer(b)
	}
	r.gpu.forget(r.kernels)
	r.staged, r.results, r.owned = nil, nil, nil
}
