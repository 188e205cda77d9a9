package metaworld

import "slices"

// rows is the table of families. They are grouped by the shape of their rewards, one file per group:
//
//	reach.go     reach the goal; faucets, opening a drawer, closing a door: sums of tolerances
//	button.go    approach a button and press it along one axis
//	lock.go      turn a lock
//	handle.go    windows, handles, dial, lever, closing a drawer: ten times reach and progress as one product
//	plate.go     slide a plate
//	push.go      cage an object and bring it somewhere
//	place.go     cage with signed pad distances
//	sweep.go     cage with signed pad distances, and grip
//	carry.go     lift an object and bring it somewhere; bin.go: from one bin into another
//	mug.go       push and pull a mug
//	peg.go       put a peg into a hole, pull it out
//	pull.go      pull a handle up
//	door.go      open a door; box.go: put a lid on a box
//	tool.go      a nut on a peg, a hammer: rewards with a factor for how the object is turned
//	stick.go     move a container with a stick
//
// To add a row, write a function that returns it in the file of its group and add it to that file's list; a new
// group gets a new file and a line here. Facts about the scene (names, joints) and the task vector go into fields;
// what the environment does after the hand reset goes into reset, which must read and write the state in the order in
// which the Python class does, since what it reads may be older than what it wrote. Rewards are built from blocks.go,
// caging.go and shapes.go. What a reward remembers from the reset is a field of memo (env.go).
func rows() []*row {
	all := slices.Concat(
		reachRows(),
		buttonRows(),
		lockRows(),
		handleRows(),
		plateRows(),
		pushRows(),
		placeRows(),
		doorRows(),
		sweepRows(),
		carryRows(),
		mugRows(),
		pegRows(),
		pullRows(),
		toolRows(),
		stickRows(),
	)
	for _, w := range all {
		w.era = release
	}
	return all
}

// row is one of the fifty environments of its era.
type row struct {
	era   *era
	name  string // Meta-World's, without -v3 or -v1
	scene string // file in assets/sawyer_xyz, without .xml

	// low and high bound the task vector, 3 or 6 numbers. Vectors of 6 whose points (0, 1) and (3, 4) are closer than
	// apart, in metres, are drawn again.
	low, high []float64
	apart     float64
	from      []float64 // where in the plane point (0, 1) must be away from, instead of (3, 4)
	spare     int       // vectors that a reset of 2020 draws first, and does not use

	start   vec3 // where the hand starts
	handLow vec3 // lower corner of the hand's box; zero for the usual one

	keeps    bool   // whether an object lifted or touched once counts as that to the end of the episode
	floating string // a body that gravity does not act on; "" for none

	first, second part // what the observation shows; second is set in families of two objects

	// reset puts the scene into the state of task vector v; the hand is at its start, and tcp0 is set.
	reset func(e *env, v []float64)

	// v1 and v2 are the two versions of the reward, after a step. Rows of 2020 have v1 alone.
	v1, v2 func(e *env) (reward float64, success bool)
}

// part is an object in the observation; rows of 2020 show no turn.
type part struct {
	at   func(e *env) vec3
	turn func(e *env) quat
}

// The box of the hand.
var (
	handLow  = vec3{-0.5, 0.4, 0.05}
	handHigh = vec3{0.5, 1, 0.5}
)

// The two usual starts of the hand, from where the middle of the table and the front edge are reached. Where the Python
// class writes them as 32-bit floats, rows say so by rounding them: single(front).
var (
	middle = vec3{0, 0.6, 0.2}
	front  = vec3{0, 0.4, 0.2}
)

// below returns handLow with another height: some hands may go below the table's edge.
func below(z float64) vec3 { return vec3{handLow[0], handLow[1], z} }
