package discrete

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"nacre/internal/rng"
	"nacre/sim"
	"nacre/sim/scene"
)

// These are the grid world's numbers: its cells along each side, the steps of an episode, the actions, and what a step
// pays beside the goal and on it.
const (
	size     = 5
	horizon  = 15
	actions  = 5
	stepCost = -0.1
	goalPays = 1.0
)

// grid is VariBAD's grid world: a robot begins in a corner of 5×5 cells and looks for the goal, one of the 21 cells
// that are not next to the corner. The actions are to stay and to go up, right, down or left; walls hold the robot. A
// step pays 1 on the goal and else −0.1; the episode goes on. The observation is the cell's coordinates, or, one-hot,
// a 1 for its column and one for its row.
type grid struct{ oneHot bool }

// goals are the cells that may be the goal, by x and y.
var goals = func() (out [][2]int) {
	for x := range size {
		for y := range size {
			if x > 1 || y > 1 {
				out = append(out, [2]int{x, y})
			}
		}
	}
	return out
}()

// goalAt is the index of the goal on each cell x·size+y, or -1.
var goalAt = func() (out [size * size]int) {
	for i := range out {
		out[i] = -1
	}
	for g, at := range goals {
		out[at[0]*size+at[1]] = g
	}
	return out
}()

// moves are the actions' steps.
var moves = [actions][2]int{{0, 0}, {0, 1}, {1, 0}, {0, -1}, {-1, 0}}

// moved is the cell after an action.
func moved(cell, action int) int {
	x, y := cell/size+moves[action][0], cell%size+moves[action][1]
	return min(max(x, 0), size-1)*size + min(max(y, 0), size-1)
}

// distance is the number of steps from a cell to a goal.
func distance(cell int, goal [2]int) int {
	abs := func(x int) int { return max(x, -x) }
	return abs(cell/size-goal[0]) + abs(cell%size-goal[1])
}

// Spec implements sim.Family.
func (g grid) Spec() sim.Spec {
	s := sim.Spec{
		Name: "grid", ObsDim: 2, ObsChoices: []int{size, size}, ActDim: actions, ActChoices: []int{actions},
		Horizon: horizon, TaskDim: 2,
		Source: "VariBAD's grid world, in Go; best mean returns of 4 episodes: " + bestOf4,
	}
	if g.oneHot {
		s.Name, s.ObsDim, s.ObsChoices = "grid:one-hot", 2*size, nil
	}
	return s
}

// bestOf4 is BestGrid(4).
const bestOf4 = "4.00, 11.07, 11.07, 11.07"

// Tasks implements sim.Family: all goals for training and for tests. Fewer are drawn by the seed, and are apart if they
// can be.
func (g grid) Tasks(seed uint64, nTrain, nTest int) (train, test []sim.Task, err error) {
	if err := negative(g.Spec().Name, nTrain, nTest, len(goals), len(goals)); err != nil {
		return nil, nil, err
	}
	tasks := make([]sim.Task, len(goals))
	order := rng.New(seed, rng.Tasks).Perm(len(goals))
	for i := range tasks {
		at := goals[order[i]]
		tasks[i] = sim.Task{ID: i, Params: []float64{float64(at[0]), float64(at[1])}}
	}
	if nTrain%len(goals) == 0 && nTest%len(goals) == 0 && nTrain+nTest <= 2*len(goals) {
		other := make([]sim.Task, len(tasks))
		for i, t := range tasks {
			other[i] = sim.Task{ID: i, Params: append([]float64(nil), t.Params...)}
		}
		return tasks, other, nil
	}
	nTrain = cmp.Or(nTrain, max(0, len(goals)-nTest))
	nTest = cmp.Or(nTest, len(goals)-nTrain)
	if nTrain < 1 || nTest < 1 || nTrain+nTest > len(goals) {
		return nil, nil, fmt.Errorf("sim: %s: %d train and %d test tasks; expected at most %d together, or 0 for all "+
			"in both lists", g.Spec().Name, nTrain, nTest, len(goals))
	}
	return tasks[:nTrain:nTrain], tasks[nTrain : nTrain+nTest], nil
}

// Grid implements sim.Gridder.
func (g grid) Grid(n int) ([]sim.Task, error) {
	if n < 1 || n > len(goals) {
		return nil, fmt.Errorf("sim: %s: a grid of %d tasks; expected 1 to %d", g.Spec().Name, n, len(goals))
	}
	tasks := make([]sim.Task, n)
	for i := range tasks {
		at := goals[(2*i+1)*len(goals)/(2*n)]
		tasks[i] = sim.Task{ID: i, Params: []float64{float64(at[0]), float64(at[1])}}
	}
	return tasks, nil
}

// Act implements sim.Controller: it goes to the goal and stays there.
func (g grid) Act(task sim.Task, obs, act []float64) {
	x, y := g.cell(obs)
	g.Spec().Take(act, towards(x, y, int(task.Params[0]), int(task.Params[1])))
}

// towards is an action that leads nearer to a cell.
func towards(x, y, toX, toY int) int {
	switch {
	case x < toX:
		return 2
	case x > toX:
		return 4
	case y < toY:
		return 1
	case y > toY:
		return 3
	}
	return 0
}

// cell reads an observation.
func (g grid) cell(obs []float64) (x, y int) {
	if !g.oneHot {
		return int(obs[0]), int(obs[1])
	}
	for i := range size {
		x, y = x+i*int(obs[i]), y+i*int(obs[size+i])
	}
	return x, y
}

// Blind implements sim.Blinder: it goes to the middle of the goals.
func (g grid) Blind() sim.Controller { return middle(g) }

type middle grid

// Act implements sim.Controller.
func (m middle) Act(_ sim.Task, obs, act []float64) {
	x, y := grid(m).cell(obs)
	grid(m).Spec().Take(act, towards(x, y, size/2, size/2))
}

// NewBatch implements sim.Family.
func (g grid) NewBatch(n int) (sim.Batch, error) {
	if n < 1 {
		return nil, fmt.Errorf("sim: %s: batch of %d environments; expected at least 1", g.Spec().Name, n)
	}
	return &gridBatch{of: g, spec: g.Spec(), cell: make([]int, n), task: make([]sim.Task, n)}, nil
}

type gridBatch struct {
	of     grid
	spec   sim.Spec
	cell   []int // x·size+y
	task   []sim.Task
	chosen [1]int
}

// Len implements sim.Batch.
func (b *gridBatch) Len() int { return len(b.cell) }

// write writes the observation of environment i.
func (b *gridBatch) write(i int, obs []float64) {
	x, y := b.cell[i]/size, b.cell[i]%size
	if !b.of.oneHot {
		obs[0], obs[1] = float64(x), float64(y)
		return
	}
	clear(obs)
	obs[x], obs[size+y] = 1, 1
}

// Reset implements sim.Batch.
func (b *gridBatch) Reset(i int, task sim.Task, _ *rand.Rand, obs []float64) error {
	if len(task.Params) != 2 {
		return sim.NewError(b.spec.Name, task, i, fmt.Errorf("the task has %d parameters, expected the goal's "+
			"coordinates", len(task.Params)))
	}
	b.cell[i], b.task[i] = 0, task
	b.write(i, obs)
	return nil
}

// Step implements sim.Batch.
func (b *gridBatch) Step(active []bool, act, obs []float64, out *sim.StepResult) error {
	s := &b.spec
	if err := sim.CheckRows(len(b.cell), *s, active, act, obs); err != nil {
		return err
	}
	for i, on := range active {
		if !on {
			continue
		}
		a := act[i*s.ActDim : (i+1)*s.ActDim]
		err := s.CheckAction(a)
		if err == nil {
			err = s.Choose(a, b.chosen[:])
		}
		if err != nil {
			return sim.NewError(s.Name, b.task[i], i, err)
		}
		b.cell[i] = moved(b.cell[i], b.chosen[0])
		b.write(i, obs[i*s.ObsDim:(i+1)*s.ObsDim])
		goal, reward := b.task[i].Params, stepCost
		reached := float64(b.cell[i]/size) == goal[0] && float64(b.cell[i]%size) == goal[1]
		if reached {
			reward = goalPays
		}
		out.Reward[i], out.ContextReward[i], out.Done[i], out.Success[i] = reward, reward, false, reached
	}
	return nil
}

// Close implements sim.Batch.
func (b *gridBatch) Close() error { return nil }

// State implements sim.Stateful: QPos is the coordinates.
func (b *gridBatch) State(i int) sim.State {
	return sim.State{QPos: []float64{float64(b.cell[i] / size), float64(b.cell[i] % size)}}
}

// SetState implements sim.Stateful.
func (b *gridBatch) SetState(i int, s sim.State, obs []float64) error {
	if len(s.QPos) != 2 || len(s.QVel) != 0 || len(s.MocapPos) != 0 {
		return sim.NewError(b.spec.Name, b.task[i], i, fmt.Errorf("a state of %d positions, %d velocities and %d "+
			"mocap numbers; expected two coordinates", len(s.QPos), len(s.QVel), len(s.MocapPos)))
	}
	for _, v := range s.QPos {
		if v != float64(int(v)) || v < 0 || v >= size {
			return sim.NewError(b.spec.Name, b.task[i], i, fmt.Errorf("the coordinates %v; expected whole numbers "+
				"from 0 to %d", s.QPos, size-1))
		}
	}
	b.cell[i] = int(s.QPos[0])*size + int(s.QPos[1])
	b.write(i, obs)
	return nil
}

// at is the pose of a thing on a cell, in a scene in which cells are 0.4 wide, as the squares of the floor.
func at(x, y, z float64) scene.Pose { return scene.At(0.4*(x-2)+0.2, 0.4*(y-2)+0.2, z) }

// Scene implements sim.Visible: the robot as a ball, the goal, and the corner's cells without goals.
func (b *gridBatch) Scene(int) (*scene.Scene, error) {
	return &scene.Scene{
		Name: b.spec.Name, Interval: 0.3,
		Solids: []scene.Solid{
			{Name: "robot", Kind: scene.Sphere, Size: [3]float64{0.12}, Color: scene.Blue},
			{Name: "board", Kind: scene.Plane, Size: [3]float64{1, 1}, Color: scene.Floor},
			{Name: "goal", Kind: scene.Box, Size: [3]float64{0.18, 0.18, 0.01}, Color: scene.Goal, Sign: true},
			{Name: "no goals", Kind: scene.Box, Size: [3]float64{0.4, 0.4, 0.004}, Color: scene.Path, Sign: true},
		},
		Grid: 0.4,
		View: scene.View{Target: [3]float64{0.2, 0.2, 0}, Distance: 4.2, Azimuth: -90, Elevation: 62, Angle: 34,
			Follow: -1},
	}, nil
}

// Poses implements sim.Visible.
func (b *gridBatch) Poses(i int, poses []scene.Pose) error {
	goal := b.task[i].Params
	poses[0] = at(float64(b.cell[i]/size), float64(b.cell[i]%size), 0.12)
	poses[1] = at(2, 2, 0)
	poses[2] = at(goal[0], goal[1], 0.01)
	poses[3] = at(0.5, 0.5, 0.004)
	return nil
}
