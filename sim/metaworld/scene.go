package metaworld

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"nacre/internal/home"
	"nacre/sim"
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
		path, err := scenePath(s.row.scene)
		if err != nil {
			return nil, err
		}
		if s.model, err = mujoco.LoadFile(path); err != nil {
			return nil, err
		}
		// The weld that ties the hand to the mocap body: at its origin, turned by nothing, rotation counting five times.
		s.model.SetWelds(vec3{}, vec3{}, quat{-1, 0, 0, 0}, 5)
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

// folderVariable names the environment variable that says where Meta-World is.
const folderVariable = "NACRE_METAWORLD"

// scenePath returns the model file called name.
func scenePath(name string) (string, error) {
	folder, err := Scenes()
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, name+".xml")
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("the scene %s of Meta-World is %w: there is no %s; expected the files of the Python package metaworld %s; `nacre setup` puts its own right",
			name, sim.ErrUnavailable, path, Version)
	}
	return path, nil
}

// Scenes returns the folder that holds the scenes, or an error that wraps sim.ErrUnavailable and says what to do.
func Scenes() (string, error) {
	inside := filepath.Join("assets", "sawyer_xyz")
	isFolder := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.IsDir()
	}
	if folder := os.Getenv(folderVariable); folder != "" {
		if path := filepath.Join(folder, inside); isFolder(path) {
			return path, nil
		}
		return "", fmt.Errorf("Meta-World is %w: %s is %s, where there is no folder %s",
			sim.ErrUnavailable, folderVariable, folder, inside)
	}
	for _, path := range home.Places(home.MetaWorld, inside) {
		if isFolder(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("Meta-World is %w: run `nacre setup`, which fetches its scenes, or set %s to the folder of the Python package metaworld %s",
		sim.ErrUnavailable, folderVariable, Version)
}
