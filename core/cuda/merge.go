package cuda

import (
	"cmp"
	"fmt"
	"slices"

	"nacre/core"
)

// merge joins units where one launch can do the work of two.
func (pl *plan) merge() {
	pl.link()
	for i := 0; i < len(pl.units); i++ {
		for j := i + 1; j < len(pl.units); {
			if pl.mergeable(pl.units[i], pl.units[j]) && pl.join(pl.units[i], pl.units[j]) {
				pl.units = slices.Delete(pl.units, j, j+1)
				pl.link()
				j = i + 1 // what could not be merged before may be now
				continue
			}
			j++
		}
	}
}

// link notes who writes and reads every value, and how many launches must be done one after the other before each.
func (pl *plan) link() {
	pl.writer = make([]*unit, len(pl.p.Values))
	pl.readers = make([][]*unit, len(pl.p.Values))
	for _, u := range pl.units {
		for _, v := range u.writes {
			pl.writer[v] = u
		}
		for _, v := range u.reads {
			pl.readers[v] = append(pl.readers[v], u)
		}
	}
	before := map[*unit][]*unit{}
	for _, u := range pl.units {
		for _, x := range pl.successors(u) {
			before[x] = append(before[x], u)
		}
	}
	pl.depth = map[*unit]int{}
	var visit func(u *unit) int
	visit = func(u *unit) int {
		d, ok := pl.depth[u]
		if !ok {
			for _, x := range before[u] {
				d = max(d, visit(x)+1)
			}
			pl.depth[u] = d
		}
		return d
	}
	for _, u := range pl.units {
		visit(u)
	}
}

// successors lists the units that must run after u: they read what it writes, or overwrite what it reads.
func (pl *plan) successors(u *unit) []*unit {
	var out []*unit
	for _, in := range u.ticks {
		if x := pl.writer[in.Out]; !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	if u.next != nil {
		out = append(out, u.next)
	}
	for _, v := range u.writes {
		for _, x := range pl.readers[v] {
			if x != u {
				out = append(out, x)
			}
		}
	}
	for _, v := range u.reads {
		if n, ok := pl.next[v]; ok && pl.writer[n] != u {
			out = append(out, pl.writer[n])
		}
	}
	return out
}

// between reports whether a third unit must run after a and before b.
func (pl *plan) between(a, b *unit) bool {
	if pl.depth[b]-pl.depth[a] < 2 {
		return false
	}
	seen := map[*unit]bool{a: true, b: true}
	var reaches func(u *unit) bool
	reaches = func(u *unit) bool {
		for _, x := range pl.successors(u) {
			if x == b && u != a {
				return true
			}
			if !seen[x] && pl.depth[x] < pl.depth[b] {
				seen[x] = true
				if reaches(x) {
					return true
				}
			}
		}
		return false
	}
	return reaches(a)
}

// mergeable reports whether a and b may become one launch: no third unit may have to run between them. Regions merge
// only where they have something to share and neither would have to wait for what only the other needs.
func (pl *plan) mergeable(a, b *unit) bool {
	switch {
	case len(a.steps) > 0 && len(b.steps) > 0:
		return pl.mergeableSteps(a, b) && !pl.between(a, b) && !pl.between(b, a) && !pl.postpones(a, b) && !pl.postpones(b, a)
	case a.region == nil || b.region == nil:
		return false
	}
	if pl.depth[a] > pl.depth[b] {
		a, b = b, a
	}
	switch pl.depth[b] - pl.depth[a] {
	case 0:
		return intersects(a.reads, b.reads) && a.region.join(b.region) != nil
	case 1:
		return intersects(a.writes, b.reads) && !pl.delays(a, b) && a.region.join(b.region) != nil
	}
	return false
}

// delays reports whether a, merged with b, would wait for something that others who read a do not need.
func (pl *plan) delays(a, b *unit) bool {
	waits := slices.ContainsFunc(b.reads, func(v int) bool {
		w := pl.writer[v]
		return w != nil && w != a && pl.depth[w] >= pl.depth[a]
	})
	return waits && slices.ContainsFunc(pl.successors(a), func(x *unit) bool { return x != b })
}

// postpones reports whether somebody who uses what a writes would wait for b.
func (pl *plan) postpones(a, b *unit) bool {
	return slices.ContainsFunc(pl.successors(a), func(x *unit) bool { return x != b && pl.depth[x] <= pl.depth[b] })
}

// mergeableSteps: an average may follow the step of its source within a launch; otherwise neither may use what the
// other writes.
func (pl *plan) mergeableSteps(a, b *unit) bool {
	if intersects(b.writes, a.reads) {
		return false
	}
	for _, in := range b.steps {
		for k, v := range in.In {
			if n, ok := pl.next[v]; ok && k == 1 && slices.Contains(a.writes, n) {
				return false // it reads what a overwrites
			}
			if !slices.Contains(a.writes, v) {
				continue
			}
			made := a.steps[slices.IndexFunc(a.steps, func(in core.Instr) bool { return in.Out == v })]
			_, average := in.Op.(core.EMA)
			_, adam := made.Op.(core.Adam)
			if !average || !adam || k != 1 || averageOf(a.steps, v) >= 0 {
				return false
			}
		}
	}
	for _, in := range a.steps {
		if n, ok := pl.next[in.In[1]]; ok && slices.Contains(b.writes, n) {
			return false
		}
	}
	return true
}

// averageOf is the index of the average towards version v among steps, or -1.
func averageOf(steps []core.Instr, v int) int {
	return slices.IndexFunc(steps, func(in core.Instr) bool { _, ok := in.Op.(core.EMA); return ok && in.In[1] == v })
}

func (pl *plan) join(a, b *unit) bool {
	if len(a.steps) > 0 {
		for _, v := range b.reads {
			if !slices.Contains(a.writes, v) {
				a.reads = append(a.reads, v)
			}
		}
		a.steps, a.writes = append(a.steps, b.steps...), append(a.writes, b.writes...)
		return true
	}
	first, second := a, b
	if pl.depth[a] > pl.depth[b] {
		first, second = b, a
	}
	if pl.setRegion(a, first.region.join(second.region)) != nil {
		return false
	}
	a.at = min(a.at, b.at)
	return true
}

func intersects(a, b []int) bool {
	return slices.ContainsFunc(a, func(v int) bool { return slices.Contains(b, v) })
}

// addTicks adds the units that count up Adam's steps: one for the first step of every parameter, one for the second of
// those that are stepped twice, and so on.
func (pl *plan) addTicks() {
	var rounds []*unit
	done := map[string]int{}
	for _, in := range pl.instrs {
		if _, ok := in.Op.(core.Adam); !ok {
			continue
		}
		store := pl.p.Values[in.Out].Store
		r := done[store]
		done[store]++
		if r == len(rounds) {
			rounds = append(rounds, &unit{})
			if r > 0 {
				rounds[r-1].next = rounds[r]
			}
		}
		rounds[r].ticks = append(rounds[r].ticks, in)
	}
	pl.units = append(rounds, pl.units...)
	pl.link()
}

// order sorts the units so that every one comes after those it depends on, and notes these.
func (pl *plan) order() error {
	slices.SortStableFunc(pl.units, func(a, b *unit) int {
		return cmp.Or(cmp.Compare(pl.depth[a], pl.depth[b]), cmp.Compare(a.at, b.at))
	})
	index := map[*unit]int{}
	for i, u := range pl.units {
		index[u] = i
	}
	for i, u := range pl.units {
		for _, x := range pl.successors(u) {
			if index[x] <= i {
				return fmt.Errorf("cuda: program %q: launches %d and %d depend on one another", pl.p.Name, i, index[x])
			}
			if !slices.Contains(x.deps, i) {
				x.deps = append(x.deps, i)
			}
		}
	}
	return nil
}

const maxBranches = 4

// assignBranches spreads the units over the branches of the graph: each goes on after the latest unit it depends on if
// that is the last of its branch, else to the branch that has been idle longest.
func (pl *plan) assignBranches() {
	last := [maxBranches]int{-1, -1, -1, -1}
	for i, u := range pl.units {
		u.branch = -1
		for _, d := range slices.Backward(u.deps) {
			if b := pl.units[d].branch; last[b] == d {
				u.branch = b
				break
			}
		}
		if u.branch < 0 {
			u.branch = 0
			for b := range last {
				if last[b] < last[u.branch] {
					u.branch = b
				}
			}
		}
		last[u.branch] = i
	}
}
