package simtest

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"

	"nacre/sim"
)

// named matches a name: words of small letters and digits with hyphens, slashes before groups and colons
// before variants. Files and patterns of sweeps are named after families.
var named = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*(/[a-z0-9]+(-[a-z0-9]+)*)*(:[a-z0-9]+(-[a-z0-9]+)*)*$`)

func spec(s *suite) error {
	var errs []error
	if again := s.family.Spec(); !reflect.DeepEqual(again, s.spec) {
		errs = append(errs, fmt.Errorf("Spec is %+v and, asked again, %+v", s.spec, again))
	}
	if !named.MatchString(s.spec.Name) && !sim.Opens(s.spec.Name) {
		errs = append(errs, fmt.Errorf("the name %q; expected small letters, digits and hyphens, as in "+
			"group/name:variant", s.spec.Name))
	}
	if s.spec.TaskDim < 0 {
		errs = append(errs, fmt.Errorf("TaskDim %d; expected at least 0", s.spec.TaskDim))
	}
	if s.spec.Source == "" {
		errs = append(errs, errors.New("the Source is empty; expected what defines the family, for doctor and the "+
			"run record"))
	}
	if n := sim.ChunkOf(s.family); n < 1 {
		errs = append(errs, fmt.Errorf("Chunk is %d; expected at least 1", n))
	}
	return errors.Join(errs...)
}

// tasks checks the lists: made again alike, of the lengths asked for, and apart from each other.
func tasks(s *suite) error {
	errs := []error{s.vectors("train", s.train), s.vectors("test", s.test)}
	// Changes that a caller makes to its tasks must not reach the next caller's tasks.
	train, test, err := s.family.Tasks(1, 0, 0)
	if err != nil {
		return err
	}
	for _, t := range slices.Concat(train, test) {
		for j := range t.Params {
			t.Params[j] = math.NaN()
		}
	}
	if train, test, err = s.family.Tasks(1, 0, 0); err != nil {
		return err
	}
	if !equal(train, s.train) || !equal(test, s.test) {
		errs = append(errs, errors.New("the tasks of seed 1 are others when asked for again; expected the same "+
			"arguments to give the same"))
	}
	if !equal(params(s.train), params(s.test)) { // else both are all there are
		for i, a := range s.test {
			if k := slices.IndexFunc(s.train, func(b sim.Task) bool {
				return slices.Equal(a.Params, b.Params)
			}); k >= 0 && s.spec.TaskDim > 0 {
				errs = append(errs, fmt.Errorf("test task %d is train task %d, %v; expected tasks that are not "+
					"trained on", i, k, a.Params))
			}
		}
	}
	for _, n := range [][2]int{{3, 2}, {1, 4}} {
		train, test, err := s.family.Tasks(1, n[0], n[1])
		if err == nil && (len(train) != n[0] || len(test) != n[1]) {
			errs = append(errs, fmt.Errorf("%d train and %d test tasks where %d and %d were asked for; expected "+
				"those, or an error", len(train), len(test), n[0], n[1]))
		}
	}
	for _, n := range [][2]int{{-1, 0}, {0, -1}} {
		if _, _, err := s.family.Tasks(1, n[0], n[1]); err == nil {
			errs = append(errs, fmt.Errorf("%d train and %d test tasks were made; expected an error", n[0], n[1]))
		}
	}
	return errors.Join(errs...)
}

// vectors checks the task vectors of a list.
func (s *suite) vectors(what string, list []sim.Task) error {
	for i, t := range list {
		if len(t.Params) != s.spec.TaskDim {
			return fmt.Errorf("%s task %d has %d parameters; expected TaskDim, %d", what, i, len(t.Params),
				s.spec.TaskDim)
		}
		if err := finite(fmt.Sprintf("%s task %d", what, i), t.Params); err != nil {
			return err
		}
		if t.ID < 0 || i > 0 && t.ID != list[i-1].ID+1 {
			return fmt.Errorf("%s task %d has the ID %d; expected IDs that count up", what, i, t.ID)
		}
	}
	return nil
}

func equal(a, b []sim.Task) bool {
	return slices.EqualFunc(a, b, func(a, b sim.Task) bool { return a.ID == b.ID && slices.Equal(a.Params, b.Params) })
}

// params are the tasks without their IDs.
func params(list []sim.Task) []sim.Task {
	list = slices.Clone(list)
	for i := range list {
		list[i].ID = 0
	}
	return list
}

// grid checks a Gridder: it returns the requested number of tasks, all different and within the range of drawn tasks.
func grid(s *suite) error {
	g, ok := s.family.(sim.Gridder)
	if !ok {
		return nil
	}
	low, high := s.box()
	var errs []error
	for _, n := range []int{1, 2, 9} {
		list, err := g.Grid(n)
		if err != nil {
			return err
		}
		if len(list) != n || list[0].ID != 0 {
			errs = append(errs, fmt.Errorf("a grid of %d has %d tasks, the first with ID %d; expected %d from 0", n,
				len(list), list[0].ID, n))
		}
		errs = append(errs, s.vectors(fmt.Sprintf("a grid of %d:", n), list))
		for i, t := range list {
			for k := range i {
				if slices.Equal(t.Params, list[k].Params) {
					errs = append(errs, fmt.Errorf("a grid of %d has the task %v twice", n, t.Params))
				}
			}
			for j, v := range t.Params {
				if spare := 0.05 * (high[j] - low[j]); v < low[j]-spare-1e-9 || v > high[j]+spare+1e-9 {
					errs = append(errs, fmt.Errorf("a grid of %d has the task %v; drawn ones are in [%v, %v] at "+
						"index %d", n, t.Params, low[j], high[j], j))
				}
			}
		}
	}
	for _, n := range []int{0, -1} {
		if _, err := g.Grid(n); err == nil {
			errs = append(errs, fmt.Errorf("a grid of %d tasks was made; expected an error", n))
		}
	}
	return errors.Join(errs...)
}

// box is the smallest that holds many of the family's tasks, or its own number where it has no more.
func (s *suite) box() (low, high []float64) {
	list := slices.Concat(s.train, s.test)
	if more, others, err := s.family.Tasks(2, 300, 300); err == nil {
		list = slices.Concat(list, more, others)
	}
	low, high = slices.Clone(list[0].Params), slices.Clone(list[0].Params)
	for _, t := range list {
		for j, v := range t.Params {
			low[j], high[j] = min(low[j], v), max(high[j], v)
		}
	}
	return low, high
}
