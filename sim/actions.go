package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Discrete reports whether actions are choices rather than numbers in [-1,1].
func (s Spec) Discrete() bool { return len(s.ActChoices) > 0 }

// Actions names the space of actions as Gymnasium does: Box(2), Discrete(5), MultiDiscrete(3, 2).
func (s Spec) Actions() string { return space(s.ActDim, s.ActChoices) }

// Observations names the space of observations as Gymnasium does: Box(4), Discrete(5).
func (s Spec) Observations() string { return space(s.ObsDim, s.ObsChoices) }

func space(dim int, choices []int) string {
	switch len(choices) {
	case 0:
		return fmt.Sprintf("Box(%d)", dim)
	case 1:
		return fmt.Sprintf("Discrete(%d)", choices[0])
	}
	return "MultiDiscrete(" + strings.Trim(strings.ReplaceAll(fmt.Sprint(choices), " ", ", "), "[]") + ")"
}

// checkChoices returns an error if the choices do not fit the lengths.
func (s Spec) checkChoices() error {
	sum := 0
	for _, list := range [][]int{s.ActChoices, s.ObsChoices} {
		for _, n := range list {
			if n < 1 {
				return fmt.Errorf("sim: family %s: %d choices of a number in %v; expected at least 1", s.Name, n, list)
			}
		}
	}
	for _, n := range s.ActChoices {
		sum += n
	}
	if s.Discrete() && sum != s.ActDim {
		return fmt.Errorf("sim: family %s: actions are %s and ActDim is %d; expected %d, a number for each choice",
			s.Name, s.Actions(), s.ActDim, sum)
	}
	if n := len(s.ObsChoices); n > 0 && n != s.ObsDim {
		return fmt.Errorf("sim: family %s: observations are %s and ObsDim is %d; expected %d", s.Name,
			s.Observations(), s.ObsDim, n)
	}
	return nil
}

// CheckAction returns an error that names what is wrong with an action (ActDim long): a number that is not finite, or,
// if actions are discrete, a component that does not choose exactly one.
func (s Spec) CheckAction(act []float64) error {
	if err := CheckAction(act); err != nil {
		return err
	}
	return s.Choose(act, nil)
}

// Choose writes which of its choices every component of a discrete action takes, counted from 0; chosen may be nil. It
// returns an error if a component does not consist of one 1 and otherwise 0. If actions are not discrete, it does
// nothing.
func (s Spec) Choose(act []float64, chosen []int) error {
	for k, n := range s.ActChoices {
		at := -1
		for j, v := range act[:n] {
			switch {
			case v == 0:
			case v == 1 && at < 0:
				at = j
			default:
				at = n
			}
		}
		if at < 0 || at >= n {
			return fmt.Errorf("component %d of the action is %v; expected a 1 at the choice and 0 at the other %d", k,
				act[:n], n-1)
		}
		if chosen != nil {
			chosen[k] = at
		}
		act = act[n:]
	}
	return nil
}

// Take writes the discrete action (ActDim long) that takes these choices, one per component and counted from 0.
func (s Spec) Take(act []float64, chosen ...int) {
	clear(act)
	from := 0
	for k, n := range s.ActChoices {
		act[from+chosen[k]] = 1
		from += n
	}
}

// RandomAction draws an action (ActDim long) uniformly from r: from [-1,1]^ActDim, or from the choices of every
// component.
func (s Spec) RandomAction(r *rand.Rand, act []float64) {
	if !s.Discrete() {
		for j := range act[:s.ActDim] {
			act[j] = 2*r.Float64() - 1
		}
		return
	}
	clear(act[:s.ActDim])
	from := 0
	for _, n := range s.ActChoices {
		act[from+r.IntN(n)] = 1
		from += n
	}
}
