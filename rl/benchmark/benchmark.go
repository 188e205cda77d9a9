// Package benchmark has the two sizes of benchmark updates, oyster's and Meta-World's, and their synthetic data. Any
// language can make the data: every weight, transition and noise value comes from a counter-based splitmix64 stream.
// Programs of other software have made the same updates in float64. So losses and gradients can be compared digit by
// digit, and speeds can be compared for equal work. The updates themselves are in the packages of the algorithms, which
// register them.
//
//	algorithm, err := rl.Lookup("rl2")
//	y, err := algorithm.Benchmark(benchmark.Oyster, device)
//	defer y.Close()
//	figures, err := y.Update(0) // compare with y.Expected(0)
package benchmark

import (
	"fmt"

	"nacre/core/feed"
)

// Size names one of the two sizes of the TCL paper's experiments.
type Size struct {
	Name                  string
	Obs, Act, Latent      int
	Hidden, EncoderHidden int
	Window                int
	RewardScale           float64
}

// These are the sizes: half-cheetah velocity as published with PEARL, and Meta-World as in the TCL paper.
var (
	Oyster = Size{Name: "oyster", Obs: 20, Act: 6, Latent: 5, Hidden: 300, EncoderHidden: 200, Window: 64,
		RewardScale: 5}
	MetaWorld = Size{Name: "metaworld", Obs: 12, Act: 4, Latent: 7, Hidden: 400, EncoderHidden: 400, Window: 64,
		RewardScale: 10}
)

// Sizes lists the two sizes.
var Sizes = []Size{Oyster, MetaWorld}

// Find returns the size with this name.
func Find(name string) (Size, error) {
	for _, s := range Sizes {
		if s.Name == name {
			return s, nil
		}
	}
	return Size{}, fmt.Errorf("size %q, want \"oyster\" or \"metaworld\"", name)
}

// Figures are an update's losses and gradient norms by name.
type Figures map[string]float64

// Update is one update loaded on a device, with weights and data from the random streams.
type Update interface {
	// Algorithm is the name under which it is registered.
	Algorithm() string
	Size() Size
	// Names lists the figures, in the order of the update.
	Names() []string
	// Expected returns the figures that other software found for update number step, from 0 to 2.
	Expected(step int) Figures
	// Prepare writes the data of a step. Run makes the update and waits for it. Update does both and reads the figures.
	// Steps must be made in order, from 0.
	Prepare(step int) error
	Run() error
	Update(step int) (Figures, error)
	// FLOPs is the number of floating-point operations of the matrix products in the last Run.
	FLOPs() int64
	// Close frees the device's buffers.
	Close() error
}

// Whole is an Update whose Run takes seconds. Every step starts from the same weights and does the same. Therefore only
// a few steps are timed, and one step is compared with float64, to Tolerance.
type Whole interface {
	Update
	Tolerance() float64
}

// Drawn is an Update that can also be made as in training, with data that the device draws.
type Drawn interface {
	Update
	// Drawing is the recipe of the data that an update draws.
	Drawing() feed.Recipe
	// Draw loads the update with data that the device draws. It returns nil if the device cannot draw.
	Draw() (Burst, error)
}

// Burst makes updates on data that the device draws.
type Burst interface {
	// Make makes n updates, as many at a time as the device takes, and waits for all of them.
	Make(n int) error
	Close() error
}

// Streamed is an Update that can be given to a device without waiting for the previous update.
type Streamed interface {
	Update
	Start() error
	Wait() error // waits for all updates that Start began
}
