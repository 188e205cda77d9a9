package cpu

import (
	"fmt"
	"runtime"
	"sync/atomic"
)

// phase is a part of a run. It consists of units of work. Any worker may do any unit; the result is the same. Units are
// taken in order. If chain is not zero, unit i begins only after unit i-chain is done. Otherwise units may be done in
// any order. Phases run one after another.
type phase struct {
	begin    func() // called before the first unit; may be nil
	units    int
	run      func(w *worker, unit int)
	parallel bool // whether it is worth waking the other workers
	tiled    bool // whether a unit is long; workers that find no unit left then help the others

	chain int
	done  []atomic.Bool // by unit; used if chain is not zero and the phase is shared
}

// runShared runs a unit of a phase that several workers share.
func (ph *phase) runShared(w *worker, unit int) {
	if ph.chain == 0 {
		ph.run(w, unit)
		return
	}
	if before := unit - ph.chain; before >= 0 {
		for !ph.done[before].Load() { // this is rare: its worker was held up while the others did chain units
			runtime.Gosched()
		}
	}
	ph.run(w, unit)
	ph.done[unit].Store(true)
}

// phases turns a segment into phases.
func (b *builder) phases(seg segment, workers int) []phase {
	b.tiled, b.after = seg.tiled, &ahead{}
	b.phase++
	if seg.tiled {
		return b.tilePhases(seg)
	}
	var out []phase
	var small []step // consecutive steps that are not worth sharing
	flush := func() {
		if steps := small; len(steps) > 0 {
			out = append(out, phase{units: 1, run: func(w *worker, _ int) {
				for i := range steps {
					steps[i].do(w, span{hi: steps[i].units, first: true})
				}
			}})
			small = nil
		}
	}
	for i := 0; i < len(seg.instrs); {
		in := &seg.instrs[i]
		if n, ph := b.updatePhase(seg.instrs[i:]); n > 0 {
			flush()
			out = append(out, ph)
			i += n
			continue
		}
		i++
		st := b.build(in)
		if workers == 1 || st.units == 1 || st.cost < b.shareFrom {
			small = append(small, st)
			continue
		}
		flush()
		out = append(out, stepPhase(st, workers))
	}
	flush()
	return out
}

// partOf returns how many units to take at a time. Each worker gets a few parts, so that a delayed worker holds up
// little.
func partOf(units, workers int) int {
	part := max(8, (units+4*workers-1)/(4*workers))
	return (part + 7) / 8 * 8
}

// stepPhase cuts one step among the workers.
func stepPhase(st step, workers int) phase {
	part := partOf(st.units, workers)
	return phase{units: (st.units + part - 1) / part, parallel: true, run: func(w *worker, unit int) {
		st.do(w, span{lo: unit * part, hi: min(st.units, (unit+1)*part), first: true})
	}}
}

// updatePhase joins the first updates of list that are independent of each other, and returns their number.
func (b *builder) updatePhase(list []instr) (int, phase) {
	var updates []*update
	cost := 0.0
	for i := range list {
		u := b.makeUpdate(&list[i])
		if u == nil || !u.independent(updates) {
			break
		}
		updates = append(updates, u)
		cost += u.cost(b.k)
	}
	type chunk struct {
		u              *update
		lo, hi, region int
	}
	var chunks []chunk
	for _, u := range updates {
		region := b.region(u.describe(b.k))
		for lo := 0; lo < u.p.spec.Rows; lo += updateRows {
			chunks = append(chunks, chunk{u, lo, min(lo+updateRows, u.p.spec.Rows), region})
		}
	}
	return len(updates), phase{
		begin: func() {
			for _, u := range updates {
				u.begin()
			}
		},
		units: len(chunks),
		run: func(w *worker, unit int) {
			c := &chunks[unit]
			w.timed(c.region, func() { c.u.rows(w, c.lo, c.hi) })
		},
		parallel: cost >= b.shareFrom,
	}
}

// tilePhases makes the phase that runs a segment's steps for every tile, and the phase that adds up the lanes.
//
// If a segment sums, tile t adds to lane t mod lanes after tile t-lanes did. So every partial sum is computed in the
// same order, whoever computes it.
func (b *builder) tilePhases(seg segment) []phase {
	var steps []step
	var sums []laneSum
	cost := 0.0
	for i := range seg.instrs {
		in := &seg.instrs[i]
		st := b.build(in)
		steps = append(steps, st)
		cost += st.cost
		if b.place[in.out] == laneSummed {
			sums = append(sums, b.laneSums(in.out)...)
		}
	}
	groups, perTile, tiles := b.p.Groups, b.p.TileGroups, b.p.Tiles()
	lanes := b.lanes
	each := phase{units: tiles, parallel: cost >= b.shareFrom, tiled: true, run: func(w *worker, t int) {
		s := span{lo: t * perTile, hi: min(groups, (t+1)*perTile), lane: t % lanes, first: t < lanes}
		for i := range steps {
			steps[i].do(w, s)
		}
	}}
	if seg.sums() {
		each.chain, each.done = lanes, make([]atomic.Bool, tiles)
	}
	out := []phase{each}
	if len(sums) > 0 {
		total := 0.0
		for _, s := range sums {
			total += float64(len(s.dst)*lanes) / b.k.elemsPerNano
		}
		b.phase++
		region := b.region(Region{Code: fmt.Sprintf("sums of %d lanes", lanes),
			Result: fmt.Sprintf("%d numbers", b.laneLen), Place: "own",
			Bytes: int64(4 * (lanes + 1) * b.laneLen), Predicted: total / 1e6})
		out = append(out, phase{units: len(sums), parallel: total >= b.shareFrom, run: func(w *worker, unit int) {
			w.timed(region, func() { sums[unit].add(w, b.lane) })
		}})
	}
	return out
}

// laneSum is a piece of a reduction's result. The lanes are summed one piece at a time.
type laneSum struct {
	dst    []float32
	offset int // in every lane
}

// laneSums cuts value v into pieces. A piece stays in the first-level cache while the lanes are added.
func (b *builder) laneSums(v int) []laneSum {
	const piece = 4096
	var out []laneSum
	d := b.mats[v].d
	for at := 0; at < len(d); at += piece {
		out = append(out, laneSum{d[at:min(at+piece, len(d))], b.offset[v] + at})
	}
	return out
}

// add adds the lanes, which follow one another in memory, in their order.
func (l *laneSum) add(w *worker, lanes [][]float32) {
	w.lanes = laneArgs{n: int64(len(l.dst)), dst: &l.dst[0], src: &lanes[0][l.offset], stride: int64(4 * len(lanes[0])),
		lanes: int64(len(lanes))}
	w.k.sumLanes(&w.lanes)
}

// sums reports whether a tiled segment has reductions.
func (seg *segment) sums() bool {
	for i := range seg.instrs {
		if seg.instrs[i].reduces() {
			return true
		}
	}
	return false
}
