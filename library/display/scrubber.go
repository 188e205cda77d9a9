package display

import (
	"encoding/json"
	"fmt"

	"nacre/sim/recording"
	"nacre/tsne"
)

// ScrubberMIME is the type of scrubbers.
const ScrubberMIME = "application/vnd.nacre.scrubber+json"

var scrubberType = Type{"scrubber", ScrubberMIME, "image/png", func() Renderer {
	s := Scrubber{Title: "two checkpoints", Curves: NewCurves("return", "iterations", "return")}
	for k := range 2 {
		e := embeddingType.Sample().(Embedding)
		for i := range e.Points.Data {
			e.Points.Data[i] *= float64(k + 1)
		}
		e.Vectors = tsne.Matrix{}
		r := rolloutType.Sample().(Rollout)
		r.Episodes = append(r.Episodes, recording.Recording{
			Family: "point-goal", Params: []float64{-1, 0}, QPos: r.Episodes[0].QPos, Act: r.Episodes[0].Act,
			Reward: r.Episodes[0].Reward,
		})
		r.Labels = e.Names
		s.Checkpoints = append(s.Checkpoints, Checkpoint{Name: fmt.Sprint("iteration ", k), At: float64(k),
			Embedding: e, Rollout: &r})
		s.Curves.Add("left", float64(k), float64(-k))
		s.Curves.Add("right", float64(k), float64(k))
	}
	return s
}}

// Scrubber shows a run at several checkpoints, one at a time. It shows the checkpoint's embedding, its rollout and its
// place on the curves. Labels, episodes and curves of the same name are selected together.
type Scrubber struct {
	Title       string
	Checkpoints []Checkpoint // checkpoints in their order
	Curves      *Curves      // curves over the unit of Checkpoint.At, or nil
}

// Checkpoint is one state of a run.
type Checkpoint struct {
	Name      string  // name of the checkpoint, such as "iteration 20"
	At        float64 // place of the checkpoint on the curves
	Embedding Embedding
	Rollout   *Rollout // rollout of the checkpoint, or nil
}

// MIMEBundle returns the checkpoints for this notebook's front end, the picture of the last embedding, and text. It
// fails above RolloutLimit.
func (s Scrubber) MIMEBundle() (map[string]any, error) {
	if len(s.Checkpoints) == 0 {
		return nil, fmt.Errorf("display: a scrubber without checkpoints; expected at least one")
	}
	text := s.Title
	size := 0
	var list []map[string]any
	for _, c := range s.Checkpoints {
		if err := c.Embedding.check(); err != nil {
			return nil, fmt.Errorf("display: checkpoint %q: %w", c.Name, err)
		}
		m := map[string]any{"name": c.Name, "at": c.At, "embedding": c.Embedding.data(c.Embedding.groups()),
			"rollout": nil}
		text += "\n" + c.Name
		if c.Rollout != nil {
			data, _, _, err := c.Rollout.data()
			if err != nil {
				return nil, fmt.Errorf("display: checkpoint %q: %w", c.Name, err)
			}
			m["rollout"] = data
			size += len(data)
			sum := 0.0
			for i := range c.Rollout.Episodes {
				sum += c.Rollout.Episodes[i].Return()
			}
			n := len(c.Rollout.Episodes)
			text += fmt.Sprintf(": %d episodes, mean return %.6g", n, sum/float64(n))
		}
		list = append(list, m)
	}
	if err := fitsOutput("scrubber", size); err != nil {
		return nil, err
	}
	last := s.Checkpoints[len(s.Checkpoints)-1].Embedding
	last.Title = s.Title
	picture, err := last.png(last.groups())
	if err != nil {
		return nil, err
	}
	m := map[string]any{"version": 1, "title": s.Title, "checkpoints": list, "curves": nil}
	if s.Curves != nil {
		s.Curves.mu.Lock()
		defer s.Curves.mu.Unlock()
		m["curves"], _ = s.Curves.data()
	}
	b, err := json.Marshal(m)
	return Bundle{ScrubberMIME: json.RawMessage(b), "image/png": picture, "text/plain": text}, err
}
