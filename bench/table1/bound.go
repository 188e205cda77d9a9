package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"nacre/analysis/stats"
)

// A place is a point in metres.
type place [3]float64

func (p place) to(q place) float64       { return math.Hypot(p.toXY(q), p[2]-q[2]) }
func (p place) toXY(q place) float64     { return math.Hypot(p[0]-q[0], p[1]-q[1]) }
func (p place) plus(q place) place       { return place{p[0] + q[0], p[1] + q[1], p[2] + q[2]} }
func (p place) atHeight(z float64) place { return place{p[0], p[1], z} }

// A hidden goal is drawn in every task and cannot be seen: it does not follow from the first observation.
type hidden struct {
	apart float64 // the least distance in the plane between what is drawn for the object and for the goal
	by    place   // the goal is so far from what is drawn for it
	flat  bool    // height makes no difference

	// pays is the most that a step pays, to 0.1, with the thing that counts at p: the object, held; where there is
	// none, the fingers. The object began at o.
	pays func(o, goal, p place) float64
}

// hiddenGoals has the families with one. Rewards are those of the classes, without what a touch, a grip or the way to
// the object add or take, which is below 0.1 a step.
var hiddenGoals = map[string]hidden{
	"coffee-push":           {apart: 0.15, flat: true, pays: pushed},
	"coffee-pull":           {apart: 0.15, flat: true, pays: pushed},
	"push":                  {apart: 0.15, flat: true, pays: pushed},
	"push-wall":             {apart: 0.15, flat: true, pays: pushed},
	"push-back":             {apart: 0.15, flat: true, pays: pushed},
	"soccer":                {apart: 0.15, flat: true, pays: pushed},
	"plate-slide":           {flat: true, pays: pushed},
	"plate-slide-side":      {flat: true, pays: pushed},
	"plate-slide-back":      {flat: true, pays: pushed},
	"plate-slide-back-side": {flat: true, pays: pushed},
	"reach":                 {apart: 0.15, pays: reached},
	"reach-wall":            {apart: 0.15, pays: reached},
	"hand-insert":           {apart: 0.15, flat: true, pays: inserted},
	"pick-place":            {apart: 0.15, pays: lifted(0.04)},
	"pick-place-wall":       {apart: 0.15, pays: lifted(0.04)},
	"pick-out-of-hole":      {apart: 0.15, pays: outOfHole},
	"shelf-place":           {apart: 0.1, by: place{0, 0, 0.3}, pays: lifted(0.04)},
	"basketball":            {apart: 0.15, by: place{0, -0.05, 0.1}, pays: lifted(0.3)},
	"box-close":             {apart: 0.25, pays: lifted(0.12)},
	"peg-insert-side":       {apart: 0.1, by: place{0.1, 0, 0.08}, pays: lifted(0.11)},
	"assembly":              {apart: 0.1, flat: true, pays: assembled},
	"stick-push":            {apart: 0.1, flat: true, pays: byStick(place{0.2, 0.6}, 0.001, 0.0001)},
	"stick-pull":            {apart: 0.1, flat: true, pays: byStick(place{0.2, 0.69}, 0.01, 0.001)},
}

// pull is what most classes pay at distance d of a way span.
func pull(span, d float64) float64 {
	return 1000*(span-d) + 1000*(math.Exp(-d*d/0.01)+math.Exp(-d*d/0.001))
}

func pushed(o, goal, p place) float64 { return math.Max(pull(o.toXY(goal), p.toXY(goal)), 0) }

// swinging is where the fingers are at the first observation.
var swinging = place{-0.0328, 0.5056, 0.1939}

func reached(_, goal, p place) float64 { return math.Max(pull(swinging.to(goal), p.to(goal)), 0) }

// inserted pays over the hole only, for the way down; all goals have one height, and the hand begins about 0.19 m up.
func inserted(_, goal, p place) float64 {
	if p.toXY(goal) >= 0.05 {
		return 0
	}
	return pull(math.Abs(swinging[2]-goal[2]), 0)
}

// lifted is for an object that is to be lifted by so much on its way.
func lifted(height float64) func(o, goal, p place) float64 {
	return func(o, goal, p place) float64 {
		high := o[2] + height
		return 100*high + math.Max(pull(o.atHeight(high).to(goal)+high, p.to(goal)), 0)
	}
}

func outOfHole(o, goal, p place) float64 {
	high := o[2] + 0.11
	return 100*(high-o[2]+0.02) + math.Max(pull(o.atHeight(high).to(goal)+high, p.to(goal)), 0)
}

// assembled is a nut held so far over the goal in the plane. Within 3 cm on both axes it may fall on the peg, which
// pays 4000 and the way down besides.
func assembled(o, goal, p place) float64 {
	high := o[2] + 0.1
	r := 100*high + math.Max(pull(o.atHeight(high).to(goal)+high, p.toXY(goal)), 0)
	if math.Abs(p[0]-goal[0]) < 0.03 && math.Abs(p[1]-goal[1]) < 0.03 {
		r += 2000*high + 4000
	}
	return r
}

// byStick is a stick at its container, which began at a place and is at p.
func byStick(container place, far, near float64) func(o, goal, p place) float64 {
	return func(o, goal, p place) float64 {
		high, d := o[2]+0.04, p.toXY(goal)
		stick := container.atHeight(high).to(o) + high
		moved := 1000*(container.toXY(goal)-d) + 2000*(math.Exp(-d*d/far)+math.Exp(-d*d/near))
		return 100*high + math.Max(pull(stick, 0)+moved, 0)
	}
}

// bounds are the largest mean returns of an episode of so many steps, over objects and goals: blind for who holds the
// thing from the first step on at the place that is best before the goal is known, told for who holds it at the goal.
func (h hidden) bounds(objects []place, goals box, steps int) (blind, told float64, err error) {
	r := rand.New(rand.NewPCG(59, 1))
	var blinds, tolds []float64
	for _, o := range objects {
		var at []place
		for tries := 0; len(at) < 2000; tries++ {
			if tries == 1_000_000 {
				return 0, 0, fmt.Errorf("%d goals of a million drawn in %v are %g m from the object at %v; expected "+
					"2000", len(at), goals, h.apart, o)
			}
			if g := goals.draw(r); o.toXY(g) >= h.apart {
				at = append(at, g.plus(h.by))
			}
		}
		mean := func(pays func(goal place) float64) float64 {
			sum := 0.0
			for _, g := range at {
				sum += pays(g)
			}
			return sum / float64(len(at))
		}
		tolds = append(tolds, mean(func(g place) float64 { return h.pays(o, g, g) }))
		blinds = append(blinds, h.best(goals.moved(h.by), func(p place) float64 {
			return mean(func(g place) float64 { return h.pays(o, g, p) })
		}))
	}
	return float64(steps) * stats.Mean(blinds), float64(steps) * stats.Mean(tolds), nil
}

// best is the highest value of f in a box: on a grid, and from its best point in ever smaller steps.
func (h hidden) best(b box, f func(place) float64) float64 {
	const grid = 6
	heights := grid
	if h.flat {
		heights = 0
	}
	top, at := math.Inf(-1), place{}
	try := func(p place) bool {
		v := f(p)
		better := v > top
		if better {
			top, at = v, p
		}
		return better
	}
	for i := range grid + 1 {
		for j := range grid + 1 {
			for k := range heights + 1 {
				try(b.at(float64(i)/grid, float64(j)/grid, float64(k)/grid))
			}
		}
	}
	for step := 1.0 / grid; step > 0.01; {
		better := false
		for axis := range 3 {
			if h.flat && axis == 2 {
				continue
			}
			for _, sign := range []float64{-1, 1} {
				p := at
				p[axis] += sign * step * (b.high[axis] - b.low[axis])
				better = try(p) || better
			}
		}
		if !better {
			step /= 2
		}
	}
	return top
}

// A box is what goals are drawn from.
type box struct{ low, high place }

// boxOf is the smallest box around points.
func boxOf(points []place) box {
	b := box{points[0], points[0]}
	for _, p := range points {
		for j, v := range p {
			b.low[j], b.high[j] = math.Min(b.low[j], v), math.Max(b.high[j], v)
		}
	}
	return b
}

func (b box) at(x, y, z float64) place {
	p := b.low
	for j, share := range []float64{x, y, z} {
		p[j] += share * (b.high[j] - b.low[j])
	}
	return p
}

func (b box) draw(r *rand.Rand) place { return b.at(r.Float64(), r.Float64(), r.Float64()) }

func (b box) moved(by place) box { return box{b.low.plus(by), b.high.plus(by)} }
