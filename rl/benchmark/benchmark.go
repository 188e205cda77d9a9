// Package benchmark has the two sizes and the synthetic data of benchmark updates. Any language can make the data:
// every weight, transition and noise value comes from a counter-based splitmix64 stream. Programs of other software
// have made the same updates in float64, so that losses and gradients can be compared digit by digit, and speeds on
// equal work. The updates themselves lie beside their algorithms, which register them.
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

// The sizes: half-cheetah velocity as published with PEARL, and Meta-World as in the TCL paper.
var (
	Oyster = Size{Name: "oyster", Obs: 20, Act: 6, Latent: 5, Hidden: 300, EncoderHidden: 200, Window: 64,
		RewardScale: 5}
	MetaWorld = Size{Name: "metaworld", Obs: 12, Act: 4, Latent: 7, Hidden: 400, EncoderHidden: 400, Window: 64,
		RewardScale: 10}
)

// Sizes lists them.
var Sizes = []Size{Oyster, MetaWorld}

// Find returns the size of a name.
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

// Update is one update loaded on a device, with the weights and data of the streams.
type Update interface {
	// Algorithm is the name that it is registered under.
	Algorithm() string
	Size() Size
	// Names lists the figures, in the order of the update.
	Names() []string
	// Expected returns the figures that other software found for update number step, from 0 to 2.
	Expected(step int) Figures
	// Prepare writes what is particular to a step; Run makes the update and waits for it. Update does both and reads
	// the figures: steps must be made in turn from 0 on.
	Prepare(step int) error
	Run() error
	Update(step int) (Figures, error)
	// FLOPs is the work of the last Run in matrix products.
	FLOPs() int64
	// Close gives the device's buffers back.
	Close() error
}

// Whole is an Update whose Run takes seconds and is the same for every step, from the same weights: few are timed, one
// is compared, to Tolerance in float64.
type Whole interface {
	Update
	Tolerance() float64
}

// Drawn is an Update whose updates are also made as training makes them: on data that the device draws.
type Drawn interface {
	Update
	// Drawing is what an update draws.
	Drawing() feed.Recipe
	// Draw loads the update on such data; nil where the device draws none.
	Draw() (Burst, error)
}

// Burst makes updates on data that the device draws.
type Burst interface {
	// Make makes n updates, as many at a time as the device takes, and waits for all.
	Make(n int) error
	Close() error
}

// Streamed is an Update whose updates can be given to a device without waiting for one another.
type Streamed interface {
	Update
	Start() error
	Wait() error // for all that were started
}
