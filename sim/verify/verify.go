// Package verify compares families of package sim with the Python packages that define them, step by step. Reference
// files record what the packages did. They are made by the scripts in testdata and are part of the program:
//
//   - three tasks of 150 steps for each of Meta-World's fifty families, with both rewards;
//   - the same for each of the fifty families of 2020;
//   - about a hundred steps for each control.
//
// With the MuJoCo version of the reference, an environment runs freely along the reference's actions, from its own
// reset on, and everything must agree to 1e-9 at every step. Other versions move differently. So there Meta-World's
// environments are put into states of the reference. In such a state observations and rewards must agree to 1e-9. After
// one control step they must agree to 1e-6. The controls still run freely, and must agree to 1e-6 over the steps for
// which a reference is stored. The environments of 2020 run freely too; we know no other version of MuJoCo on which
// they work.
//
//	refs, err := verify.Open("") // the files in the program; else a folder made by the scripts
//	family, err := sim.Lookup("cheetah-vel")
//	result, err := refs.Check(family, false)
//	fmt.Println(result.Observation.Largest, result.RewardDiff.Largest, result.Passed)
package verify

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"nacre/sim"

	"github.com/sbinet/npyio/npy"
	"github.com/sbinet/npyio/npz"
)

// ReferenceVersion is the version of MuJoCo with which the references were made.
const ReferenceVersion = "3.3.0"

//go:embed testdata/*.npz
var kept embed.FS

// References is a set of reference files.
type References struct{ files fs.FS }

// Open returns the references in folder, or, if folder is empty, those in the program.
func Open(folder string) (References, error) {
	if folder == "" {
		files, err := fs.Sub(kept, "testdata")
		return References{files}, err
	}
	found, err := fs.Glob(os.DirFS(folder), "*.npz")
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("verify: %s holds no .npz file; expected a folder made by sim/verify/testdata/ml1.py, "+
			"ml1_2020.py or controls.py", folder)
	}
	return References{os.DirFS(folder)}, err
}

// Reference holds the recording of the defining package on some tasks of a family.
type Reference struct {
	Name    string
	Rewards []string // names of the reward functions that were recorded together
	Runs    []Run

	// TaskLists are the package's task vectors by seed, for Meta-World. Nil elsewhere.
	TaskLists []TaskList

	// Poses are single states of the task PoseTask, with the observation and the reward there. PoseHand is like
	// Run.Hand. They test branches of rewards that no trajectory takes.
	Poses    []Pose
	PoseTask []float64
	PoseHand sim.State
}

// TaskList are the task vectors of one seed, 50 for training and 50 for testing.
type TaskList struct{ Train, Test [][]float64 }

// Pose is a state at rest, an action, and what Meta-World computes for them.
type Pose struct {
	State           sim.State
	Act, Obs        []float64
	Reward, Success []float64 // by reward function
}

// Run is one task of a reference, T steps.
type Run struct {
	Params  []float64   // task vector
	Start   *sim.State  // first state; nil if the task determines it
	Act     [][]float64 // T
	Obs     [][]float64 // T+1
	Reward  [][]float64 // T×reward functions
	Success [][]float64 // T×reward functions, 0 or 1; nil if the package has none
	Done    []float64   // T, 0 or 1; nil if episodes do not end
	Hand    sim.State   // for Meta-World: where the hand is one mj_step before it arrives at its start
	States  map[int]sim.State
}

// grid is the number of steps per unit of actions that are stored in one byte.
const grid = 64

// Load reads the reference called name.
func (r References) Load(name string) (*Reference, error) {
	ref, err := r.load(name)
	if err != nil {
		return nil, fmt.Errorf("verify: reference %s: %w", name, err)
	}
	return ref, nil
}

func (r References) load(name string) (*Reference, error) {
	arrays, err := r.arrays(name)
	if err != nil {
		return nil, err
	}
	ref, err := build(name, arrays)
	if err != nil {
		return nil, err
	}
	poses, err := r.arrays(name + "-poses")
	if errors.Is(err, fs.ErrNotExist) {
		return ref, nil
	}
	if err == nil {
		err = ref.addPoses(poses)
	}
	return ref, err
}

// arrays reads a file.
func (r References) arrays(name string) (map[string]array, error) {
	raw, err := fs.ReadFile(r.files, name+".npz")
	if err != nil {
		return nil, err
	}
	file, err := npz.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, err
	}
	arrays := map[string]array{}
	for _, key := range file.Keys() {
		if arrays[strings.TrimSuffix(key, ".npy")], err = readArray(file, key); err != nil {
			return nil, err
		}
	}
	return arrays, nil
}

// need returns an error if an array is missing.
func need(a map[string]array, keys ...string) error {
	for _, key := range keys {
		if len(a[key].shape) == 0 {
			return fmt.Errorf("has no array %q", key)
		}
	}
	return nil
}

// hand cuts the row of numbers that holds a state before the hand's arrival.
func hand(row []float64, nq, nv int) sim.State {
	return sim.State{QPos: row[:nq], QVel: row[nq : nq+nv], Warmstart: row[nq+nv : nq+2*nv], MocapPos: row[nq+2*nv:]}
}

// addPoses gives the arrays of a file of poses their meaning.
func (ref *Reference) addPoses(a map[string]array) error {
	if err := need(a, "params", "hand", "qpos", "mocap", "act", "obs", "reward", "success"); err != nil {
		return fmt.Errorf("poses: %w", err)
	}
	nq, nv := len(ref.Runs[0].Hand.QPos), len(ref.Runs[0].Hand.QVel)
	ref.PoseTask, ref.PoseHand = a["params"].data, hand(a["hand"].data, nq, nv)
	for i, q := range a["qpos"].matrix(0) {
		act := a["act"].matrix(0)[i]
		for j := range act {
			act[j] /= grid
		}
		ref.Poses = append(ref.Poses, Pose{
			State: sim.State{QPos: q, QVel: make([]float64, nv), MocapPos: a["mocap"].matrix(0)[i]},
			Act:   act, Obs: a["obs"].matrix(0)[i], Reward: a["reward"].matrix(0)[i],
			Success: a["success"].matrix(0)[i],
		})
	}
	return nil
}

// build gives the arrays of a file their meaning; the scripts that write them say what it is.
func build(name string, a map[string]array) (*Reference, error) {
	if err := need(a, "params", "act", "obs", "reward"); err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, "-v1") {
		return build2020(name, a)
	}
	if err := need(a, "at", "qpos", "qvel"); err != nil {
		return nil, err
	}
	ref := &Reference{Name: name, Rewards: []string{""}}
	if n := a["reward"].shape[2]; n == 2 {
		ref.Rewards = []string{"v1", "v2"}
	} else if n != 1 {
		return nil, fmt.Errorf("has %d rewards per step; expected 1 or 2", n)
	}
	meta := len(a["tasks"].shape) > 0
	if meta {
		if err := need(a, "success", "hand", "warmstart", "mocap"); err != nil {
			return nil, err
		}
		for s := range a["tasks"].shape[0] - 1 { // seed s trains on list s and is tested on list s+1
			ref.TaskLists = append(ref.TaskLists, TaskList{a["tasks"].matrix(s), a["tasks"].matrix(s + 1)})
		}
	}
	for k := range a["params"].shape[0] {
		run := Run{
			Params: a["params"].matrix(0)[k], Act: a["act"].actions(k), Obs: a["obs"].matrix(k),
			Reward: a["reward"].matrix(k),
			States: map[int]sim.State{},
		}
		if meta {
			run.Obs = stack(run.Obs)
			run.Success = a["success"].matrix(k)
			run.Hand = hand(a["hand"].matrix(0)[k], a["qpos"].shape[2], a["qvel"].shape[2])
		}
		if done, ok := a["done"]; ok {
			run.Done = done.matrix(0)[k]
		}
		for row, t := range a["at"].data {
			s := sim.State{QPos: a["qpos"].matrix(k)[row], QVel: a["qvel"].matrix(k)[row]}
			if meta {
				s.Warmstart, s.MocapPos = a["warmstart"].matrix(k)[row], a["mocap"].matrix(k)[row]
			}
			run.States[int(t)] = s
		}
		if !meta {
			run.Start = new(run.States[0])
		}
		ref.Runs = append(ref.Runs, run)
	}
	return ref, nil
}

// build2020 gives the arrays of a file of ml1_2020.py their meaning: no states are kept.
func build2020(name string, a map[string]array) (*Reference, error) {
	if err := need(a, "success", "tasks"); err != nil {
		return nil, err
	}
	ref := &Reference{Name: name, Rewards: []string{""}}
	for s := range a["tasks"].shape[0] {
		list := a["tasks"].matrix(s)
		ref.TaskLists = append(ref.TaskLists, TaskList{list[:len(list)/2], list[len(list)/2:]})
	}
	for k := range a["params"].shape[0] {
		ref.Runs = append(ref.Runs, Run{
			Params: a["params"].matrix(0)[k], Act: a["act"].actions(k), Obs: a["obs"].matrix(k),
			Reward:  a["reward"].matrix(k),
			Success: a["success"].matrix(k),
		})
	}
	return ref, nil
}

// stack makes Meta-World's observation of the 18 numbers of each step: these, those of the step before, and the hidden
// goal's three zeros.
func stack(frames [][]float64) [][]float64 {
	obs := make([][]float64, len(frames))
	for t, now := range frames {
		obs[t] = slices.Concat(now, frames[max(t-1, 0)], make([]float64, 3))
	}
	return obs
}

// array is a NumPy array of any shape, as float64.
type array struct {
	shape []int
	data  []float64
	bytes bool // of one-byte integers
}

// matrix returns the rows of slice k of a 3-dimensional array, or of the array itself if it has two dimensions.
func (a array) matrix(k int) [][]float64 {
	rows, cols := a.shape[len(a.shape)-2], a.shape[len(a.shape)-1]
	m := make([][]float64, rows)
	for i := range m {
		at := (k*rows + i) * cols
		m[i] = a.data[at : at+cols : at+cols]
	}
	return m
}

// actions is matrix for actions, which one-byte integers count in units of the grid.
func (a array) actions(k int) [][]float64 {
	m := a.matrix(k)
	for _, row := range m {
		for j := range row {
			if a.bytes {
				row[j] /= grid
			}
		}
	}
	return m
}

// readArray decompresses the whole array first: the npy reader takes short reads for full ones.
func readArray(file *npz.Reader, key string) (array, error) {
	f, err := file.Open(key)
	if err != nil {
		return array{}, err
	}
	defer f.Close()
	raw, err := io.ReadAll(f)
	if err != nil {
		return array{}, fmt.Errorf("array %s: %w", key, err)
	}
	r, err := npy.NewReader(bytes.NewReader(raw))
	if err != nil {
		return array{}, fmt.Errorf("array %s: %w", key, err)
	}
	d := r.Header.Descr
	a := array{shape: d.Shape}
	switch d.Type[len(d.Type)-2:] {
	case "f8":
		err = r.Read(&a.data)
	case "i8":
		a.data, err = readAs[int64](r)
	case "i1":
		a.bytes = true
		a.data, err = readAs[int8](r)
	case "u1":
		a.data, err = readAs[uint8](r)
	default:
		err = fmt.Errorf("numbers of type %s; expected float64, int64, int8 or uint8", strconv.Quote(d.Type))
	}
	n := 1
	for _, s := range d.Shape {
		n *= s
	}
	if err == nil && (len(a.data) != n || (d.Fortran && len(d.Shape) > 1)) {
		err = fmt.Errorf("%d numbers, shape %v, column by column %v; expected all numbers, row by row", len(a.data),
			d.Shape, d.Fortran)
	}
	if err != nil {
		return array{}, fmt.Errorf("array %s: %w", key, err)
	}
	return a, nil
}

func readAs[T int64 | int8 | uint8](r *npy.Reader) ([]float64, error) {
	var values []T
	if err := r.Read(&values); err != nil {
		return nil, err
	}
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v)
	}
	return out, nil
}
