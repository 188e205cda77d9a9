package discrete

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// BestBandit is the mean return, over bandits whose arms' probabilities are uniform, of the policy that is best for so
// many pulls of so many arms (Bayes-optimal). It is computed by dynamic programming over what has been seen of each
// arm; arms with equal numbers of successes and of failures are interchangeable. It takes a moment for 10 pulls, and
// more than a lifetime for 100.
func BestBandit(arms, pulls int) float64 {
	known := map[string]float64{}
	// An arm is ones·256 + zeros; arms that were never pulled are left out.
	var value func(seen []uint16, left int) float64
	value = func(seen []uint16, left int) float64 {
		if left == 0 {
			return 0
		}
		key := make([]byte, 0, 2*len(seen))
		for _, a := range seen {
			key = binary.LittleEndian.AppendUint16(key, a)
		}
		if v, ok := known[string(key)]; ok { // the pulls left follow from what was seen
			return v
		}
		best := 0.0
		after := func(k int, a uint16) float64 {
			next := append(slices.Clone(seen[:k]), a)
			if k < len(seen) {
				next = append(next, seen[k+1:]...)
			}
			slices.Sort(next)
			return value(next, left-1)
		}
		for k := range len(seen) + 1 {
			if k == len(seen) && k == arms || k > 0 && k < len(seen) && seen[k] == seen[k-1] {
				continue
			}
			a := uint16(0)
			if k < len(seen) {
				a = seen[k]
			}
			ones, zeros := float64(a>>8), float64(a&255)
			p := (ones + 1) / (ones + zeros + 2)
			best = max(best, p*(1+after(k, a+256))+(1-p)*after(k, a+1))
		}
		known[string(key)] = best
		return best
	}
	return value(nil, pulls)
}

// BestGrid returns the mean returns of the episodes of a trial of the grid world, of the policy with the best sum over
// the trial (Bayes-optimal). Once the agent has found the goal, it knows the goal in all later episodes. So a policy is
// one path per episode, which the agent follows as long as it has not found the goal. BestGrid searches all paths of up
// to two episodes, by dynamic programming over the cells that were seen. The best paths of two episodes see every goal.
// So they are the best in longer trials too: no policy has a better sum of the first two episodes, and in all later
// ones the agent knows the goal already. The search takes a minute and half a gigabyte.
func BestGrid(episodes int) []float64 {
	s := search{known: map[place]float64{}, episodes: min(episodes, 2)}
	s.value(place{})
	out := make([]float64, episodes)
	if seen := s.follow(place{}, out); seen != allSeen && episodes > 2 {
		panic("discrete: the best paths of two episodes leave a goal unseen")
	}
	for e := s.episodes; e < episodes; e++ {
		for g := range goals {
			out[e] += told(g)
		}
	}
	for i := range out {
		out[i] /= float64(len(goals))
	}
	return out
}

// allSeen are all goals.
var allSeen = uint32(1)<<len(goals) - 1

// place is where a search is: after `step` steps of an episode on a cell, having seen these goals empty.
type place struct {
	seen                uint32
	cell, step, episode uint8
}

type search struct {
	known    map[place]float64
	episodes int
}

// found is the return from the first step on the goal, `step` steps into an episode, to the end of it.
func found(step int) float64 { return float64(horizon - step + 1) }

// told is the return of an episode whose goal is known.
func told(goal int) float64 {
	x, y := goals[goal][0], goals[goal][1]
	return stepCost*float64(x+y-1) + found(x+y)
}

// gain is what a goal found at this place pays in all, from this step on.
func (s *search) gain(p place, goal int) float64 {
	return found(int(p.step)) + float64(s.episodes-1-int(p.episode))*told(goal)
}

// next is the place after a step, and the goal seen there for the first time, or -1.
func (s *search) next(p place, action int) (place, int) {
	cell := moved(int(p.cell), action)
	p.cell, p.step = uint8(cell), p.step+1
	if g := goalAt[cell]; g >= 0 && p.seen&(1<<g) == 0 {
		return p, g
	}
	return p, -1
}

// value is the best sum, over the goals that are not seen, of what is still to come.
func (s *search) value(p place) float64 {
	if p.step == horizon {
		p.cell, p.step, p.episode = 0, 0, p.episode+1
	}
	if int(p.episode) == s.episodes || p.seen == allSeen {
		return 0
	}
	if v, ok := s.known[p]; ok {
		return v
	}
	best := math.Inf(-1)
	for _, seeing := range []bool{true, false} { // first what is likely to be good, so that the rest is cut off
		for action := range actions {
			to, goal := s.next(p, action)
			if (goal >= 0) != seeing {
				continue
			}
			now, to := s.step(to, goal)
			if now+s.bound(to) > best {
				best = max(best, now+s.value(to))
			}
		}
	}
	s.known[p] = best
	return best
}

// step is what a step to a place pays, summed over the goals that were not seen before it, and the place after it. For
// a goal seen there it is all that this goal pays from then on.
func (s *search) step(p place, goal int) (pays float64, to place) {
	if goal >= 0 {
		pays = s.gain(p, goal)
		p.seen |= 1 << goal
	}
	return pays + stepCost*float64(len(goals)-bits.OnesCount32(p.seen)), p
}

// after is the sum if this action is next.
func (s *search) after(p place, action int) float64 {
	to, goal := s.next(p, action)
	now, to := s.step(to, goal)
	return now + s.value(to)
}

// bound is at least value: as if one more goal could be seen in every step, from the nearest one on.
func (s *search) bound(p place) (sum float64) {
	var left [size * size]float64 // what the goals that are not seen pay per episode once they are known
	n, near := 0, 2*size
	for g := range goals {
		if p.seen&(1<<g) == 0 {
			left[n] = told(g)
			n++
			near = min(near, distance(int(p.cell), goals[g]))
		}
	}
	slices.Sort(left[:n])
	for step, episode := int(p.step), int(p.episode); n > 0 && episode < s.episodes; {
		for step += near; step <= horizon && n > 0; step++ {
			sum += stepCost*float64(near*n-1) + found(step)
			n--
			sum += float64(s.episodes-1-episode) * left[n]
			near = 1
		}
		if n > 0 {
			sum += stepCost * float64(n) * float64(horizon-(step-near)) // until the end of the episode
		}
		step, near, episode = 0, 2, episode+1
	}
	return sum
}

// follow adds what each goal pays in each episode along the best path, and returns the goals that are seen on it.
func (s *search) follow(p place, out []float64) (seen uint32) {
	for {
		if p.step == horizon {
			p.cell, p.step, p.episode = 0, 0, p.episode+1
		}
		if int(p.episode) == s.episodes || p.seen == allSeen {
			return p.seen
		}
		best := 0
		for action := range actions {
			if s.after(p, action) > s.after(p, best) {
				best = action
			}
		}
		at, goal := s.next(p, best)
		if goal >= 0 {
			out[p.episode] += found(int(at.step))
			for e := int(p.episode) + 1; e < s.episodes; e++ {
				out[e] += told(goal)
			}
			at.seen |= 1 << goal
		}
		for g := range goals {
			if at.seen&(1<<g) == 0 {
				out[p.episode] += stepCost
			}
		}
		p = at
	}
}
