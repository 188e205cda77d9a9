package pearl

import (
	"encoding/json"

	"nacre/rl/offpolicy"
	"nacre/rl/replay"
)

// State lists what a checkpoint must hold besides Memory, so that training continues bit for bit: the replay, the means
// of the present iteration, and the data collected ahead. Random streams follow from the seed and are not stored.
func (l *Learner) State() []replay.Part {
	parts := []replay.Part{
		{Name: "replay", Save: l.buf.Encode, Load: l.buf.Decode},
		replay.JSONPart("running", l.unreported, l.restore).After(l.Settle),
	}
	if l.ahead != nil {
		parts = append(parts, replay.Part{Name: "ahead", Save: l.ahead.save, Load: l.ahead.load})
	}
	return parts
}

// running is the part of an iteration's metrics that is not yet reported; Aux is the auxiliary loss's.
type running[A any] struct {
	offpolicy.Unreported
	Aux A `json:",omitempty"`
}

func (l *Learner) unreported() any {
	r := running[any]{Unreported: l.Means.Unreported()}
	if l.aux != nil {
		r.Aux = l.aux
	}
	return r
}

func (l *Learner) restore(r running[json.RawMessage]) error {
	l.Means.Restore(r.Unreported)
	if l.aux != nil && r.Aux != nil {
		return json.Unmarshal(r.Aux, l.aux)
	}
	return nil
}
