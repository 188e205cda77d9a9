package sim

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"nacre/internal/rng"
)

// pointStep is how far the robot moves along each axis for an action of 1, in the arena's unit of length.
const pointStep = 0.1

// pointRadius is the goal radius of the sparse family, in the same unit.
const pointRadius = 0.2

// point is the 2-D point robot of PEARL (Rakelly et al. 2019): a position that an action shifts by at most 0.1 along
// each axis, and goals on the half circle of radius 1 above the x axis. The observation is the position, the task the
// goal position, the reward -|position - goal| after the move. The dense family starts anywhere in [-1,1]². The sparse
// family starts at the origin and trains on the same reward. It infers the task from a reward that is 0 away from the
// goal.
type point struct {
	name   string
	sparse bool
	train  int
	test   int
}

func init() {
	Builtin(
		point{name: "point-goal", train: 40, test: 10},
		point{name: "point-goal-sparse", sparse: true, train: 80, test: 20},
	)
}

func (p point) Spec() Spec {
	return Spec{Name: p.name, ObsDim: 2, ActDim: 2, Horizon: 20, TaskDim: 2, Source: "2-D point robot of PEARL, in Go",
		NoSuccess: !p.sparse}
}

// Tasks returns goals at equal angles on the half circle, both ends included, in an order shuffled by the seed.
func (p point) Tasks(seed uint64, nTrain, nTest int) (train, test []Task, err error) {
	if nTrain < 0 || nTest < 0 {
		return nil, nil, fmt.Errorf("sim: %s: %d train and %d test tasks; expected at least 1, or 0 for %d and %d",
			p.name, nTrain, nTest, p.train, p.test)
	}
	nTrain = cmp.Or(nTrain, p.train)
	nTest = cmp.Or(nTest, p.test)
	n := nTrain + nTest
	tasks := make([]Task, n)
	for i, place := range rng.New(seed, rng.Tasks).Perm(n) {
		angle := math.Pi * float64(place) / float64(n-1)
		tasks[i] = Task{ID: i, Params: []float64{math.Cos(angle), math.Sin(angle)}}
	}
	return tasks[:nTrain:nTrain], tasks[nTrain:], nil
}

// Act moves straight towards the goal, as fast as the action box allows, and stops there.
func (p point) Act(task Task, obs, act []float64) {
	dx, dy := (task.Params[0]-obs[0])/pointStep, (task.Params[1]-obs[1])/pointStep
	if far := max(math.Abs(dx), math.Abs(dy)); far > 1 {
		dx, dy = dx/far, dy/far
	}
	act[0], act[1] = dx, dy
}

// Blind implements Blinder. Its goal is the mean of the half circle, 2/π above the circle's centre.
func (p point) Blind() Controller { return pointBlind{p} }

type pointBlind struct{ point }

// Act implements Controller.
func (b pointBlind) Act(_ Task, obs, act []float64) {
	b.point.Act(Task{Params: halfCircle[:]}, obs, act)
}

// halfCircle is the mean of the goals.
var halfCircle = [2]float64{0, 2 / math.Pi}

func (p point) NewBatch(n int) (Batch, error) {
	if n < 1 {
		return nil, fmt.Errorf("sim: %s: batch of %d environments; expected at least 1", p.name, n)
	}
	return &pointBatch{family: p, pos: make([][2]float64, n), task: make([]Task, n)}, nil
}

type pointBatch struct {
	family point
	pos    [][2]float64
	task   []Task
}

func (b *pointBatch) Len() int { return len(b.pos) }

func (b *pointBatch) Reset(i int, task Task, r *rand.Rand, obs []float64) error {
	if len(task.Params) != 2 {
		return NewError(b.family.name, task, i, fmt.Errorf("the task has %d parameters, expected a goal of 2",
			len(task.Params)))
	}
	b.pos[i], b.task[i] = [2]float64{}, task
	if !b.family.sparse {
		b.pos[i] = [2]float64{2*r.Float64() - 1, 2*r.Float64() - 1}
	}
	copy(obs, b.pos[i][:])
	return nil
}

func (b *pointBatch) Step(active []bool, act, obs []float64, out *StepResult) error {
	if err := CheckRows(len(b.pos), b.family.Spec(), active, act, obs); err != nil {
		return err
	}
	for i, on := range active {
		if !on {
			continue
		}
		a := act[2*i : 2*i+2]
		if err := CheckAction(a); err != nil {
			return NewError(b.family.name, b.task[i], i, err)
		}
		goal, p := b.task[i].Params, &b.pos[i]
		p[0] += pointStep * Clip(a[0])
		p[1] += pointStep * Clip(a[1])
		obs[2*i], obs[2*i+1] = p[0], p[1]
		distance := math.Hypot(p[0]-goal[0], p[1]-goal[1])
		out.Reward[i], out.ContextReward[i] = -distance, -distance
		out.Done[i], out.Success[i] = false, false
		if b.family.sparse {
			inside := distance <= pointRadius
			out.Success[i], out.ContextReward[i] = inside, 0
			if inside {
				out.ContextReward[i] = 1 - distance
			}
		}
	}
	return nil
}

func (b *pointBatch) Close() error { return nil }

// CheckAction returns an error that names the first element of act that is not finite.
func CheckAction(act []float64) error {
	for j, v := range act {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("action %v has the value %v at index %d; expected a number in [-1,1]", act, v, j)
		}
	}
	return nil
}

// Clip limits one element of an action to [-1,1].
func Clip(v float64) float64 { return min(max(v, -1), 1) }
