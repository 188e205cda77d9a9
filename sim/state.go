package sim

// State is the physical state of one environment: enough to draw it and, together with its task, to go on from it.
type State struct {
	QPos, QVel []float64 // positions and velocities of the joints, as the physics library orders them
	Warmstart  []float64 // accelerations from which the contact solver starts; nil is none
	MocapPos   []float64 // positions of bodies moved by hand, 3 each, in metres; nil where there are none
}

// Stateful is implemented by batches whose physical states can be read and set: for recording, drawing and checking.
type Stateful interface {
	// State returns a copy of the state of environment i.
	State(i int) State

	// SetState puts environment i, which has been Reset, into state s without ending its episode, and writes the
	// observation there. What the episode remembers from its start (a first distance, a step count) stays.
	SetState(i int, s State, obs []float64) error
}
