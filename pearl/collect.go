package pearl

import (
	"context"

	"nacre/core/feed"
	"nacre/internal/rng"
	"nacre/rl/actor"
	"nacre/rl/belief"
	"nacre/rl/replay"
	"nacre/sim"
)

// stage is a part of a collection; its value is part of every episode's address.
type stage uint64

const (
	initial   stage = iota // z from the prior, before the first iteration
	prior                  // z from the prior
	posterior              // z from the encoder buffer, which grows trajectory by trajectory
	extra                  // z from the encoder buffer, which does not grow
)

// visit is one task's turn in a collection.
type visit struct {
	task  int
	index int // position in the collection
}

// address names an episode for all random streams: 24 bits of iteration, 3 of stage, 17 of visit, 20 of episode. The
// ranges of Config and maxTrain keep each within its bits.
func (v visit) address(iteration int, s stage, episode int) uint64 {
	return uint64(iteration)<<40 | uint64(s)<<37 | uint64(v.index)<<20 | uint64(episode)
}

// maxTrain is the largest number of train tasks: one visit each in the initial collection.
const maxTrain = 1 << 17

// Collect gathers the data of an iteration and returns the environment steps taken. Iteration 0 first takes
// InitialSteps of every train task under the prior. These steps also give the mean and deviation for standardised
// observations. Then TasksPerIteration train tasks are drawn with replacement and visited. A visit first clears the
// task's encoder buffer. It takes PriorSteps with z ~ N(0, I) and PosteriorSteps with z inferred from the encoder
// buffer before each trajectory. These steps go to both buffers. The visit then takes ExtraPosteriorSteps with z from
// the posterior, for the replay buffer only. The first trajectory of these extra steps has z from the prior, unless
// PosteriorFromStart is set. z is drawn again for every trajectory, and actions are stochastic. Trajectories are always
// whole, so there can be more steps than these counts.
//
// With CollectAhead the data of an iteration after the first may already be collected; see Ahead.
func (l *Learner) Collect(ctx context.Context, iteration int) (steps int, err error) {
	if l.ahead.has(iteration) {
		return l.ahead.commit(l.buf)
	}
	return l.collect(ctx, iteration, l.live())
}

// hands holds the networks with which a collection acts and the functions that take its data.
type hands struct {
	actor *actor.Actor
	infer *belief.Inference
	count func(feed.Record) // what was drawn for a context
	enc   func(task int) *replay.Task
	clear func(task int) error // before a visit
	add   func(task int, both bool, tr *sim.Trajectory) error
}

// live are the networks and buffers as they are.
func (l *Learner) live() hands {
	return hands{
		actor: l.actor, infer: l.infer, count: l.counted, clear: l.buf.ClearEnc,
		enc: func(task int) *replay.Task { return l.buf.Enc[task] },
		add: func(task int, both bool, tr *sim.Trajectory) error {
			if both {
				return l.buf.AddBoth(task, tr)
			}
			return l.buf.AddRL(task, tr)
		},
	}
}

func (l *Learner) collect(ctx context.Context, iteration int, h hands) (steps int, err error) {
	if iteration == 0 {
		visits := make([]visit, len(l.tasks))
		for i := range visits {
			visits[i] = visit{task: i, index: i}
		}
		if steps, err = l.take(ctx, h, iteration, initial, visits, l.cfg.InitialSteps); err != nil {
			return steps, err
		}
		if err = l.nets.view.fit(l.mem, l.buf); err != nil {
			return steps, err
		}
	}
	r := rng.New(l.seed, rng.Tasks, uint64(iteration))
	visits := make([]visit, l.cfg.TasksPerIteration)
	for i := range visits {
		visits[i] = visit{task: r.IntN(len(l.tasks)), index: i}
	}
	for _, wave := range waves(visits) {
		for _, v := range wave {
			if err := h.clear(v.task); err != nil {
				return steps, err
			}
		}
		for _, s := range []struct {
			stage stage
			need  int
		}{{prior, l.cfg.PriorSteps}, {posterior, l.cfg.PosteriorSteps}, {extra, l.cfg.ExtraPosteriorSteps}} {
			n, err := l.take(ctx, h, iteration, s.stage, wave, s.need)
			steps += n
			if err != nil {
				return steps, err
			}
		}
	}
	return steps, nil
}

// waves splits visits so that a task drawn twice is visited again only after its first visit is over. Within a
// wave visits share nothing and may advance side by side.
func waves(visits []visit) [][]visit {
	var out [][]visit
	turn := map[int]int{}
	for _, v := range visits {
		k := turn[v.task]
		turn[v.task]++
		if k == len(out) {
			out = append(out, nil)
		}
		out[k] = append(out[k], v)
	}
	return out
}

// take collects at least need steps for every visit, in rounds. A round has the number of trajectories that are needed
// even if all of them reach the horizon.
func (l *Learner) take(ctx context.Context, h hands, iteration int, s stage, visits []visit,
	need int) (steps int, err error) {
	left, taken := make([]int, len(visits)), make([]int, len(visits))
	for i := range left {
		left[i] = need
	}
	for {
		r, err := l.plan(h, iteration, s, visits, left, taken)
		if err != nil || len(r.episodes) == 0 {
			return steps, err
		}
		ts, err := l.pool.Rollout(ctx, r.episodes, policy(h.actor, r.z, l.seed, r.noise), l.spec.Horizon)
		if err != nil {
			return steps, err
		}
		for k := range ts {
			i := r.owner[k]
			left[i] -= ts[k].Len
			taken[i]++
			steps += ts[k].Len
			if err := h.add(visits[i].task, s != extra, &ts[k]); err != nil {
				return steps, err
			}
		}
	}
}

// round is a set of episodes to run together.
type round struct {
	owner    []int // position of each episode's visit
	episodes []sim.Episode
	z        [][]float64
	noise    []uint64 // address of each episode's action noise
}

// plan makes the next round, given the steps left and the trajectories taken of each visit; it is empty when no steps
// are left.
func (l *Learner) plan(h hands, iteration int, s stage, visits []visit, left, taken []int) (round, error) {
	var r round
	for i, v := range visits {
		n := (max(left[i], 0) + l.spec.Horizon - 1) / l.spec.Horizon
		if s == posterior {
			n = min(n, 1)
		}
		for k := range n {
			episode := taken[i] + k
			a := v.address(iteration, s, episode)
			z, err := l.latent(h, v, s, episode, a)
			if err != nil {
				return r, err
			}
			r.owner, r.z, r.noise = append(r.owner, i), append(r.z, z), append(r.noise, a)
			r.episodes = append(r.episodes,
				sim.Episode{Task: l.tasks[v.task], Seed: rng.New(l.seed, rng.Rollout, a).Uint64()})
		}
	}
	return r, nil
}

// latent draws the z an episode acts on.
func (l *Learner) latent(h hands, v visit, s stage, episode int, address uint64) ([]float64, error) {
	r := rng.New(l.seed, rng.Latent, address)
	g := belief.Prior(l.cfg.Latent)
	first := s == extra && episode == 0 && !l.cfg.PosteriorFromStart
	if s >= posterior && !first && h.enc(v.task).Len() > 0 {
		d := contextDraw(l.cfg, l.aux)
		c, width := l.dims.NewContext(d.N, l.cfg.NextObsInContext), l.nets.Encoder.Width()
		record, err := h.enc(v.task).DrawContext(r, d, l.cfg.NextObsInContext, c)
		if err != nil {
			return nil, err
		}
		h.count(record)
		q, err := h.infer.Posteriors([][]float32{c.Rows[:c.Valid()*width]})
		if err != nil {
			return nil, err
		}
		if l.cfg.Points {
			return q[0].Mean, nil
		}
		g = q[0]
	}
	return g.Sample(r), nil
}
