package pearl

import (
	"nacre/core"
	"nacre/core/feed"
	"nacre/internal/rng"
	"nacre/rl/benchmark"
	"nacre/rl/replay"
	"nacre/rl/replay/feeding"
	"nacre/sim"
)

// Drawing is the recipe of the data that training draws for such an update. The replay has as many tasks as the update.
func (y *Benchmark) Drawing() feed.Recipe { return feedPlan(y.config, y.nets, y.aux, benchTasks) }

// Draw loads the update with data that the device draws itself, from a replay of two trajectories of every task. It
// returns nil if the device cannot draw. It updates the same parameters.
func (y *Benchmark) Draw() (benchmark.Burst, error) {
	plan := y.Drawing()
	buf, err := replay.NewBuffer(replay.Dims{Obs: y.size.Obs, Act: y.size.Act}, benchTasks, 2*benchBatch)
	if err != nil {
		return nil, err
	}
	plan.Capacity = 2 * benchBatch
	for i := range 2 * benchTasks {
		stream := uint64(100 + 10*i)
		tr := sim.Trajectory{Len: benchBatch, Obs: floats(rng.Normal(stream, (benchBatch+1)*y.size.Obs)),
			Act:    floats(rng.Uniform(stream+1, benchBatch*y.size.Act, -1, 1)),
			Reward: floats(rng.Normal(stream+2, benchBatch))}
		tr.CtxReward = tr.Reward
		if err := buf.AddBoth(i/2, &tr); err != nil {
			return nil, err
		}
	}
	b := &burst{way: feeding.Way{Note: func(feeding.Update) error { return nil }}}
	b.data, err = feeding.New(y.device, y.mem, plan, func() [][]*replay.Task {
		return [][]*replay.Task{storeRL: buf.RL, storeEnc: buf.Enc}
	})
	if b.data == nil || err != nil {
		return nil, err
	}
	run, err := b.data.Load(y.program, []string{"q_loss"})
	if err != nil {
		b.Close()
		return nil, err
	}
	b.way.Run = func(int) core.Runner { return run }
	return b, nil
}

func floats(x []float64) []float32 {
	out := make([]float32, len(x))
	for i := range x {
		out[i] = float32(x[i])
	}
	return out
}

// burst makes updates as training does.
type burst struct {
	data *feeding.Feed
	way  feeding.Way
	made int
}

func (b *burst) Make(n int) error {
	for n > 0 {
		chunk := min(n, b.data.Chunk())
		if err := b.data.Make(1, 0, b.made, chunk, b.way); err != nil {
			return err
		}
		n, b.made = n-chunk, b.made+chunk
	}
	return b.data.Hear(true, b.way.Note)
}

// Runner is the program on data that the device draws.
func (b *burst) Runner() core.Runner { return b.way.Run(0) }

func (b *burst) Close() error { return b.data.Close() }
