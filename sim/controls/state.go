package controls

import (
	"fmt"
	"slices"

	"nacre/sim"
)

// State implements sim.Stateful.
func (b *batch) State(i int) sim.State {
	return sim.State{
		QPos: slices.Clone(b.chunk.QPos(i)), QVel: slices.Clone(b.chunk.QVel(i)),
		Warmstart: slices.Clone(b.chunk.Warmstart(i)),
	}
}

// SetState implements sim.Stateful. The varied fields of the model keep the task's values.
func (b *batch) SetState(i int, s sim.State, obs []float64) error {
	qpos, qvel, warm := b.chunk.QPos(i), b.chunk.QVel(i), b.chunk.Warmstart(i)
	if len(s.QPos) != len(qpos) || len(s.QVel) != len(qvel) || (s.Warmstart != nil && len(s.Warmstart) != len(warm)) ||
		len(s.MocapPos) != 0 {
		return b.fail(i, fmt.Errorf("a state of %d positions, %d velocities, %d accelerations and %d mocap numbers; "+
			"expected %d, %d, %d or none, and none",
			len(s.QPos), len(s.QVel), len(s.Warmstart), len(s.MocapPos), len(qpos), len(qvel), len(warm)))
	}
	copy(qpos, s.QPos)
	copy(qvel, s.QVel)
	clear(warm)
	copy(warm, s.Warmstart)
	return b.begin(i, obs)
}
