package recording

import (
	"fmt"

	"nacre/internal/rng"
	"nacre/sim"
	"nacre/sim/scene"
)

// Film returns the recording as frames for pictures and playback, one per observation, computed from the physical
// states by the family's own model. The family is looked up by its name.
func (r *Recording) Film() (*scene.Film, error) {
	f, err := sim.Lookup(r.Family)
	if err != nil {
		return nil, err
	}
	return r.FilmOf(f)
}

// FilmOf is Film with the recorded family as an argument, so the family need not be registered.
func (r *Recording) FilmOf(f sim.Family) (*scene.Film, error) {
	if len(r.QPos) == 0 || r.Mocap != nil && len(r.Mocap) != len(r.QPos) {
		return nil, fmt.Errorf("recording: %s: %d rows of joint positions and %d of bodies moved by hand; a film "+
			"needs them for every step",
			r.Family, len(r.QPos), len(r.Mocap))
	}
	b, err := f.NewBatch(1)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	v, ok := b.(sim.Visible)
	if !ok {
		return nil, fmt.Errorf("recording: family %s cannot be drawn: its batches do not implement sim.Visible",
			r.Family)
	}
	obs := make([]float64, f.Spec().ObsDim)
	// The start is drawn only to be replaced by the recorded one.
	if err := b.Reset(0, sim.Task{Params: r.Params}, rng.New(0, rng.Reset), obs); err != nil {
		return nil, err
	}
	s, err := v.Scene(0)
	if err == nil {
		err = s.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("recording: %s: %w", r.Family, err)
	}
	film := &scene.Film{Scene: s}
	poses := make([]scene.Pose, len(s.Solids))
	state := v.State(0)
	clear(state.QVel) // poses do not depend on velocities
	state.Warmstart = nil
	for t := range r.QPos {
		state.QPos = r.QPos[t]
		if r.Mocap != nil {
			state.MocapPos = r.Mocap[t]
		}
		if err := v.SetState(0, state, obs); err != nil {
			return nil, fmt.Errorf("recording: frame %d: %w", t, err)
		}
		if err := v.Poses(0, poses); err != nil {
			return nil, fmt.Errorf("recording: frame %d: %w", t, err)
		}
		if err := film.Append(poses); err != nil {
			return nil, err
		}
	}
	return film, nil
}
