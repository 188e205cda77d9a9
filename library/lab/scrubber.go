package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"nacre/experiment"
	"nacre/library/cell"
	"nacre/library/display"
	"nacre/rl/protocol"
	"nacre/sim/playback"
	"nacre/sim/recording"
	"nacre/tsne"
)

// Keep keeps the agent every so many iterations; Scrubber shows these agents. A run that exists already is not trained
// again for them.
func Keep(iterations int) Option { return func(p *plan) { p.keep = iterations } }

// Scrubber shows the run at each checkpoint that Keep kept: the embedding of contexts of several tasks, an adapted
// episode on each of these tasks, and their returns as curves. The contexts are the same at all checkpoints: those of
// the agent at the end. So a point is the same context at every checkpoint. Each layout starts from the layout of the
// next checkpoint. Without o there are 40 contexts of each of 8 tasks. At most one o is given.
func (r *Run) Scrubber(o ...experiment.EmbedOptions) (display.Scrubber, error) {
	s := display.Scrubber{Title: r.Title(), Curves: display.NewCurves("", "iterations", "return after adaptation")}
	var options experiment.EmbedOptions
	for _, options = range o {
	}
	options.Windows = cmp.Or(options.Windows, 40)
	kept, err := experiment.Kept(r.Dir)
	if err != nil {
		return s, err
	}
	if len(kept) == 0 {
		return s, fmt.Errorf("lab: %s keeps no checkpoints to scrub over; train with lab.Keep(1) and another Folder",
			r.Dir)
	}
	var contexts *experiment.Contexts
	err = r.agent(func(a *experiment.Agent) error {
		list, err := a.Contexts(cell.Context(), options, experiment.WindowContext)
		if err == nil {
			contexts = list[0]
		}
		return err
	})
	// The layout of the end comes first: those before start from it, rather than from one of an encoder that tells
	// nothing apart.
	s.Checkpoints = make([]display.Checkpoint, len(kept))
	returns := make([][]float64, len(kept))
	var layout *tsne.Layout
	for k, iteration := range slices.Backward(kept) {
		if err != nil {
			return s, err
		}
		var a *experiment.Agent
		if a, err = experiment.LoadKept(r.Dir, iteration, r.host); err != nil {
			return s, err
		}
		s.Checkpoints[k], layout, returns[k], err = r.checkpoint(cell.Context(), a, contexts, layout, iteration)
		err = errors.Join(err, a.Close())
	}
	if err != nil {
		return s, err
	}
	for k, iteration := range kept {
		for task, v := range returns[k] {
			s.Curves.Add(contexts.Names[task], float64(iteration), v)
		}
	}
	return s, nil
}

// checkpoint is an agent's embedding of contexts, its layout begun at another, and its episodes on their tasks with
// their returns.
func (r *Run) checkpoint(ctx context.Context, a *experiment.Agent, contexts *experiment.Contexts, from *tsne.Layout,
	iteration int) (c display.Checkpoint, layout *tsne.Layout, returns []float64, err error) {
	c = display.Checkpoint{Name: fmt.Sprint("iteration ", iteration), At: float64(iteration)}
	e, err := a.EmbedContexts(contexts)
	if err != nil {
		return c, nil, nil, err
	}
	fit := []tsne.Option{tsne.WithPerplexity(min(30, tsne.LargestPerplexity(e.Mean.Rows)))}
	if from != nil {
		fit = append(fit, tsne.WithInit(from.Y))
	}
	layout, err = tsne.New(fit...).Fit(ctx, e.Mean)
	if err != nil {
		return c, nil, nil, err
	}
	c.Embedding = display.Embedding{Title: c.Name, Points: layout.Y, Label: e.Label, Names: e.Names, Vectors: e.Mean}
	rec := recording.Recorder{Family: a.Family}
	p := a.Config.Evaluation.Protocol
	p.Repeats, p.CarryBelief = 1, false // side by side, each from the prior: the recorder keeps the last round
	result, err := protocol.Evaluate(ctx, &rec, contexts.Tasks, p, a.Learner.Adapter(), r.cfg.Seed)
	if err = errors.Join(err, rec.Close()); err != nil {
		return c, nil, nil, err
	}
	for _, task := range result.Tasks {
		sum := 0.0
		for _, v := range task.Return[0][p.Explore:] {
			sum += v
		}
		returns = append(returns, sum/float64(p.Scored))
	}
	if _, err := playback.Of(&rec.Recordings[0]); err == nil { // families that cannot be drawn have no film
		c.Rollout = &display.Rollout{Title: c.Name, Episodes: rec.Recordings, Labels: contexts.Names}
	}
	return c, layout, returns, nil
}
