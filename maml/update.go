package maml

import (
	"fmt"
	"io"
	"math"
	"slices"

	"nacre/core"
)

// Update makes the meta-update of an iteration from the batches that Collect left: a trust region step (Schulman et al.
// 2015) of θ on the mean over tasks of the meta-objective, within a mean divergence of the adapted policies.
func (l *Learner) Update(iteration, _ int) error {
	if !l.collected {
		return fmt.Errorf("maml: iteration %d has no batches to learn from: collect them first", iteration)
	}
	theta, err := l.theta()
	if err != nil {
		return err
	}
	loss, gradient, err := l.metaGradient(len(theta))
	if err != nil {
		return err
	}
	norm := math.Sqrt(inner2(gradient, gradient))
	if math.IsNaN(norm+loss) || math.IsInf(norm+loss, 0) {
		return fmt.Errorf("maml: at iteration %d the meta-objective became %v and its gradient's norm %v", iteration, loss, norm)
	}
	direction, err := conjugateGradient(l.curvature, gradient, l.cfg.CGIterations, l.cfg.CGResidual)
	if err != nil {
		return err
	}
	product := make([]float64, len(theta))
	if err := l.curvature(direction, product); err != nil {
		return err
	}
	length := stepLength(l.cfg.MaxKL, inner2(direction, product))
	for i := range direction {
		direction[i] *= length
	}
	found, err := l.cfg.lineSearch(theta, direction, loss, l.evaluate)
	if err != nil {
		return err
	}
	if err := l.model.policy.Each(found.theta, l.mem.Write); err != nil {
		return err
	}
	l.collected = false
	l.note(loss, norm, found)
	return nil
}

// metaGradient is the meta-objective at θ and its gradient, means over the tasks. It leaves the adapted policies in
// l.old.
func (l *Learner) metaGradient(size int) (loss float64, gradient []float64, err error) {
	gradient, part := make([]float64, size), make([]float64, size)
	share := 1 / float64(len(l.after))
	for i := range l.after {
		if err := l.runTask(l.gradient, i); err != nil {
			return 0, nil, err
		}
		x, err := scalar(l.gradient, "loss")
		if err != nil {
			return 0, nil, err
		}
		if err := l.model.policy.Each(part, l.gradient.Read64); err != nil {
			return 0, nil, err
		}
		if err := l.gradient.Read("mean", l.old[i].mean); err != nil {
			return 0, nil, err
		}
		if err := l.gradient.Read("log_std", l.old[i].logStd); err != nil {
			return 0, nil, err
		}
		loss += share * x
		add(gradient, share, part)
	}
	return loss, gradient, nil
}

// curvature writes (H + damping·1)·v to out, H the Hessian at θ of the divergence, mean over the tasks.
func (l *Learner) curvature(v, out []float64) error {
	err := l.model.policy.Each(v, func(name string, part []float64) error { return l.hessian.Write64(vector+name, part) })
	if err != nil {
		return err
	}
	clear(out)
	part := make([]float64, len(v))
	for i := range l.after {
		if err := l.runTask(l.hessian, i); err != nil {
			return err
		}
		if err := l.model.policy.Each(part, l.hessian.Read64); err != nil {
			return err
		}
		add(out, 1/float64(len(l.after)), part)
	}
	add(out, l.cfg.CGDamping, v)
	return nil
}

// evaluate is the meta-objective and the divergence at another θ, which it leaves in memory.
func (l *Learner) evaluate(theta []float64) (at point, err error) {
	if err := l.model.policy.Each(theta, l.mem.Write); err != nil {
		return at, err
	}
	share := 1 / float64(len(l.after))
	for i := range l.after {
		if err := l.objective.Write("old/mean", l.old[i].mean); err != nil {
			return at, err
		}
		if err := l.objective.Write("old/log_std", l.old[i].logStd); err != nil {
			return at, err
		}
		if err := l.runTask(l.objective, i); err != nil {
			return at, err
		}
		loss, err := scalar(l.objective, "loss")
		if err != nil {
			return at, err
		}
		kl, err := scalar(l.objective, "kl")
		if err != nil {
			return at, err
		}
		at.loss, at.kl = at.loss+share*loss, at.kl+share*kl
	}
	return at, nil
}

// runTask runs a program on both batches of task i.
func (l *Learner) runTask(run core.Runner, i int) error {
	if err := l.before[i].Write(run, before, batchInputs...); err != nil {
		return err
	}
	names := batchInputs
	if run == l.hessian { // the divergence has no use for actions and advantages
		names = []string{"obs", "weight"}
	}
	if err := l.after[i].Write(run, after, names...); err != nil {
		return err
	}
	return run.Run()
}

// note keeps what Metrics reports of a meta-update.
func (l *Learner) note(loss, norm float64, found search) {
	l.metrics["loss_before"], l.metrics["loss_after"] = loss, found.at.loss
	l.metrics["kl"], l.metrics["grad_norm"] = found.at.kl, norm
	l.metrics["step"] = 0
	if found.accepted {
		l.metrics["step"] = math.Pow(l.cfg.Backtrack, float64(found.evaluated-1))
	}
	var std float64
	n := l.spec.ActDim
	for _, x := range found.theta[len(found.theta)-n:] {
		std += math.Exp(x) / l.cfg.ActionScale / float64(n)
	}
	l.metrics["std"] = std
}

// MetricNames lists what Metrics reports, in order: mean returns before and after the inner step, the inner loss, the
// meta-objective before and after the meta-update, its mean KL, the share of the full step that the line search took (0:
// none), the norm of the meta-gradient and the mean standard deviation of the policy.
func (l *Learner) MetricNames() []string {
	return []string{"return_before", "return_after", "inner_loss", "loss_before", "loss_after", "kl", "step", "grad_norm", "std"}
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
	for _, b := range slices.Concat(l.before, l.after) {
		if err := b.Encode(w); err != nil {
			return err
		}
	}
	return nil
}

// loadBatches is called after the part that says whether there are any.
func (l *Learner) loadBatches(r io.Reader) error {
	if !l.collected {
		return nil
	}
	for _, b := range slices.Concat(l.before, l.after) {
		if err := b.Decode(r); err != nil {
			return err
		}
	}
	return nil
}
