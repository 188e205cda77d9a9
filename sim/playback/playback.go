// Package playback defines the format of episodes that a browser plays back in three dimensions. An episode holds the
// look of the solids once, the poses of the moving solids in every frame, and the reward of each step. Display shows it
// in notebooks and "nacre render -o episode.json" writes it to files; library/README.md describes its fields. It draws
// nothing itself.
//
//	episode, err := playback.Of(&recorder.Recordings[0])
//	episode.Label = "told the goal"
//	d := playback.Document{Title: "point-goal", Episodes: []playback.Episode{episode}}
//	err = d.Write(file)
//	back, err := playback.Read(file)
package playback

import (
	"fmt"
	"io"
	"math"

	"nacre/sim/recording"
	"nacre/sim/scene"
)

// Document holds episodes that are watched together.
type Document struct {
	Title    string
	Link     string // name shared by views that select the same labels; an empty Link shares no selection
	Episodes []Episode
}

// Episode is a film of T+1 frames and, if known, the rewards of its T steps.
type Episode struct {
	Label   string // label that tells the episode from the others of a document
	Film    *scene.Film
	Reward  []float64 // T rewards, or nil
	Success []bool    // T values, or nil
	// QPos holds T+1 joint positions, or is nil. If Film.Scene.Model is set, the browser's MuJoCo can continue from
	// them.
	QPos [][]float64
}

// Of makes an episode of a recording. The family of the recording must be one that can be drawn. The label of the
// episode gives the task's numbers if there are at most three.
func Of(r *recording.Recording) (Episode, error) {
	film, err := r.Film()
	if err != nil {
		return Episode{}, err
	}
	e := Episode{Film: film, Reward: r.Reward, Success: r.Success, QPos: r.QPos}
	if n := len(r.Params); n > 0 && n <= 3 {
		e.Label = "task"
		for _, v := range r.Params {
			e.Label += fmt.Sprintf(" %.3g", v)
		}
	}
	return e, nil
}

func (e *Episode) check() error {
	if err := e.Film.Scene.Validate(); err != nil {
		return err
	}
	steps := e.Film.Frames() - 1
	switch {
	case steps < 0:
		return fmt.Errorf("the film has no frames")
	case e.Reward != nil && len(e.Reward) != steps:
		return fmt.Errorf("%d rewards for the %d steps between its frames", len(e.Reward), steps)
	case e.Success != nil && len(e.Success) != steps:
		return fmt.Errorf("%d successes for the %d steps between its frames", len(e.Success), steps)
	case e.QPos != nil && len(e.QPos) != steps+1:
		return fmt.Errorf("%d rows of joint positions for %d frames", len(e.QPos), steps+1)
	}
	for t, row := range e.QPos {
		if len(row) != len(e.QPos[0]) {
			return fmt.Errorf("%d joint positions in frame %d and %d in the first", len(row), t, len(e.QPos[0]))
		}
	}
	for t, v := range e.Reward {
		if math.IsNaN(v) || math.Abs(v) > math.MaxFloat32 {
			return fmt.Errorf("the reward of step %d is %v; expected a finite number", t, v)
		}
	}
	return nil
}

// Write writes the document as JSON.
func (d *Document) Write(w io.Writer) error {
	b, err := d.MarshalJSON()
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}

// Read reads what Write wrote.
func Read(r io.Reader) (*Document, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("playback: %w", err)
	}
	d := &Document{}
	if err := d.UnmarshalJSON(b); err != nil {
		return nil, err
	}
	return d, nil
}
