package op

import "nacre/core/graph"

// Deprecated: nacre/core/graph has it, Graphs as graph.Gorgonia; the old name goes with the next release.
var (
	Graphs   = &graph.Gorgonia
	Apply    = graph.Apply
	Children = graph.Children
	Describe = graph.Describe
	ShapeOf  = graph.ShapeOf
)
