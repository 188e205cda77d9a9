package pearl

import (
	"slices"

	"nacre/internal/rng"
)

// MetricNames lists the names of the values that Metrics returns, in order.
func (l *Learner) MetricNames() []string {
	names := append(l.scalarNames(), l.diagnosticNames()...)
	if l.aux != nil {
		names = append(names, l.aux.MetricNames()...)
	}
	return names
}

func (l *Learner) diagnosticNames() []string {
	switch {
	case l.cfg.Points:
		return []string{"grad_encoder_aux"}
	case l.aux == nil:
		return []string{"grad_encoder_kl", "grad_encoder_q"}
	}
	return []string{"grad_encoder_kl", "grad_encoder_q", "grad_encoder_aux"}
}

// scalarNames lists the scalar outputs of the update program that are averaged over an iteration.
func (l *Learner) scalarNames() []string {
	names := []string{"kl", "q_loss", "v_loss", "policy_loss",
		"grad_encoder", "grad_q1", "grad_q2", "grad_v", "grad_policy"}
	if l.nets.critic == targetQ {
		names = slices.DeleteFunc(names, func(name string) bool { return name == "v_loss" || name == "grad_v" })
	}
	if l.cfg.Points {
		names = names[1:] // no KL
	}
	if l.nets.temperature != "fixed" {
		names = append(names, "alpha")
	}
	return names
}

// diagnostic is the update number whose random stream draws the data of an iteration's diagnostics.
const diagnostic = 1 << 40

// Metrics returns the means of the losses and gradient norms over the updates since the last call. Then come the parts
// of the encoder's gradient and the auxiliary loss's diagnostics, on a meta-batch drawn for them. The means start again
// after the call.
func (l *Learner) Metrics(iteration int, record func(name string, value float64)) error {
	if err := l.Settle(); err != nil {
		return err
	}
	for _, name := range l.scalarNames() {
		mean, _ := l.Means.Of(name)
		record(name, mean)
	}
	clear(l.Means)
	if err := l.Sample(rng.New(l.seed, rng.Replay, uint64(iteration), diagnostic)); err != nil {
		return err
	}
	if err := l.Write(l.diagnose, l.diagnose.Program); err != nil {
		return err
	}
	if err := l.diagnose.Run(); err != nil {
		return err
	}
	var norm [1]float64
	for _, name := range l.diagnosticNames() {
		if err := l.diagnose.Read64(name, norm[:]); err != nil {
			return err
		}
		record(name, norm[0])
	}
	if l.aux != nil {
		return l.aux.Diagnose(l.diagnose.Runner, record)
	}
	return nil
}
