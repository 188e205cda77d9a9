package maml

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// Update makes the meta-update of an iteration from the batches of Collect.
func (l *Learner) Update(iteration, _ int) error {
	if !l.collected {
		return fmt.Errorf("maml: iteration %d has no batches to learn from: collect them first", iteration)
	}
	o, err := l.meta.Step()
	if err != nil {
		return fmt.Errorf("iteration %d: %w", iteration, err)
	}
	l.collected = false
	for name, x := range map[string]float64{
		"loss_before": o.LossBefore, "loss_after": o.LossAfter, "kl": o.KL, "grad_norm": o.GradNorm, "step": o.Step,
	} {
		l.metrics[name] = x
	}
	if l.spec.Discrete() {
		l.metrics["entropy"] = l.meta.entropy()
		return nil
	}
	logStd := make([]float64, l.spec.ActDim)
	if err := l.mem.Read(l.model.policy.LogStd().Name, logStd); err != nil {
		return err
	}
	l.metrics["std"] = 0
	for _, x := range logStd {
		l.metrics["std"] += max(math.Exp(x), l.cfg.MinStd) / l.cfg.ActionScale / float64(len(logStd))
	}
	return nil
}

// MetricNames lists what Metrics reports, in order: mean returns before and after the inner step, the inner loss, the
// meta-objective before and after the meta-update, its mean KL, the share of the full step that the line search took
// (0: none), the norm of the meta-gradient and the mean standard deviation of the policy. If actions are discrete, the
// last is the mean entropy of the adapted policies before the meta-update.
func (l *Learner) MetricNames() []string {
	last := "std"
	if l.spec.Discrete() {
		last = "entropy"
	}
	return []string{"return_before", "return_after", "inner_loss", "loss_before", "loss_after", "kl", "step",
		"grad_norm", last}
}

// Metrics reports the running iteration.
func (l *Learner) Metrics(_ int, record func(name string, value float64)) error {
	for _, name := range l.MetricNames() {
		record(name, l.metrics[name])
	}
	clear(l.metrics)
	return nil
}

func (l *Learner) saveBatches(w io.Writer) error {
	if !l.collected {
		return nil
	}
	for _, b := range slices.Concat(l.meta.before, l.meta.after) {
		if err := b.Encode(w); err != nil {
			return err
		}
	}
	return nil
}

// loadBatches is called after the part of the checkpoint that says whether there are batches.
func (l *Learner) loadBatches(r io.Reader) error {
	if !l.collected {
		return nil
	}
	for _, b := range slices.Concat(l.meta.before, l.meta.after) {
		if err := b.Decode(r); err != nil {
			return err
		}
	}
	return nil
}
