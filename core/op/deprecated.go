package op

import "nacre/core/graph"

// Deprecated: use nacre/core/graph, where Graphs is called graph.Gorgonia. The next release removes the old names.
var (
	Graphs   = &graph.Gorgonia
	Apply    = graph.Apply
	Children = graph.Children
	Describe = graph.Describe
	ShapeOf  = graph.ShapeOf
)
