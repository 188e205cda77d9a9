package gpu

import (
	"cmp"
	"fmt"
	"slices"

	"nacre/core"
)

// merge joins two launches where one can do the work of both.
func (pl *Schedule) merge() {
	pl.link()
	for i := 0; i < len(pl.Units); i++ {
		for j := i + 1; j < len(pl.Units); {
			if pl.mergeable(pl.Units[i], pl.Units[j]) && pl.join(pl.Units[i], pl.Units[j]) {
				pl.Units = slices.Delete(pl.Units, j, j+1)
				pl.link()
				j = i + 1 // what could not be merged before may be now
				continue
			}
			j++
		}
	}
}

// link notes which launches write and read every value, and how many must be done one after the other before each.
func (pl *Schedule) link() {
	pl.writer = make([]*Launch, len(pl.Program.Values))
	pl.readers = make([][]*Launch, len(pl.Program.Values))
	for _, u := range pl.Units {
		for _, v := range u.Writes {
			pl.writer[v] = u
		}
		for _, v := range u.Reads {
			pl.readers[v] = append(pl.readers[v], u)
		}
	}
	before := map[*Launch][]*Launch{}
	for _, u := range pl.Units {
		for _, x := range pl.successors(u) {
			before[x] = append(before[x], u)
		}
	}
	pl.depth = map[*Launch]int{}
	var visit func(u *Launch) int
	visit = func(u *Launch) int {
		d, ok := pl.depth[u]
		if !ok {
			for _, x := range before[u] {
				d = max(d, visit(x)+1)
			}
			pl.depth[u] = d
		}
		return d
	}
	for _, u := range pl.Units {
		visit(u)
	}
}

// successors lists the launches that must run after u: they read what it writes, or overwrite what it reads.
func (pl *Schedule) successors(u *Launch) []*Launch {
	var out []*Launch
	for _, in := range u.Ticks {
		if x := pl.writer[in.Out]; !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	if u.after != nil {
		out = append(out, u.after)
	}
	for _, v := range u.Writes {
		for _, x := range pl.readers[v] {
			if x != u {
				out = append(out, x)
			}
		}
	}
	for _, v := range u.Reads {
		if n, ok := pl.next[v]; ok && pl.writer[n] != u {
			out = append(out, pl.writer[n])
		}
	}
	return out
}

// between reports whether a third launch must run after a and before b.
func (pl *Schedule) between(a, b *Launch) bool {
	if pl.depth[b]-pl.depth[a] < 2 {
		return false
	}
	seen := map[*Launch]bool{a: true, b: true}
	var reaches func(u *Launch) bool
	reaches = func(u *Launch) bool {
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

// mergeable reports whether a and b may become one launch. No third launch may have to run between them. Regions merge
// only if they share something and neither would have to wait for a value that only the other needs.
func (pl *Schedule) mergeable(a, b *Launch) bool {
	switch {
	case len(a.Steps) > 0 && len(b.Steps) > 0:
		return pl.mergeableSteps(a, b) && !pl.between(a, b) && !pl.between(b, a) && !pl.postpones(a, b) &&
			!pl.postpones(b, a)
	case a.Region == nil || b.Region == nil:
		return false
	}
	if pl.depth[a] > pl.depth[b] {
		a, b = b, a
	}
	switch pl.depth[b] - pl.depth[a] {
	case 0:
		return intersects(a.Reads, b.Reads) && a.Region.join(b.Region) != nil
	case 1:
		return intersects(a.Writes, b.Reads) && !pl.delays(a, b) && a.Region.join(b.Region) != nil
	}
	return false
}

// delays reports whether a, merged with b, would wait for something that other readers of a do not need.
func (pl *Schedule) delays(a, b *Launch) bool {
	waits := slices.ContainsFunc(b.Reads, func(v int) bool {
		w := pl.writer[v]
		return w != nil && w != a && pl.depth[w] >= pl.depth[a]
	})
	return waits && slices.ContainsFunc(pl.successors(a), func(x *Launch) bool { return x != b })
}

// postpones reports whether a launch that uses the results of a would wait for b.
func (pl *Schedule) postpones(a, b *Launch) bool {
	return slices.ContainsFunc(pl.successors(a), func(x *Launch) bool { return x != b && pl.depth[x] <= pl.depth[b] })
}

// mergeableSteps reports whether a and b, both of the optimiser's steps, may become one launch. An average may follow
// the step of its source within a launch. Otherwise neither may use a value that the other writes.
func (pl *Schedule) mergeableSteps(a, b *Launch) bool {
	if intersects(b.Writes, a.Reads) {
		return false
	}
	for _, in := range b.Steps {
		for k, v := range in.In {
			if n, ok := pl.next[v]; ok && k == 1 && slices.Contains(a.Writes, n) {
				return false // it reads a value that a overwrites
			}
			if !slices.Contains(a.Writes, v) {
				continue
			}
			made := a.Steps[slices.IndexFunc(a.Steps, func(in core.Instr) bool { return in.Out == v })]
			_, average := in.Op.(core.EMA)
			_, adam := made.Op.(core.Adam)
			if !average || !adam || k != 1 || averageOf(a.Steps, v) >= 0 {
				return false
			}
		}
	}
	for _, in := range a.Steps {
		if n, ok := pl.next[in.In[1]]; ok && slices.Contains(b.Writes, n) {
			return false
		}
	}
	return true
}

// averageOf is the index, among the steps, of the average that moves towards version v. It is -1 if there is none.
func averageOf(steps []core.Instr, v int) int {
	return slices.IndexFunc(steps, func(in core.Instr) bool { _, ok := in.Op.(core.EMA); return ok && in.In[1] == v })
}

func (pl *Schedule) join(a, b *Launch) bool {
	if len(a.Steps) > 0 {
		for _, v := range b.Reads {
			if !slices.Contains(a.Writes, v) {
				a.Reads = append(a.Reads, v)
			}
		}
		a.Steps, a.Writes = append(a.Steps, b.Steps...), append(a.Writes, b.Writes...)
		return true
	}
	first, second := a, b
	if pl.depth[a] > pl.depth[b] {
		first, second = b, a
	}
	if pl.setRegion(a, first.Region.join(second.Region)) != nil {
		return false
	}
	a.at = min(a.at, b.at)
	return true
}

func intersects(a, b []int) bool {
	return slices.ContainsFunc(a, func(v int) bool { return slices.Contains(b, v) })
}

// addTicks adds the launches that count up Adam's steps. One counts the first step of every parameter, one the second
// step of parameters that are stepped twice, and so on.
func (pl *Schedule) addTicks() {
	var rounds []*Launch
	done := map[string]int{}
	for _, in := range pl.Instrs {
		if _, ok := in.Op.(core.Adam); !ok {
			continue
		}
		store := pl.Program.Values[in.Out].Store
		r := done[store]
		done[store]++
		if r == len(rounds) {
			rounds = append(rounds, &Launch{})
			if r > 0 {
				rounds[r-1].after = rounds[r]
			}
		}
		rounds[r].Ticks = append(rounds[r].Ticks, in)
	}
	pl.Units = append(rounds, pl.Units...)
	pl.link()
}

// order sorts the launches so that every launch comes after the launches on which it depends. It notes these in Deps.
func (pl *Schedule) order() error {
	slices.SortStableFunc(pl.Units, func(a, b *Launch) int {
		return cmp.Or(cmp.Compare(pl.depth[a], pl.depth[b]), cmp.Compare(a.at, b.at))
	})
	index := map[*Launch]int{}
	for i, u := range pl.Units {
		index[u] = i
	}
	for i, u := range pl.Units {
		for _, x := range pl.successors(u) {
			if index[x] <= i {
				return fmt.Errorf("gpu: program %q: launches %d and %d depend on one another", pl.Program.Name,
					i, index[x])
			}
			if !slices.Contains(x.Deps, i) {
				x.Deps = append(x.Deps, i)
			}
		}
	}
	return nil
}

// MaxBranches is how many launches may run at the same time.
const MaxBranches = 4

// assignBranches spreads the launches over the branches of the schedule. A launch follows the latest launch on which it
// depends, if that is the last of its branch. Otherwise it goes to the branch that has been idle longest.
func (pl *Schedule) assignBranches() {
	last := [MaxBranches]int{-1, -1, -1, -1}
	for i, u := range pl.Units {
		u.Branch = -1
		for _, d := range slices.Backward(u.Deps) {
			if b := pl.Units[d].Branch; last[b] == d {
				u.Branch = b
				break
			}
		}
		if u.Branch < 0 {
			u.Branch = 0
			for b := range last {
				if last[b] < last[u.Branch] {
					u.Branch = b
				}
			}
		}
		last[u.Branch] = i
	}
}
