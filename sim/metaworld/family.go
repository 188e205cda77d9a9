package metaworld

import (
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
	obsDim = 39
	actDim = 4
)

// family is a row with a reward version and a horizon.
type family struct {
	row     *row
	scene   *scene // shared by the variants of the row
	version version
	horizon int
	vary    bool // see VaryStart
}

func (f *family) name() string {
	name := "ml1/" + f.row.name
	if f.version == v2 {
		name += ":v2"
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
		physics = "MuJoCo " + v
	}
	hand := ""
	if f.vary {
		hand = fmt.Sprintf(", hand starts within %g cm", 100*handSpread)
	}
	return sim.Spec{
		Name: f.name(), ObsDim: obsDim, ActDim: actDim, Horizon: f.horizon, TaskDim: len(f.row.low),
		Source: fmt.Sprintf("Meta-World %s %s-v3, reward %s%s, on %s", Version, f.row.name, f.version, hand, physics),
	}
}

// handSpread is how far along each axis the hand may start from its usual place when that varies, in metres.
const handSpread = 0.05

// VaryStart implements sim.Starter: the hand goes to a point drawn uniformly from a cube around its usual start, 5 cm to
// every side and within the hand's box, before the scene is set; the object and the goal are where the task has them.
// It is as if the Python class had another hand_init_pos in every episode, and every reset takes its 500 steps of the
// physics. The family's name gets the ending :hand.
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
	_, err := scenePath(f.row.scene)
	return err
}

// Native implements sim.Native.
func (*family) Native() {}

// Chunk implements sim.Chunker: a state has 0.2 MB, and 8 of them fit into a processor core's own cache.
func (f *family) Chunk() int { return 8 }

// Tasks implements sim.Family with ML1's tasks: those for training are drawn after numpy.random.seed(seed), those for
// testing after seed + 1, 50 of each if not told otherwise; asking for more or fewer keeps the order.
func (f *family) Tasks(seed uint64, nTrain, nTest int) (train, test []sim.Task, err error) {
	if nTrain < 0 || nTest < 0 {
		return nil, nil, fmt.Errorf("metaworld: %s: %d train and %d test tasks; expected at least 1 of each, or 0 for 50",
			f.name(), nTrain, nTest)
	}
	if seed >= math.MaxUint32 {
		return nil, nil, fmt.Errorf("metaworld: %s: seed %d; expected at most %d: NumPy's seeds have 32 bits and the test tasks take the next one",
			f.name(), seed, uint32(math.MaxUint32-1))
	}
	if nTrain == 0 {
		nTrain = 50
	}
	if nTest == 0 {
		nTest = 50
	}
	tasks := make([]sim.Task, 0, nTrain+nTest)
	for part, n := range []int{nTrain, nTest} {
		r := nprand.New(uint32(seed) + uint32(part))
		for range n {
			// A reset of the Python class draws twice and keeps the second.
			f.row.draw(r)
			tasks = append(tasks, sim.Task{ID: len(tasks), Params: f.row.draw(r)})
		}
	}
	return tasks[:nTrain:nTrain], tasks[nTrain:], nil
}

// draw returns a random task vector.
func (w *row) draw(r *nprand.Rand) []float64 {
	for {
		v := make([]float64, len(w.low))
		for j := range v {
			v[j] = r.Uniform(w.low[j], w.high[j])
		}
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

// check says what is wrong with a task vector. Those outside the box are allowed: the box bounds what is drawn.
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
