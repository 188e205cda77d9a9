package metaworld

import (
	"slices"
	"sync"

	"nacre/sim/mujoco"
)

// scene is what the batches of a row share: the compiled model, which is only read, and the states after a reset. It
// exists while a batch of it does.
type scene struct {
	row    *row
	mu     sync.Mutex
	users  int
	model  *mujoco.Model
	starts map[key]start
}

// SceneNames returns the names of the scenes that the families have, in alphabetical order.
func SceneNames() []string {
	var names []string
	for _, r := range rows() {
		names = append(names, r.scene)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// key is a task vector.
type key [6]float64

// start is an environment just after a reset. A reset takes 500 steps of the physics and depends on the task alone,
// so it is made once.
type start struct {
	snapshot *mujoco.Snapshot
	memo     memo
	now      [18]float64
}

// maxStarts bounds how many starts are kept; one takes a quarter of a megabyte.
const maxStarts = 1024

func keyOf(params []float64) (k key) {
	copy(k[:], params)
	return k
}

// open loads the model, or takes the one that is loaded.
func (s *scene) open() (*mujoco.Model, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == 0 {
		path, err := s.row.era.path(s.row.scene)
		if err != nil {
			return nil, err
		}
		if s.model, err = mujoco.LoadFile(path); err != nil {
			return nil, err
		}
		if err = s.row.era.tune(s.model, s.row); err != nil {
			s.model.Close()
			return nil, err
		}
		s.starts = map[key]start{}
	}
	s.users++
	return s.model, nil
}

func (s *scene) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users > 0 {
		return
	}
	for _, t := range s.starts {
		t.snapshot.Close()
	}
	s.model.Close()
	s.model, s.starts = nil, nil
}

func (s *scene) known(k key) (start, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.starts[k]
	return t, ok
}

// keep stores t unless another batch has been faster.
func (s *scene) keep(k key, t start) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.starts[k]; ok || len(s.starts) >= maxStarts {
		t.snapshot.Close()
		return
	}
	s.starts[k] = t
}
