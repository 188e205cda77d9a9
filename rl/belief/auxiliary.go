package belief

import (
	"encoding/json"

	"nacre/core"
	"nacre/core/feed"
	"nacre/core/graph"
)

// Auxiliary is a further loss on the context encoder. It also decides how the context of an update is drawn, because
// such losses compare views of a context. An Auxiliary whose parameters learn is Learning.
//
// Its JSON form is the part of its state that is not in the parameters, for checkpoints.
//
// The algorithm calls Params and Init once. It calls Loss and then AfterStep while it builds its update program. It
// calls Count for every update.
type Auxiliary interface {
	json.Marshaler
	json.Unmarshaler
	// Params lists the parameters that the loss adds, such as a key encoder.
	Params() []core.ParamSpec
	// Init sets these parameters, after the encoder's own parameters are set.
	Init(m core.Memory) error

	// Feed describes the draws from the encoder's buffer for the task of each slot, and the inputs that they fill. The
	// algorithm infers its posterior from two of these inputs, context and context_weight, with N rows each. The loss
	// may need others besides. The Draw of a fill is an index into these draws. The algorithm sets the Store of the
	// draws.
	Feed() ([]feed.Draw, []feed.Fill)
	// Count is called with the record of what was drawn for an update, or for a context during collection. In the
	// second case the record has no tasks.
	Count(feed.Record)

	// Loss adds the weighted loss, 1×1, from the posterior of the drawn contexts, whose variances may be nil.
	Loss(s *core.Stage, q Posterior) *graph.Node
	// AfterStep adds the operations after the encoder's optimiser step, such as moving averages.
	AfterStep(b *core.Builder)

	// Diagnose turns outputs that Loss declared into metrics, after a run of the program. MetricNames lists the metrics
	// in order.
	Diagnose(run core.Runner, record func(metric string, value float64)) error
	MetricNames() []string
}

// Learning is an Auxiliary with parameters that learn by the gradient of its loss, such as a classifier's.
type Learning interface {
	Auxiliary
	// Learned lists those of Params that the algorithm steps with the encoder, by Adam at the rate lr.
	Learned() (params []core.ParamSpec, lr float64)
}

// StepOwn makes the optimiser's step of the auxiliary loss's own parameters, if the loss implements Learning. The step
// follows the gradient of loss, a sum that contains the auxiliary loss. The algorithm calls StepOwn in the stage of
// Loss.
func StepOwn(s *core.Stage, a Auxiliary, loss *graph.Node) {
	l, ok := a.(Learning)
	if !ok {
		return
	}
	params, lr := l.Learned()
	if nodes := Nodes(s, params); len(nodes) > 0 {
		s.Minimise(loss, core.DefaultAdam(lr), nodes...)
	}
}

// Nodes are parameters as nodes of s.
func Nodes(s *core.Stage, params []core.ParamSpec) []*graph.Node {
	var out []*graph.Node
	for _, p := range params {
		out = append(out, s.Param(p.Name, p.Rows, p.Cols))
	}
	return out
}
