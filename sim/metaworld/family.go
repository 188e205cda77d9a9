package metaworld

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"nacre/internal/nprand"
	"nacre/sim"
	"nacre/sim/mujoco"
)

// version is one of the two reward functions every environment has.
type version string

const (
	v1 version = "v1"
	v2 version = "v2"
)

const (
	obsDim = 39 // of the release
	actDim = 4  // three of the hand's way, and how the fingers close
)

// family is a row with a reward version and a horizon.
type family struct {
	row     *row
	scene   *scene // shared by the variants of the row
	version version
	horizon int
	vary    bool // see VaryStart
	redraw  bool // see redrawn
}

func (f *family) name() string {
	name := f.row.era.prefix + f.row.name
	if f.version == v2 {
		name += ":v2"
	}
	if f.redraw {
		name += ":redrawn"
	}
	if f.horizon != 200 {
		name += fmt.Sprintf(":%d", f.horizon)
	}
	if f.vary {
		name += ":hand"
	}
	return name
}

// Spec implements sim.Family.
func (f *family) Spec() sim.Spec {
	physics := "MuJoCo (absent)"
	if v := mujoco.Version(); v != "" {
		physics = "MuJoCo " + v + f.row.era.engine
	}
	start, obsDim := "", f.row.era.obsDim
	if f.vary {
		start = fmt.Sprintf(", hand starts within %g cm", 100*handSpread)
	}
	if f.redraw {
		start, obsDim = ", object and goal drawn in every reset whatever the task", redrawnDim
	}
	return sim.Spec{
		Name: f.name(), ObsDim: obsDim, ActDim: actDim, Horizon: f.horizon, TaskDim: len(f.row.low),
		Source: fmt.Sprintf(f.row.era.source+", reward %s%s, on %s", f.row.name, f.version, start, physics),
	}
}

// handSpread is how far along each axis the hand may start from its usual place when that varies, in metres.
const handSpread = 0.05

// VaryStart implements sim.Starter: the hand goes to a point drawn uniformly from a cube around its usual start, 5 cm
// to every side and within the hand's box, before the scene is set; the object and the goal are where the task has
// them. It is as if the Python class had another hand_init_pos in every episode, and every reset takes its 500 steps of
// the physics. The family's name gets the ending :hand.
func (f *family) VaryStart() sim.Family {
	varied := *f
	varied.vary = true
	return &varied
}

// Available implements sim.Checker.
func (f *family) Available() error {
	if err := mujoco.Check(); err != nil {
		return err
	}
	_, err := f.row.era.path(f.row.scene)
	return err
}

// Native implements sim.Native.
func (*family) Native() {}

// Chunk implements sim.Chunker: a state has 0.2 MB, and 8 of them fit into a processor core's own cache.
func (f *family) Chunk() int { return 8 }

// Tasks implements sim.Family with ML1's tasks, 50 of each kind if not told otherwise; asking for more or fewer keeps
// the order. Those for training are drawn after numpy.random.seed(seed). Those for testing are drawn after
// numpy.random.seed(seed + 1). In the families of ml1-2020 they are drawn after those for training, from the same
// stream.
func (f *family) Tasks(seed uint64, nTrain, nTest int) (train, test []sim.Task, err error) {
	if nTrain < 0 || nTest < 0 {
		return nil, nil, fmt.Errorf("metaworld: %s: %d train and %d test tasks; expected at least 1 of each, or 0 "+
			"for 50",
			f.name(), nTrain, nTest)
	}
	if seed >= math.MaxUint32 {
		return nil, nil, fmt.Errorf("metaworld: %s: seed %d; expected at most %d: NumPy's seeds have 32 bits and the "+
			"test tasks take the next one",
			f.name(), seed, uint32(math.MaxUint32-1))
	}
	nTrain = cmp.Or(nTrain, 50)
	nTest = cmp.Or(nTest, 50)
	trained, tested := f.row.era.vectors(f.row, uint32(seed), nTrain, nTest)
	for i, v := range trained {
		train = append(train, sim.Task{ID: i, Params: v})
	}
	for i, v := range tested {
		test = append(test, sim.Task{ID: nTrain + i, Params: v})
	}
	return train, test, nil
}

// list draws n task vectors, each after what its reset draws in vain.
func (w *row) list(r *nprand.Rand, n int, vain func(*row, *nprand.Rand)) [][]float64 {
	all := make([][]float64, n)
	for i := range all {
		vain(w, r)
		all[i] = w.draw(r.Uniform)
	}
	return all
}

// draw returns a random task vector whose points are apart, from a function that draws a number between two.
func (w *row) draw(uniform func(low, high float64) float64) []float64 {
	for {
		v := w.any(uniform)
		if w.apart == 0 {
			return v
		}
		from := w.from
		if from == nil {
			from = v[3:5]
		}
		if math.Sqrt((v[0]-from[0])*(v[0]-from[0])+(v[1]-from[1])*(v[1]-from[1])) >= w.apart {
			return v
		}
	}
}

// any draws a vector in the row's box.
func (w *row) any(uniform func(low, high float64) float64) []float64 {
	v := make([]float64, len(w.low))
	for j := range v {
		v[j] = uniform(w.low[j], w.high[j])
	}
	return v
}

// check says what is wrong with a task vector. Vectors outside the box are allowed: the box limits only the draws.
func (w *row) check(params []float64) error {
	if len(params) != len(w.low) {
		return fmt.Errorf("the task has %d parameters, expected %d", len(params), len(w.low))
	}
	bad := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	if j := slices.IndexFunc(params, bad); j >= 0 {
		return fmt.Errorf("the task has the parameters %v; expected a finite number at index %d", params, j)
	}
	return nil
}
