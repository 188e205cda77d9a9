package maml

import (
	"errors"
	"fmt"
	"math"

	"nacre/core"
	"nacre/rl/onpolicy"
)

// MetaUpdate is the outer step alone: a trust region step (Schulman et al. 2015) of θ on the mean over tasks of the
// meta-objective, within a mean divergence of the adapted policies. The caller gives it batches, which a Learner
// collects.
//
//	u, err := maml.NewMetaUpdate(device, memory, policy, config, horizon)
//	defer u.Close()
//	err = u.Before(i).Set(paths) // of every task i of the meta-batch, under θ
//	err = u.After(i).Set(paths)  // and under its θ'
//	outcome, err := u.Step()
type MetaUpdate struct {
	m                            model
	mem                          core.Memory
	gradient, hessian, objective core.Runner
	before, after                []*onpolicy.Batch // by task of the meta-batch
	old                          []old             // by task: the adapted policy before the step
	work                         []int64           // FLOPs of the programs, in this order
}

// old is an adapted policy on its batch: its parts by name.
type old map[string][]float64

func (m model) newOld() old {
	o := old{}
	for _, part := range m.policy.Parts(m.rows()) {
		o[part.Name] = make([]float64, part.Rows*part.Cols)
	}
	return o
}

// Outcome is the result of a step.
type Outcome struct {
	LossBefore, LossAfter float64
	KL                    float64 // mean divergence of the adapted policies, old to new
	GradNorm              float64 // norm of the meta-gradient
	Step                  float64 // share of the full step that the line search took; 0: none
	Products, Evaluated   int     // numbers of Hessian-vector products and of points of the line search
}

// NewMetaUpdate loads the programs for batches of c.Episodes paths of at most horizon steps for each of c.MetaBatch
// tasks. The policy's parameters are in mem.
func NewMetaUpdate(d core.Device, mem core.Memory, policy onpolicy.Policy, c Config, horizon int) (*MetaUpdate, error) {
	u := &MetaUpdate{m: model{policy: policy, cfg: c, paths: c.Episodes, horizon: horizon}, mem: mem}
	for range c.MetaBatch {
		u.before, u.after = append(u.before, u.m.newBatch()), append(u.after, u.m.newBatch())
		u.old = append(u.old, u.m.newOld())
	}
	var err error
	u.work, err = core.LoadAll(d, mem,
		core.Loading{Run: &u.gradient, Make: u.m.gradientProgram},
		core.Loading{Run: &u.hessian, Make: u.m.hessianProgram},
		core.Loading{Run: &u.objective, Make: u.m.objectiveProgram})
	if err != nil {
		return nil, errors.Join(err, u.Close())
	}
	return u, nil
}

func (m model) newBatch() *onpolicy.Batch {
	return onpolicy.NewBatch(m.paths, m.horizon, m.policy.Net.In, m.policy.Net.Out)
}

// Close frees the programs.
func (u *MetaUpdate) Close() error { return core.CloseAll(u.gradient, u.hessian, u.objective) }

// Before is the batch of task i of the meta-batch under θ; the inner step is taken on it.
func (u *MetaUpdate) Before(i int) *onpolicy.Batch { return u.before[i] }

// After is the batch of task i under its θ'.
func (u *MetaUpdate) After(i int) *onpolicy.Batch { return u.after[i] }

// Step moves θ in memory. If the line search finds nothing better, θ stays as it was.
func (u *MetaUpdate) Step() (Outcome, error) {
	theta, err := u.theta()
	if err != nil {
		return Outcome{}, err
	}
	loss, gradient, err := u.metaGradient(len(theta))
	if err != nil {
		return Outcome{}, err
	}
	norm := math.Sqrt(innerProduct(gradient, gradient))
	if math.IsNaN(norm+loss) || math.IsInf(norm+loss, 0) {
		return Outcome{}, fmt.Errorf("maml: the meta-objective became %v and its gradient's norm %v", loss, norm)
	}
	products := 0
	curvature := func(v, out []float64) error {
		products++
		return u.curvature(v, out)
	}
	direction, err := conjugateGradient(curvature, gradient, u.m.cfg.CGIterations, u.m.cfg.CGResidual)
	if err != nil {
		return Outcome{}, err
	}
	product := make([]float64, len(theta))
	if err := curvature(direction, product); err != nil {
		return Outcome{}, err
	}
	length := stepLength(u.m.cfg.MaxKL, innerProduct(direction, product))
	for i := range direction {
		direction[i] *= length
	}
	found, err := u.m.cfg.lineSearch(theta, direction, loss, u.evaluate)
	if err != nil {
		return Outcome{}, err
	}
	if err := u.m.policy.Each(found.theta, u.mem.Write); err != nil {
		return Outcome{}, err
	}
	out := Outcome{LossBefore: loss, LossAfter: found.at.loss, KL: found.at.kl, GradNorm: norm, Products: products,
		Evaluated: found.evaluated}
	if found.accepted {
		out.Step = math.Pow(u.m.cfg.Backtrack, float64(found.evaluated-1))
	}
	return out, nil
}

// FLOPs counts the work of a step in matrix products, 2 per multiply-add.
func (u *MetaUpdate) FLOPs(o Outcome) int64 {
	return int64(len(u.after)) * (u.work[0] + int64(o.Products)*u.work[1] + int64(o.Evaluated)*u.work[2])
}

// theta reads the policy's parameters.
func (u *MetaUpdate) theta() ([]float64, error) {
	x := make([]float64, u.m.policy.Size())
	return x, u.m.policy.Each(x, u.mem.Read)
}

// metaGradient returns the meta-objective at θ and its gradient, both means over the tasks. It leaves the adapted
// policies in u.old.
func (u *MetaUpdate) metaGradient(size int) (loss float64, gradient []float64, err error) {
	gradient, part := make([]float64, size), make([]float64, size)
	share := 1 / float64(len(u.after))
	for i := range u.after {
		if err := u.runTask(u.gradient, i); err != nil {
			return 0, nil, err
		}
		x, err := scalar(u.gradient, "loss")
		if err != nil {
			return 0, nil, err
		}
		if err := u.m.policy.Each(part, u.gradient.Read64); err != nil {
			return 0, nil, err
		}
		for name, part := range u.old[i] {
			if err := u.gradient.Read64(name, part); err != nil {
				return 0, nil, err
			}
		}
		loss += share * x
		add(gradient, share, part)
	}
	return loss, gradient, nil
}

// curvature writes (H + damping·1)·v to out. H is the Hessian of the divergence at θ, mean over the tasks.
func (u *MetaUpdate) curvature(v, out []float64) error {
	err := u.m.policy.Each(v, func(name string, part []float64) error { return u.hessian.Write64(vector+name, part) })
	if err != nil {
		return err
	}
	clear(out)
	part := make([]float64, len(v))
	for i := range u.after {
		if err := u.runTask(u.hessian, i); err != nil {
			return err
		}
		if err := u.m.policy.Each(part, u.hessian.Read64); err != nil {
			return err
		}
		add(out, 1/float64(len(u.after)), part)
	}
	add(out, u.m.cfg.CGDamping, v)
	return nil
}

// evaluate returns the meta-objective and the divergence at another θ, which it leaves in memory.
func (u *MetaUpdate) evaluate(theta []float64) (at point, err error) {
	if err := u.m.policy.Each(theta, u.mem.Write); err != nil {
		return at, err
	}
	share := 1 / float64(len(u.after))
	for i := range u.after {
		for name, part := range u.old[i] {
			if err := u.objective.Write64(earlier+name, part); err != nil {
				return at, err
			}
		}
		if err := u.runTask(u.objective, i); err != nil {
			return at, err
		}
		loss, err := scalar(u.objective, "loss")
		if err != nil {
			return at, err
		}
		kl, err := scalar(u.objective, "kl")
		if err != nil {
			return at, err
		}
		at.loss, at.kl = at.loss+share*loss, at.kl+share*kl
	}
	return at, nil
}

// runTask runs a program on both batches of task i.
func (u *MetaUpdate) runTask(run core.Runner, i int) error {
	if err := u.before[i].Write(run, before, batchInputs...); err != nil {
		return err
	}
	names := batchInputs
	if run == u.hessian { // the divergence uses no actions and advantages
		names = []string{"obs", "weight"}
	}
	if err := u.after[i].Write(run, after, names...); err != nil {
		return err
	}
	return run.Run()
}

// entropy is the mean entropy of the adapted categorical policies before the last Step, on the steps of their batches.
func (u *MetaUpdate) entropy() (mean float64) {
	n := u.m.policy.Net.Out
	for i, o := range u.old {
		for row, w := range u.after[i].Weight {
			if w > 0 {
				mean += float64(w) * onpolicy.EntropyOf(u.m.policy.Choices, o["logits"][row*n:(row+1)*n])
			}
		}
	}
	return mean / float64(len(u.old))
}
