//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"errors"
	"unsafe"

	"nacre/core"
	"nacre/core/gpu"
	"nacre/core/gpu/host"
)

// arguments are the arguments of a kernel: pointers, and integers of 4 bytes. Both kinds of processor that this package
// is built for store the lower bytes first.
type arguments []uint64

func (a *arguments) pointer(p address) { *a = append(*a, uint64(p)) }
func (a *arguments) integer(n int)     { *a = append(*a, uint64(uint32(n))) }

// spread says in how many memories launches work, and how many floats lie between the same value of two neighbouring
// memories. The launches belong to the runner of the first memory.
type spread struct {
	memories int
	far      [gpu.Arena + 1]int // by space
	tables   int
	parts    int
}

// alone is the spread of a runner that works in its own memory only.
var alone = &spread{memories: 1}

// launches returns a function for every unit, which adds the unit's work to a stream.
func (r *runner) launches(pl *gpu.Schedule, names []string, over *spread) ([]func(stream) error, error) {
	var err error
	if r.steps == nil {
		if r.steps, err = r.stepTables(pl); err != nil {
			return nil, err
		}
	}
	t := r.steps
	out := make([]func(stream) error, len(pl.Units))
	for i, u := range pl.Units {
		switch {
		case u.Product != nil:
			out[i], err = r.launchProduct(u, over)
		case u.Steps != nil:
			out[i], err = r.launchTable("step", t.pieces[i], t.count[i], over)
		case u.Ticks != nil:
			out[i], err = r.launchTable("tick", t.counters[i], len(u.Ticks), over)
		default:
			out[i], err = r.launchRegion(pl, i, names[i], over)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// with returns the launch of a kernel of the program's module.
func (r *runner) with(name string, blocks int, args arguments, over *spread) (func(stream) error, error) {
	k, err := r.gpu.function(r.module, name)
	return func(s stream) error { return r.gpu.launch(k, s, blocks, over.memories, args) }, err
}

// far returns the distance between value v and the same value of the next memory; 0 for no value.
func (r *runner) far(v int, over *spread) int {
	if v < 0 {
		return 0
	}
	return over.far[r.place.Of[v].Space]
}

func (r *runner) launchRegion(pl *gpu.Schedule, i int, name string, over *spread) (func(stream) error, error) {
	u := pl.Units[i]
	var args arguments
	for _, a := range u.Kernel.Args {
		args.pointer(r.address(a.Value))
	}
	if u.Kernel.Slices > 1 {
		args.pointer(r.at(r.place.Partial[i]))
		args.pointer(r.at(r.place.Counter[i]))
	}
	for _, a := range u.Kernel.Args {
		args.integer(r.far(a.Value, over))
	}
	if u.Kernel.Slices > 1 {
		args.integer(over.far[gpu.Arena])
		args.integer(over.far[gpu.Arena])
	}
	return r.with(name, u.Kernel.Blocks, args, over)
}

// launchProduct returns the launch of a product by cuBLASLt, or by our own kernel if cuBLASLt lacks what the product
// needs. In several memories it uses the algorithm that it would use in one, so that the bits are the same.
func (r *runner) launchProduct(u *gpu.Launch, over *spread) (func(stream) error, error) {
	g, lt, single := u.Product, r.gpu.lt, r.lt[u]
	if lt == nil || !lt.serves(g) || over.memories > 1 && single == nil {
		return r.launchOwn(g, over)
	}
	var algos []algorithm
	if over.memories > 1 {
		algos = single.algos[:1]
	}
	whole := *g
	whole.M, whole.N, whole.K = g.WholeM, g.WholeN, g.WholeK
	own, g := g, &whole
	o, before := r.operands(g, over), func(stream) error { return nil }
	if lt.parts {
		var err error
		if before, err = r.launchParts(u, &g, &o, over); err != nil {
			return nil, err
		}
	}
	p, ok, err := lt.prepare(g, o, over.memories, algos)
	if err != nil {
		return nil, err
	}
	if !ok {
		return r.takeOver(own)
	}
	if over.memories == 1 {
		r.lt[u] = p
	} else {
		r.spread = append(r.spread, p)
	}
	return func(s stream) error {
		if err := before(s); err != nil {
			return err
		}
		return lt.multiply(p, s, r.work[u.Branch])
	}, nil
}

// launchParts cuts the operands of a product into two numbers each. It replaces the product by one with three times the
// terms, whose operands are these numbers.
func (r *runner) launchParts(u *gpu.Launch, g **gpu.Product, o *operands, over *spread) (func(stream) error, error) {
	of := **g
	pitch, a, b := 3*gpu.Pitch(of.K), o.a, o.b
	o.a = operand{r.parts + address(4*r.partsAt[u.Branch]), pitch, over.parts}
	o.b = operand{o.a.at + address(4*gpu.RoundUp(of.M*pitch)), pitch, over.parts}
	var args arguments
	for _, at := range []address{a.at, o.a.at, b.at, o.b.at} {
		args.pointer(at)
	}
	blocks := func(across int) int { return gpu.CeilDiv(across, 32) * gpu.CeilDiv(pitch/3, 32) }
	along := map[bool]int{true: 1}
	for _, n := range []int{blocks(of.M), of.K, of.M, a.pitch, along[!of.TA], of.N, b.pitch, along[of.TB], a.far,
		over.parts, b.far, over.parts} {
		args.integer(n)
	}
	*g = &gpu.Product{A: of.A, B: of.B, Bias: of.Bias, Mask: of.Mask, Out: of.Out, TB: true, Act: of.Act, M: of.M,
		N: of.N, K: pitch}
	return r.with("split", blocks(of.M)+blocks(of.N), args, over)
}

// operands returns the operands of a product for cuBLASLt.
func (r *runner) operands(g *gpu.Product, over *spread) operands {
	of := func(v int) operand {
		if v < 0 {
			return operand{}
		}
		return operand{r.address(v), r.pitch(v), r.far(v, over)}
	}
	o := operands{a: of(g.A), b: of(g.B), bias: of(g.Bias), out: of(g.Out)}
	if g.Turned {
		o.b.at, o.b.pitch = r.mem.turn(r.param(g.B)), gpu.Pitch(r.p.Values[g.B].Rows)
	}
	return o
}

// takeOver returns the launch of a product by our own kernel, when cuBLASLt has no algorithm for it.
func (r *runner) takeOver(g *gpu.Product) (func(stream) error, error) {
	r.gpu.fallen.Add(1)
	return r.launchOwn(g, alone)
}

// tryProducts makes every product once outside the graph, where this changes no result, so that libraries load what
// they need. If an algorithm of the library fails, the next one is tried. If all fail, our own kernel takes over.
func (r *runner) tryProducts(pl *gpu.Schedule, launches []func(stream) error) error {
	for i, u := range pl.Units {
		if u.Product == nil {
			continue
		}
		if p := r.lt[u]; p != nil {
			if err := r.choose(u, p); err != nil {
				return err
			}
		}
		err := r.try(launches[i])
		for p := r.lt[u]; err != nil && p != nil; err = r.try(launches[i]) {
			var refused *Error
			if !errors.As(err, &refused) || refused.Fault != Products {
				return err
			}
			if p.next() {
				continue
			}
			if launches[i], err = r.drop(u, p); err != nil {
				return err
			}
			p = nil
		}
		if err != nil {
			return err
		}
	}
	return r.gpu.do(Launching, "cuStreamSynchronize", uintptr(r.mem.stream))
}

// drop lets our own kernel make a product instead of cuBLASLt.
func (r *runner) drop(u *gpu.Launch, p *ltProduct) (func(stream) error, error) {
	r.gpu.lt.release(p)
	delete(r.lt, u)
	return r.takeOver(u.Product)
}

// try runs a launch while nobody records, because the library may load a kernel for it.
func (r *runner) try(launch func(stream) error) error {
	recordings.RLock()
	defer recordings.RUnlock()
	return launch(r.mem.stream)
}

func (r *runner) pitch(v int) int { return gpu.Pitch(r.p.Values[v].Cols) }

// optional returns the address of a value, or 0 for no value.
func (r *runner) optional(v int) address {
	if v < 0 {
		return 0
	}
	return r.address(v)
}

// launchOwn returns the launch of a product by our own kernel.
func (r *runner) launchOwn(g *gpu.Product, over *spread) (func(stream) error, error) {
	var args arguments
	o := r.operands(g, over)
	for _, a := range []address{o.a.at, o.b.at, o.bias.at, r.optional(g.Mask), o.out.at} {
		args.pointer(a)
	}
	ldm := 0
	if g.Mask >= 0 {
		ldm = r.pitch(g.Mask)
	}
	for _, n := range []int{g.M, g.N, g.K, o.a.pitch, o.b.pitch, o.out.pitch, ldm, int(g.Act)} {
		args.integer(n)
	}
	for _, v := range []int{g.A, g.B, g.Bias, g.Mask, g.Out} {
		args.integer(r.far(v, over))
	}
	letter := map[bool]string{false: "n", true: "t"}
	return r.with("gemm_"+letter[g.TA]+letter[g.TB], gpu.CeilDiv(g.M, 64)*gpu.CeilDiv(g.N, 64), args, over)
}

func (r *runner) launchTable(name string, table address, n int, over *spread) (func(stream) error, error) {
	var args arguments
	args.pointer(table)
	if name == "step" {
		args.integer(over.tables)
		return r.with(name, n, args, over)
	}
	args.integer(n)
	args.integer(over.tables)
	return r.with(name, gpu.CeilDiv(n, gpu.BlockSize), args, over)
}

// piece and counter are the structs of optimiser.h.
type piece struct {
	w, m, v, g, average, correct               address
	turned, turnedAverage                      address
	rows, cols, pitch, shift                   int32
	across, turnedPitch                        int32
	rate, beta1, gain1, beta2, gain2, eps, tau float32
}

type counter struct {
	t, correct   address
	beta1, beta2 float64
}

// tables holds the addresses of the optimiser's tables, by unit.
type tables struct {
	pieces, counters map[int]address
	count            map[int]int // number of pieces
}

// stepTables writes the tables of all units to the device.
func (r *runner) stepTables(pl *gpu.Schedule) (*tables, error) {
	t := &tables{map[int]address{}, map[int]address{}, map[int]int{}}
	slot := pl.Slots()
	pieces, counters := map[int][]piece{}, map[int][]counter{}
	size := 8 * len(slot) // in bytes
	for i, u := range pl.Units {
		t.pieces[i] = address(gpu.RoundUp(size))
		pieces[i] = r.pieces(pl.Pieces(u.Steps, slot))
		t.count[i] = len(pieces[i])
		size = gpu.RoundUp(size) + len(pieces[i])*int(unsafe.Sizeof(piece{}))
		t.counters[i] = address(gpu.RoundUp(size))
		for _, in := range u.Ticks {
			a := in.Op.(core.Adam)
			counters[i] = append(counters[i], counter{r.mem.count(r.param(in.Out)), address(8 * slot[in.Out]),
				a.Beta1, a.Beta2})
		}
		size = gpu.RoundUp(size) + len(counters[i])*int(unsafe.Sizeof(counter{}))
	}
	if len(slot) == 0 && size == 0 {
		return t, nil
	}
	var err error
	if r.tables, err = r.room("the optimiser's tables", tablesRoom, size/4+gpu.Align); err != nil {
		return nil, err
	}
	for i := range pl.Units {
		t.pieces[i] += r.tables
		t.counters[i] += r.tables
		for k := range pieces[i] {
			if pieces[i][k].m != 0 {
				pieces[i][k].correct += r.tables
			}
		}
		for k := range counters[i] {
			counters[i][k].correct += r.tables
		}
		if len(pieces[i]) > 0 {
			err = upload(r.gpu.driver, t.pieces[i], pieces[i])
		}
		if err == nil && len(counters[i]) > 0 {
			err = upload(r.gpu.driver, t.counters[i], counters[i])
		}
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// param returns the number, in the memory, of the parameter that value v is a version of.
func (r *runner) param(v int) int { return r.mem.Of(r.p, v) }

// pieces returns the kernel's description of pieces. It gives the places of the corrections relative to the tables.
func (r *runner) pieces(list []gpu.Piece) (out []piece) {
	for _, x := range list {
		i, from := r.param(x.Param), address(4*x.From)
		p := piece{w: r.mem.at(i, host.Weights) + from, g: r.address(x.Source) + from, rows: 1, cols: int32(x.N),
			shift: 10, tau: float32(x.Tau)}
		if a := x.Adam; a != nil {
			p.m, p.v, p.correct = r.mem.at(i, host.First)+from, r.mem.at(i, host.Second)+from, address(8*x.Slot)
			p.rate, p.eps = float32(a.LR), float32(a.Eps)
			p.beta1, p.gain1 = float32(a.Beta1), float32(1-a.Beta1)
			p.beta2, p.gain2 = float32(a.Beta2), float32(1-a.Beta2)
		}
		if x.Average >= 0 {
			p.average = r.mem.at(r.param(x.Average), host.Weights) + from
		}
		if s := r.mem.Specs[i]; x.Rows > 0 {
			pitch := gpu.Pitch(s.Cols)
			p.rows, p.cols, p.pitch, p.shift = int32(x.Rows), int32(x.Cols), int32(pitch), 5
			p.across, p.turnedPitch = int32(min(x.Cols, s.Cols-x.From%pitch)), int32(gpu.Pitch(s.Rows))
			p.turned = r.mem.turn(i) + address(4*x.Turned)
			if x.Average >= 0 {
				p.turnedAverage = r.mem.turn(r.param(x.Average)) + address(4*x.Turned)
			}
		}
		out = append(out, p)
	}
	return out
}
