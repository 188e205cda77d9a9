// Package recording records single episodes: observations, actions and rewards. If the family can give them, it also
// records the physical states of every step, from which the episode can be drawn.
//
//	rec := recording.Recorder{Family: family}
//	defer rec.Close()
//	trajectories, err := rec.Rollout(ctx, episodes, policy, 0)  // as sim.Pool does, one after the other
//	err = rec.Recordings[0].Save("episode.npz")
//	r, err := recording.Load("episode.npz")
//	fmt.Println(r.Family, r.Params, r.QPos[0])
package recording

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"slices"

	"nacre/internal/rng"
	"nacre/sim"
)

// Recording is one episode of T steps.
type Recording struct {
	Family  string
	Params  []float64   // task vector of the episode
	Obs     [][]float64 // T+1 observations
	Act     [][]float64 // T actions in [-1,1]
	Reward  []float64   // T rewards
	Context []float64   // T rewards that an agent may put into its context, see sim.StepResult
	// Success and Done hold one value for each of the T steps.
	Success, Done []bool
	QPos          [][]float64 // T+1 joint positions; nil for families without physical states
	Mocap         [][]float64 // T+1 times 3 coordinates of each mocap body; nil if there are none

	// Pictures are what a sim.Filmer draws of itself, at even intervals if there are more than MostPictures steps. FPS
	// is the number of pictures for one second. Unseen says why there are no pictures. Files have none of these three.
	Pictures []*image.RGBA
	FPS      float64
	Unseen   string
}

// MostPictures bounds the pictures of an episode.
const MostPictures = 250

// Return is the undiscounted sum of rewards.
func (r *Recording) Return() float64 {
	sum := 0.0
	for _, v := range r.Reward {
		sum += v
	}
	return sum
}

// Succeeded reports whether any step was a success.
func (r *Recording) Succeeded() bool {
	return slices.Contains(r.Success, true)
}

// Recorder runs episodes like a sim.Pool, bit for bit, but one after the other in one environment, and records them.
// The zero value with a Family is ready.
type Recorder struct {
	Family     sim.Family
	Recordings []Recording // recordings of the last Rollout, in the order of its episodes
	Pictures   bool        // whether a sim.Filmer draws them

	batch sim.Batch
}

// Close frees the environment.
func (c *Recorder) Close() error {
	if c.batch == nil {
		return nil
	}
	b := c.batch
	c.batch = nil
	return b.Close()
}

// Rollout runs every episode for at most horizon steps, 0 for the family's own; see sim.Pool.Rollout.
func (c *Recorder) Rollout(ctx context.Context, episodes []sim.Episode, policy sim.Policy,
	horizon int) ([]sim.Trajectory, error) {
	spec := c.Family.Spec()
	horizon = cmp.Or(horizon, spec.Horizon)
	if horizon < 0 {
		return nil, fmt.Errorf("recording: %s: horizon %d; expected at least 1, or 0 for the family's %d", spec.Name,
			horizon, spec.Horizon)
	}
	if c.batch == nil {
		b, err := c.begin()
		if err != nil {
			return nil, err
		}
		c.batch = b
	}
	c.Recordings = nil
	out := make([]sim.Trajectory, len(episodes))
	for e := range episodes {
		r, err := c.episode(ctx, e, episodes[e], policy, horizon)
		if err != nil {
			return nil, err
		}
		c.Recordings = append(c.Recordings, r)
		out[e] = r.trajectory(episodes[e].Task)
	}
	return out, nil
}

func (c *Recorder) begin() (sim.Batch, error) {
	if f, is := c.Family.(sim.Filmer); is && c.Pictures {
		return f.NewFilmed(1)
	}
	return c.Family.NewBatch(1)
}

func (c *Recorder) episode(ctx context.Context, e int, ep sim.Episode, policy sim.Policy,
	horizon int) (Recording, error) {
	spec := c.Family.Spec()
	r := Recording{Family: spec.Name, Params: ep.Task.Params}
	obs, act := make([]float64, spec.ObsDim), make([]float64, spec.ActDim)
	out := sim.StepResult{
		Reward: make([]float64, 1), Done: make([]bool, 1), Success: make([]bool, 1), ContextReward: make([]float64, 1),
		Truncated: make([]bool, 1),
	}
	if err := c.batch.Reset(0, ep.Task, rng.New(ep.Seed, rng.Reset), obs); err != nil {
		return r, at(err, e, -1)
	}
	every := 1 + horizon/MostPictures
	c.look(&r, obs)
	c.draw(&r, every)
	for t := range horizon {
		if ctx.Err() != nil {
			return r, fmt.Errorf("recording: %s: %w", spec.Name, context.Cause(ctx))
		}
		if err := policy.Act(0, []int{e}, []int{t}, obs, act); err != nil {
			return r, fmt.Errorf("recording: %s: policy, episode %d, step %d: %w", spec.Name, e, t, err)
		}
		if err := c.batch.Step([]bool{true}, act, obs, &out); err != nil {
			return r, at(err, e, t)
		}
		r.Act = append(r.Act, append([]float64(nil), act...))
		r.Reward, r.Context = append(r.Reward, out.Reward[0]), append(r.Context, out.ContextReward[0])
		r.Success, r.Done = append(r.Success, out.Success[0]), append(r.Done, out.Done[0])
		c.look(&r, obs)
		if (t+1)%every == 0 || out.Done[0] || out.Truncated[0] {
			c.draw(&r, every)
		}
		if w, ok := policy.(sim.Watcher); ok {
			if err := w.Watch(0, []int{e}, []int{t}, out.ContextReward); err != nil {
				return r, fmt.Errorf("recording: %s: policy, episode %d, step %d: %w", spec.Name, e, t, err)
			}
		}
		if out.Done[0] || out.Truncated[0] {
			break
		}
	}
	return r, nil
}

// look appends the present physical state.
func (c *Recorder) look(r *Recording, obs []float64) {
	r.Obs = append(r.Obs, append([]float64(nil), obs...))
	if s, ok := c.batch.(sim.Stateful); ok {
		now := s.State(0)
		r.QPos = append(r.QPos, now.QPos)
		if now.MocapPos != nil {
			r.Mocap = append(r.Mocap, now.MocapPos)
		}
	}
}

// draw appends a picture. One that cannot be drawn ends the pictures, not the episode.
func (c *Recorder) draw(r *Recording, every int) {
	p, is := c.batch.(sim.Pictured)
	if !is || !c.Pictures || r.Unseen != "" {
		return
	}
	m, fps, err := p.Picture(0)
	if err != nil {
		r.Pictures, r.Unseen = nil, err.Error()
		return
	}
	r.Pictures, r.FPS = append(r.Pictures, m), cmp.Or(fps, 20)/float64(every)
}

// trajectory is the recording as a Pool would give it.
func (r *Recording) trajectory(task sim.Task) sim.Trajectory {
	n := len(r.Act)
	t := sim.Trajectory{Task: task, Len: n, Success: r.Succeeded(), Return: r.Return(), Done: n > 0 && r.Done[n-1]}
	for _, row := range r.Obs {
		t.Obs = appendFloat32(t.Obs, row)
	}
	for _, row := range r.Act {
		t.Act = appendFloat32(t.Act, row)
	}
	t.Reward = appendFloat32(nil, r.Reward)
	t.CtxReward = appendFloat32(nil, r.Context)
	return t
}

func appendFloat32(to []float32, v []float64) []float32 {
	for _, x := range v {
		to = append(to, float32(x))
	}
	return to
}

// at adds episode and step to an error of the environment.
func at(err error, episode, step int) error {
	if e, ok := errors.AsType[*sim.Error](err); ok {
		located := *e
		located.Episode, located.Step = episode, step
		return &located
	}
	return err
}
