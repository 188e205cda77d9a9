package families_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nacre/sim"
	_ "nacre/sim/families"
	"nacre/sim/simtest"
)

// Every family keeps its contracts. Variants, named after a colon, are another reward or horizon of the same code: of
// them, one of each kind is checked, and all that are redrawn, which follow classes of their own. A short run makes do
// with every twenty-fifth family of a group.
func TestFamilies(t *testing.T) {
	groups := map[string]int{}
	variants := map[string]bool{}
	lacking := map[string]int{}
	for _, s := range sim.Families() {
		if _, variant, ok := strings.Cut(s.Name, ":"); ok && variants[variant] &&
			(variant != "redrawn" || testing.Short()) {
			continue
		} else if ok {
			variants[variant] = true
		}
		if group, _, ok := strings.Cut(s.Name, "/"); ok && testing.Short() {
			if groups[group]++; groups[group]%25 != 1 {
				continue
			}
		}
		f, err := sim.Lookup(s.Name)
		if errors.Is(err, sim.ErrUnavailable) {
			for e := err; e != nil && e != sim.ErrUnavailable; e = errors.Unwrap(e) {
				err = e
			}
			lacking[err.Error()]++
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		t.Run(s.Name, func(t *testing.T) { simtest.Family(t, f) })
	}
	for why, n := range lacking {
		t.Run("missing", func(t *testing.T) { t.Skipf("%d families cannot be run here: %s", n, why) })
	}
}

// The list names the families that the program is known by.
func TestList(t *testing.T) {
	var names []string
	for _, s := range sim.Families() {
		names = append(names, s.Name)
	}
	groups := map[string]int{}
	for _, name := range names {
		if group, _, ok := strings.Cut(name, "/"); ok && !strings.Contains(name, ":") {
			groups[group]++
		}
	}
	if groups["ml1"] != 50 || groups["ml1-2020"] != 50 || len(groups) != 2 {
		t.Errorf("groups %v; expected the fifty of ML1, and of 2020", groups)
	}
	for _, name := range []string{"point-goal", "point-goal-sparse", "cheetah-vel", "cheetah-dir", "ant-dir",
		"ant-goal", "humanoid-dir", "walker-rand-params", "bandit-5", "bandit-10", "bandit-50", "grid"} {
		if !slices.Contains(names, name) {
			t.Errorf("no family %s", name)
		}
	}
	if _, err := sim.Lookup("cheetah-vle"); err == nil ||
		!strings.Contains(err.Error(), `did you mean "cheetah-vel"?`) {
		t.Errorf("a wrong name: %v", err)
	}
}

// A family of the program keeps its name: a cell cannot take its place.
func TestNamesAreTaken(t *testing.T) {
	f, err := sim.Lookup("point-goal")
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.Define(f); err == nil || !strings.Contains(err.Error(), "family point-goal") {
		t.Errorf("defined again: %v", err)
	}
	defer func() {
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "family point-goal") {
			t.Errorf("a duplicate at start: %v", r)
		}
	}()
	sim.Builtin(f)
}
