// Package yardstick is package benchmark under its old name, for notebooks that import it. The next release removes it.
package yardstick

import "nacre/rl/benchmark"

// Size names one of the two sizes.
//
// Deprecated: use benchmark.Size of nacre/rl/benchmark.
type Size = benchmark.Size

// Figures are an update's losses and gradient norms by name.
//
// Deprecated: use benchmark.Figures of nacre/rl/benchmark.
type Figures = benchmark.Figures

// Benchmark is one update loaded on a device.
//
// Deprecated: use benchmark.Update of nacre/rl/benchmark.
type Benchmark = benchmark.Update

// Deprecated: use benchmark.Oyster and benchmark.MetaWorld of nacre/rl/benchmark.
var (
	Oyster    = benchmark.Oyster
	MetaWorld = benchmark.MetaWorld
)
