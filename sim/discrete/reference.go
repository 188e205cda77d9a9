package discrete

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"

	"nacre/internal/rng"
	"nacre/sim"
)

// arm counts the payments of an arm.
type arm struct{ ones, pulls float64 }

// indices are the policies that pull the arm of the greatest index, by name. An index belongs to an arm: t is the
// number of pulls of all arms, this one included. Equal indices are tried in turn.
var indices = map[string]func(b bandit, episode sim.Episode, t int) func(j int, a arm) float64{
	// Thompson sampling (1933): a draw from the posterior of the arm's probability.
	"thompson": func(_ bandit, e sim.Episode, t int) func(int, arm) float64 {
		r := rng.New(e.Seed, rng.Action, uint64(t))
		return func(_ int, a arm) float64 {
			return distuv.Beta{Alpha: 1 + a.ones, Beta: 1 + a.pulls - a.ones, Src: r}.Rand()
		}
	},
	// UCB1 (Auer et al. 2002): the mean and √(2·ln t/pulls).
	"ucb1": func(_ bandit, _ sim.Episode, t int) func(int, arm) float64 {
		return func(_ int, a arm) float64 {
			if a.pulls == 0 {
				return math.Inf(1)
			}
			return a.ones/a.pulls + math.Sqrt(2*math.Log(float64(t))/a.pulls)
		}
	},
	// Gittins's index (1979), with a discount whose horizon is the episode.
	"gittins": func(b bandit, _ sim.Episode, _ int) func(int, arm) float64 {
		table := gittins(b.pulls)
		return func(_ int, a arm) float64 { return table.at(int(a.ones), int(a.pulls-a.ones)) }
	},
}

// References implements sim.Referrer.
func (b bandit) References() []string { return []string{"gittins", "thompson", "ucb1"} }

// Reference implements sim.Referrer.
func (b bandit) Reference(name string, episodes []sim.Episode) (sim.Policy, error) {
	index, ok := indices[name]
	if !ok {
		return nil, fmt.Errorf("sim: %s: a reference policy %q; expected %s", b.Spec().Name, name,
			strings.Join(b.References(), ", "))
	}
	p := &indexed{of: b, spec: b.Spec(), episodes: episodes, index: index, arms: make([][]arm, len(episodes)),
		last: make([]int, len(episodes))}
	for i := range p.arms {
		p.arms[i] = make([]arm, b.arms)
	}
	return p, nil
}

// indexed pulls the arm of the greatest index.
type indexed struct {
	of       bandit
	spec     sim.Spec
	episodes []sim.Episode
	index    func(bandit, sim.Episode, int) func(int, arm) float64
	arms     [][]arm // by episode
	last     []int   // the arm that was pulled last
}

// Act implements sim.Policy.
func (p *indexed) Act(_ int, episodes, steps []int, _, act []float64) error {
	for k, e := range episodes {
		index, best, most := p.index(p.of, p.episodes[e], steps[k]+1), 0, math.Inf(-1)
		for j, a := range p.arms[e] {
			if v := index(j, a); v > most {
				best, most = j, v
			}
		}
		p.last[e] = best
		p.spec.Take(act[k*p.spec.ActDim:(k+1)*p.spec.ActDim], best)
	}
	return nil
}

// Watch implements sim.Watcher.
func (p *indexed) Watch(_ int, episodes, _ []int, reward []float64) error {
	for k, e := range episodes {
		a := &p.arms[e][p.last[e]]
		a.ones, a.pulls = a.ones+reward[k], a.pulls+1
	}
	return nil
}

// indexTable has the indices of arms by their numbers of ones and zeros, whose sum is below size.
type indexTable struct {
	size  int
	index []float64
}

func (t indexTable) at(ones, zeros int) float64 { return t.index[ones*t.size+zeros] }

var tables = struct {
	sync.Mutex
	by map[int]indexTable
}{by: map[int]indexTable{}}

// gittins returns the table for episodes of so many pulls. The discount is 1 − 1/pulls.
func gittins(pulls int) indexTable {
	tables.Lock()
	defer tables.Unlock()
	t, ok := tables.by[pulls]
	if !ok {
		t = gittinsTable(1-1/float64(pulls), pulls)
		tables.by[pulls] = t
	}
	return t
}

// levels is the number of payments for which the table below is computed.
const levels = 400

// gittinsTable computes Gittins's indices of Bernoulli arms with a uniform prior, of all numbers of ones and zeros
// whose sum is below size. The index of an arm is the sure payment λ per step that is worth as much as going on with
// the arm, if one may change to λ for good at any time. For each of many λ, backward induction gives the worth of
// going on in every state; the index is where this and λ meet, interpolated between two of them. Beyond a number of
// pulls that hardly counts any more, the arm is taken to pay its mean for ever.
func gittinsTable(discount float64, size int) indexTable {
	t := indexTable{size, make([]float64, size*size)}
	depth := size + int(math.Ceil(math.Log(1e-3)/math.Log(discount)))
	sure := 1 / (1 - discount)
	before := make([]float64, len(t.index)) // going on less λ for ever, at the λ before
	value := make([]float64, depth+2)
	for level := range levels + 1 {
		lambda := float64(level) / levels
		for ones := range value[:depth+1] {
			value[ones] = max(lambda, float64(ones+1)/float64(depth+2)) * sure
		}
		for n := depth - 1; n >= 0; n-- {
			for ones := range n + 1 {
				p := float64(ones+1) / float64(n+2)
				on := p*(1+discount*value[ones+1]) + (1-p)*discount*value[ones]
				if n < size {
					at, more := ones*size+n-ones, on-lambda*sure
					if level > 0 && before[at] > 0 && more <= 0 {
						t.index[at] = lambda - (1-before[at]/(before[at]-more))/levels
					}
					before[at] = more
				}
				value[ones] = max(on, lambda*sure)
			}
		}
	}
	return t
}
