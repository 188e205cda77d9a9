package pearl

import (
	"encoding/json"
	"io"

	"nacre/rl/replay"
)

// State lists what a checkpoint must hold besides Memory so that training goes on bit for bit: replay, the sums
// of the running iteration, and what was collected ahead. Random streams are addressed, not stored.
func (l *Learner) State() []replay.Part {
	parts := []replay.Part{
		{Name: "replay", Save: l.buf.Encode, Load: l.buf.Decode},
		{Name: "running", Save: l.saveRunning, Load: l.loadRunning},
	}
	if l.ahead != nil {
		parts = append(parts, replay.Part{Name: "ahead", Save: l.ahead.save, Load: l.ahead.load})
	}
	return parts
}

// running is the part of an iteration's metrics that is not yet reported. JSON keeps float64 exactly.
type running struct {
	Sums  map[string]float64
	Count int
	Aux   json.RawMessage `json:",omitempty"`
}

func (l *Learner) saveRunning(w io.Writer) error {
	if err := l.tally(); err != nil {
		return err
	}
	r := running{Sums: l.sums, Count: l.count}
	if l.aux != nil {
		aux, err := json.Marshal(l.aux)
		if err != nil {
			return err
		}
		r.Aux = aux
	}
	return json.NewEncoder(w).Encode(r)
}

func (l *Learner) loadRunning(rd io.Reader) error {
	r := running{Sums: map[string]float64{}}
	if err := json.NewDecoder(rd).Decode(&r); err != nil {
		return err
	}
	l.sums, l.count = r.Sums, r.Count
	if l.aux != nil && r.Aux != nil {
		return json.Unmarshal(r.Aux, l.aux)
	}
	return nil
}
