package simtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"nacre/sim"
	"nacre/sim/playback"
	"nacre/sim/recording"
	"nacre/sim/render"
)

// state checks a Stateful. A state is a copy. Another environment can be set to it and continues from it. A state of
// other lengths is an error.
func state(s *suite) error {
	b, ok := s.batch.(sim.Stateful)
	if !ok {
		return nil
	}
	if err := s.alike(); err != nil {
		return err
	}
	var act []float64
	for t := 0; t == 0 || reflect.DeepEqual(b.State(0), b.State(1)); t++ {
		if t == 20 { // a few may lead to the same of few states
			return errors.New("environments have one state after different actions")
		}
		act = s.draw(envs, t)
		if err := s.step(act); err != nil {
			return err
		}
	}
	was, kept := b.State(0), b.State(0)
	if err := s.batch.Step([]bool{true, false, false}, act, s.obs, &s.out); err != nil {
		return err
	}
	if !reflect.DeepEqual(was, kept) {
		return errors.New("a state changed while its environment was stepped; expected State to return a copy")
	}
	for i := range 2 {
		if err := b.SetState(i, was, s.row(i)); err != nil {
			return err
		}
		if !reflect.DeepEqual(was, kept) {
			return errors.New("SetState changed the state it was given")
		}
		if got := b.State(i); !slices.Equal(got.QPos, was.QPos) || !slices.Equal(got.QVel, was.QVel) ||
			!slices.Equal(got.MocapPos, was.MocapPos) {
			return fmt.Errorf("environment %d was put into %+v and is in %+v", i, was, got)
		}
		if err := finite("the observation of a state that was set", s.row(i)); err != nil {
			return err
		}
	}
	for t := range 3 {
		if err := s.step(s.same(t + 1)); err != nil {
			return err
		}
		if one, two := b.State(0), b.State(1); !reflect.DeepEqual(one, two) {
			return fmt.Errorf("%d steps from the same state environments 0 and 1 are in %+v and %+v; expected the "+
				"same bits", t+1, one, two)
		}
	}
	long := kept
	long.QPos = append(slices.Clone(kept.QPos), 0)
	if err := b.SetState(0, long, s.row(0)); err == nil {
		return fmt.Errorf("a state of %d positions was set; expected an error, there are %d", len(long.QPos),
			len(kept.QPos))
	}
	return nil
}

// drawing records an episode, keeps it and brings it back, and draws a Visible without a display.
func drawing(s *suite) (err error) {
	list := s.episodes(2)
	policy := sim.RandomPolicy(s.family, list)
	recorder := recording.Recorder{Family: s.family}
	defer func() { err = errors.Join(err, recorder.Close()) }()
	out, err := recorder.Rollout(context.Background(), list, policy, s.short())
	if err != nil {
		return err
	}
	pool, err := sim.NewPool(s.family, 1, 0)
	if err != nil {
		return err
	}
	pooled, err := pool.Rollout(context.Background(), list, policy, s.short())
	if err = errors.Join(err, pool.Close()); err != nil {
		return err
	}
	for i := range out {
		if !reflect.DeepEqual(out[i], pooled[i]) {
			return fmt.Errorf("episode %d is another when it is recorded than in a pool", i)
		}
	}
	r := &recorder.Recordings[1]
	if err := kept(r); err != nil {
		return err
	}
	if _, ok := s.batch.(sim.Visible); !ok {
		return nil
	}
	return s.film(r)
}

// kept saves a recording and loads it again.
func kept(r *recording.Recording) error {
	folder, err := os.MkdirTemp("", "simtest")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "episode.npz")
	if err := r.Save(path); err != nil {
		return err
	}
	back, err := recording.Load(path)
	if err == nil && (back.Family != r.Family || !slices.Equal(back.Params, r.Params) ||
		!reflect.DeepEqual(back.Obs, r.Obs) ||
		!reflect.DeepEqual(back.Act, r.Act) || !slices.Equal(back.Reward, r.Reward) ||
		!reflect.DeepEqual(back.QPos, r.QPos) || !reflect.DeepEqual(back.Mocap, r.Mocap)) {
		err = errors.New("a recording is another after it was saved and loaded")
	}
	return err
}

// film makes a film of a recording, a picture of its last frame, and a document for a browser and back.
func (s *suite) film(r *recording.Recording) error {
	film, err := r.FilmOf(s.family)
	if err != nil {
		return err
	}
	if film.Frames() != len(r.Obs) {
		return fmt.Errorf("a film of %d frames; expected one per observation, %d", film.Frames(), len(r.Obs))
	}
	last := film.Frames() - 1
	for k, p := range film.Frame(last) {
		if n := math.Hypot(math.Hypot(float64(p[3]), float64(p[4])),
			math.Hypot(float64(p[5]), float64(p[6]))); math.Abs(n-1) > 1e-3 {
			return fmt.Errorf("solid %d %q has the pose %v; expected a quaternion of length 1 in its last four numbers",
				k, film.Scene.Solids[k].Name, p)
		}
	}
	painter, err := render.New(film.Scene, 48, 32)
	if err != nil {
		return err
	}
	picture, err := painter.Draw(film.Frame(last), render.Follow(film)[last])
	if err != nil {
		return err
	}
	seen := map[[4]byte]bool{}
	for k := 0; k+4 <= len(picture.Pix); k += 4 {
		seen[[4]byte(picture.Pix[k:k+4])] = true
	}
	if len(seen) < 2 {
		return errors.New("a picture of one colour: the view shows nothing of the scene")
	}
	d := playback.Document{Episodes: []playback.Episode{{Film: film, Reward: r.Reward, Success: r.Success,
		QPos: r.QPos}}}
	text, err := d.MarshalJSON()
	if err != nil {
		return err
	}
	var back playback.Document
	if err = back.UnmarshalJSON(text); err == nil &&
		(len(back.Episodes) != 1 || back.Episodes[0].Film.Frames() != film.Frames()) {
		err = errors.New("a playback document is another after it was written and read")
	}
	return err
}

// plain checks that the plain loop of a PlainStepper makes the steps that Step makes.
func plain(s *suite) error {
	b, ok := s.batch.(sim.PlainStepper)
	if !ok {
		return nil
	}
	if err := s.alike(); err != nil {
		return err
	}
	var act []float64
	for t := range 3 {
		act = append(act, s.draw(envs, t)...)
	}
	if err := b.Plain(act)(); err != nil {
		return err
	}
	var ends [envs][]float64
	for i := range ends {
		ends[i] = slices.Clone(b.QPos(i))
	}
	if err := s.alike(); err != nil {
		return err
	}
	for t := range 3 {
		if err := s.step(s.draw(envs, t)); err != nil {
			return err
		}
	}
	for i, want := range ends {
		if got := b.QPos(i); !slices.Equal(got, want) {
			return fmt.Errorf("after three steps environment %d is at %v, and after the plain loop's at %v; expected "+
				"the same bits", i, got, want)
		}
	}
	return nil
}

// forced checks that a Forcible pays in a state it was put into, and refuses what Step refuses.
func forced(s *suite) error {
	b, ok := s.batch.(sim.Forcible)
	if !ok {
		return nil
	}
	if err := s.alike(); err != nil {
		return err
	}
	start := b.State(1)
	if err := b.ResetFrom(1, s.train[0], start, s.row(1)); err != nil {
		return err
	}
	if err := b.SetState(1, start, s.row(1)); err != nil {
		return err
	}
	s.out.Reward[1] = math.NaN()
	act := s.draw(1, 0)
	if err := b.Evaluate(1, act, &s.out); err != nil {
		return err
	}
	if err := finite("what Evaluate pays", s.out.Reward[1:2]); err != nil {
		return err
	}
	if err := refused(b.Evaluate(1, act[1:], &s.out)); err != nil {
		return fmt.Errorf("Evaluate of an action too short: %w", err)
	}
	act[0] = math.NaN()
	if err := refused(b.Evaluate(1, act, &s.out)); err != nil {
		return fmt.Errorf("Evaluate of an action with NaN: %w", err)
	}
	return nil
}
