package core

import "nacre/core/op"

// Program is a compiled computation with static shapes: its inputs, the order of its computations, and the parameters
// it steps. It belongs to no device; a Device loads it.
//
// A program runs level by level. At each level first the Whole instructions run, in order, each over entire
// matrices; then the Tiled instructions run once per tile of the batch, in any order of tiles. Sums that Tiled
// instructions make over all rows are complete at the end of the level.
type Program struct {
	Name string

	// Groups is the number of independent groups (tasks) the rows of batched values are divided into.
	Groups int
	// TileGroups is the number of consecutive groups that form a tile; the last tile may be smaller.
	TileGroups int
	// Lanes is the number of independent partial sums of a reduction. Tile i adds to lane i mod Lanes in the order of
	// i, and lanes are added in order, so a result does not depend on the number of workers.
	Lanes int

	Values []Value
	Levels []Level

	// Inputs and Outputs map names to indices of Values.
	Inputs, Outputs map[string]int
}

// Tiles returns the number of tiles of a level.
func (p *Program) Tiles() int { return (p.Groups + p.TileGroups - 1) / p.TileGroups }

// ValueKind says where the content of a value comes from.
type ValueKind uint8

const (
	Temp  ValueKind = iota // computed by the program
	Input                  // written by the host before a run
	Param                  // a version of a stored parameter; all versions share the parameter's storage
	Const                  // a 1×1 constant
)

// Value is a matrix of a program. Its index in Program.Values is its name for instructions.
type Value struct {
	Name       string // name for messages and --explain
	Kind       ValueKind
	Rows, Cols int
	// Batched values are divided by rows over the program's groups: Rows is a multiple of Groups.
	Batched bool
	// Store is the parameter's name when Kind is Param.
	Store string
	// Fill is the constant when Kind is Const.
	Fill float64
}

// Level is one step of the schedule. See Program.
type Level struct {
	Whole []Instr
	Tiled []Instr
}

// Instr computes value Out from values In. Op is one of the op package's operations, or Adam, EMA or Norm.
type Instr struct {
	Op  any
	In  []int
	Out int
}

// Compile-time check that operations of the vocabulary implement op.Op, the type in instructions.
var _ op.Op = op.Dense{}

// Adam is one optimiser step of one parameter (Kingma & Ba 2015, as in PyTorch, no weight decay):
// operands (parameter, gradient), result the parameter's next version, in place.
//
//	m ← β₁m + (1-β₁)g,  v ← β₂v + (1-β₂)g²,  w ← w − LR·(m/(1-β₁ᵗ)) / (√(v/(1-β₂ᵗ)) + Eps)
//
// The moments and t live with the parameter in Memory.
type Adam struct {
	LR, Beta1, Beta2, Eps float64
}

// EMA moves a parameter towards another: operands (target, source), result (1-Tau)·target + Tau·source, in place.
type EMA struct {
	Tau float64
}

// Norm is the Euclidean norm of all its operands' elements taken together: any number of matrices → 1×1.
type Norm struct{}
