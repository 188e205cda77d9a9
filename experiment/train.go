package experiment

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"nacre/experiment/progress"
	"nacre/experiment/tfevents"
	"nacre/internal/atomicfile"
	"nacre/rl"
	"nacre/rl/protocol"
	"nacre/sim"
)

// EvaluationFile holds the last evaluation of a finished run: every trajectory of every test task.
const EvaluationFile = "evaluation.json"

// Training is an agent that is trained in a run folder.
type Training struct {
	*Agent
	run     *Run
	at      place
	metrics *Metrics
	timing  *Metrics
	events  *tfevents.Writer

	policyTime time.Duration // time spent in the policy until the end of the last iteration
	found      string        // what the run was resumed from
	before     Config        // configuration of the run when it was opened
	every      int           // interval of iterations at which weights are stored; 0 for none
	states     int           // interval of iterations at which checkpoints are stored; 0 for none
}

// place is the place of a training in its schedule, with the positions of its files.
type place struct {
	Iteration int
	Phase     phase
	Update    int // updates made within the iteration
	EnvSteps  int64
	Updates   int64
	Metrics   Position
	Timing    Position
}

// phase is a part of an iteration.
type phase int

const (
	collecting phase = iota
	updating
	reporting
)

// Start makes a new run folder and an agent to train in it.
func Start(dir string, cfg Config, host Host) (*Training, error) {
	a, err := NewAgent(cfg, host)
	if err != nil {
		return nil, err
	}
	if err := a.fits(room()); err != nil {
		a.Close()
		return nil, err
	}
	run, err := Create(dir)
	if err != nil {
		a.Close()
		return nil, err
	}
	t := &Training{Agent: a, run: run, every: host.Keep, states: host.KeepState}
	if err := t.begin(host); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

func (t *Training) begin(host Host) (err error) {
	if _, err = t.run.Begin(t.Config, t.session(host)); err != nil {
		return err
	}
	if err = t.run.WriteTasks(t.Spec.Name, t.TrainTasks, t.TestTasks); err != nil {
		return err
	}
	if t.metrics, err = NewMetrics(t.run.Path(MetricsFile), t.columns()...); err != nil {
		return err
	}
	if t.timing, err = NewMetrics(t.run.Path(TimingFile), timingColumns...); err != nil {
		return err
	}
	t.events, err = tfevents.Create(t.run.Dir)
	return err
}

// Done reports whether the schedule is complete.
func (t *Training) Done() bool { return t.complete(t.at.Iteration) }

// complete reports whether this number of iterations ends the schedule, given the environment steps taken.
func (t *Training) complete(iterations int) bool {
	if t.Config.EnvSteps > 0 {
		return t.at.EnvSteps >= t.Config.EnvSteps
	}
	return iterations >= t.iterations()
}

func (t *Training) iterations() int {
	n, _ := t.algorithm.Schedule(t.Config)
	return n
}

// Train runs the rest of the schedule, evaluates, and leaves weights, checkpoint and evaluation.json in the folder. If
// the run is already complete, Train only makes sure that these files are there. If ctx is cancelled, Train stops after
// the update or collection under way, saves a checkpoint, and returns an error that wraps ctx's cause. In the first
// collection it stops at once and has nothing to save. If physics or a loss is no longer a number, Train stops with an
// error that says where, and the last checkpoint stays. The record in the folder says how the training ended. If p is
// nil, Train shows no progress.
func (t *Training) Train(ctx context.Context, p progress.Progress) error {
	if p == nil {
		p = progress.Silent()
	}
	if t.evaluated() {
		return t.run.ended(EndedFinished)
	}
	err := t.train(ctx, p)
	cause := context.Cause(ctx)
	switch {
	case err == nil:
		return t.run.ended(EndedFinished)
	case errors.Is(err, errUnsaved), cause == nil, !errors.Is(err, cause) && !errors.Is(err, ctx.Err()):
		return errors.Join(err, t.run.ended(EndedFailed+err.Error()))
	}
	how := EndedInterrupted
	if strings.HasPrefix(cause.Error(), how) { // the cause may already begin with it
		how = cause.Error()
	}
	return errors.Join(err, t.run.ended(how))
}

// evaluated reports whether nothing is left to do.
func (t *Training) evaluated() bool {
	if !t.Done() || !t.run.Has(EvaluationFile) {
		return false
	}
	says, err := t.run.evaluationFault()
	return err == nil && says == ""
}

func (t *Training) train(ctx context.Context, p progress.Progress) error {
	stage := p.Stage(t.title(), t.updatesLeft())
	defer stage.Done()
	for !t.Done() {
		if err := t.iteration(ctx, stage); err != nil {
			if cause := context.Cause(ctx); cause != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, cause)) {
				return t.interrupted(cause)
			}
			return fmt.Errorf("%w; %s", err, t.kept())
		}
	}
	result, err := t.evaluate(ctx, t.at.Iteration-1)
	if err != nil {
		return err
	}
	if err := t.run.Held(); err != nil {
		return err
	}
	return atomicfile.WriteJSON(t.run.Path(EvaluationFile), result)
}

// kept says which files of the run are left after a failure.
func (t *Training) kept() string {
	switch {
	case t.run.Has(CheckpointFile):
		return t.run.Dir + " keeps the last checkpoint"
	case t.run.Has(ConfigFile):
		return t.run.Dir + " has no checkpoint yet: the run begins anew when it is resumed"
	}
	return "there is no run in " + t.run.Dir + " any more"
}

// updatesLeft returns 0 if environment steps end the schedule, because the number of updates is then not known before.
func (t *Training) updatesLeft() int {
	if t.Config.EnvSteps > 0 {
		return 0
	}
	iterations, perIteration := t.algorithm.Schedule(t.Config)
	return (iterations-t.at.Iteration)*perIteration - t.at.Update
}

// unsaved reports whether the first collection is incomplete. Before its end a run has nothing to save.
func (t *Training) unsaved() bool { return t.at.Iteration == 0 && t.at.Phase == collecting }

// interrupted saves the state after ctx was cancelled for the given cause.
func (t *Training) interrupted(cause error) error {
	if t.unsaved() {
		return fmt.Errorf("%w in the first collection, before which there is nothing to save: continued, the run "+
			"begins anew, with the same numbers", cause)
	}
	at := t.where()
	if err := t.save(); err != nil {
		return fmt.Errorf("%w %s, and the %w: %w; %s", cause, at, errUnsaved, err, t.kept())
	}
	return fmt.Errorf("%w %s, checkpoint saved", cause, at)
}

var errUnsaved = errors.New("checkpoint could not be saved")

// where says at which point of the schedule the training is.
func (t *Training) where() string {
	if t.Config.EnvSteps > 0 {
		return fmt.Sprintf("after %d of %d environment steps", t.at.EnvSteps, t.Config.EnvSteps)
	}
	return fmt.Sprintf("after %d of %d iterations", t.at.Iteration, t.iterations())
}

func (t *Training) title() string {
	return fmt.Sprintf("%s on %s, seed %d", t.Config.Algorithm, t.Spec.Name, t.Config.Seed)
}

// iteration does the rest of the iteration under way.
func (t *Training) iteration(ctx context.Context, stage progress.Stage) error {
	clock := stopwatch{last: time.Now()}
	if t.at.Phase == collecting {
		// A collection changes the buffers, so it is never left half done. The first collection is an exception. It is
		// by far the longest, and before its end there is nothing to save. So stopping in it loses nothing else.
		until := context.WithoutCancel(ctx)
		if t.unsaved() {
			until = ctx
		}
		steps, err := t.Learner.Collect(until, t.at.Iteration)
		if err != nil {
			return err
		}
		t.at.EnvSteps += int64(steps)
		t.at.Phase, t.at.Update = updating, 0
		clock.lap("collect_s")
		// The first collection is the longest. A run that fails in its first updates would otherwise leave no
		// checkpoint to examine.
		if t.at.Iteration == 0 {
			if err := errors.Join(t.save(), t.keep(false)); err != nil {
				return err
			}
		}
	}
	updates := t.updates()
	ahead, _ := t.Learner.(rl.Ahead)
	if ahead != nil && t.at.Phase == updating && !t.complete(t.at.Iteration+1) {
		if err := ahead.Ahead(t.at.Iteration + 1); err != nil {
			return err
		}
	}
	for t.at.Phase == updating {
		if err := ctx.Err(); err != nil {
			return err
		}
		if t.at.Update == updates {
			t.at.Phase = reporting
			break
		}
		n, err := t.update(updates - t.at.Update)
		if err != nil {
			return err
		}
		t.at.Update += n
		t.at.Updates += int64(n)
		stage.Add(n)
	}
	if b, ok := t.Learner.(rl.Bulk); ok {
		if err := b.Settle(); err != nil {
			return err
		}
	}
	if ahead != nil {
		if err := ahead.AwaitAhead(); err != nil {
			return err
		}
	}
	clock.lap("update_s")
	return t.report(ctx, stage, &clock)
}

// update makes the next update. A learner that makes several at a time makes several, at most left.
func (t *Training) update(left int) (n int, err error) {
	if b, ok := t.Learner.(rl.Bulk); ok && b.Chunk() > 1 {
		n = min(left, b.Chunk())
		return n, b.UpdateMany(t.at.Iteration, t.at.Update, n)
	}
	return 1, t.Learner.Update(t.at.Iteration, t.at.Update)
}

// updates is the number of gradient updates in the iteration under way.
func (t *Training) updates() int {
	if p, ok := t.Learner.(rl.Pacer); ok {
		return p.Updates(t.at.Iteration)
	}
	_, n := t.algorithm.Schedule(t.Config)
	return n
}

// evaluate evaluates the agent after an iteration, on the test tasks whose turn it is.
func (t *Training) evaluate(ctx context.Context, iteration int) (protocol.Result, error) {
	e := t.Config.Evaluation
	k := (iteration + e.Every - 1) / e.Every // number of evaluations before it
	return t.Evaluate(ctx, e.Protocol.Turn(t.TestTasks, k), e.Protocol, t.Config.Seed)
}

// report ends an iteration with an evaluation if it is due, a row of metrics, and a checkpoint if it is due.
func (t *Training) report(ctx context.Context, stage progress.Stage, clock *stopwatch) error {
	last := t.complete(t.at.Iteration + 1)
	var result *protocol.Result
	if last || t.at.Iteration%t.Config.Evaluation.Every == 0 {
		r, err := t.evaluate(ctx, t.at.Iteration)
		if err != nil {
			return err
		}
		result = &r
		stage.Describe(fmt.Sprintf("adapted return %.4g", r.Summary.Adapted.Mean))
	}
	clock.lap("evaluate_s")
	row := Row{"iteration": float64(t.at.Iteration), "env_steps": float64(t.at.EnvSteps),
		"updates": float64(t.at.Updates)}
	if result != nil {
		for i, r := range result.Summary.Return {
			row[returnColumn(i)] = r.Mean
		}
		row["adapted_return"], row["adapted_success"] = result.Summary.Adapted.Mean, result.Summary.AdaptedSuccess.Mean
	}
	if err := t.Learner.Metrics(t.at.Iteration, func(name string, v float64) { row[name] = v }); err != nil {
		return err
	}
	if err := t.run.Held(); err != nil {
		return err
	}
	if err := errors.Join(t.metrics.Write(row), t.events.Scalars(t.at.EnvSteps, row)); err != nil {
		return err
	}
	t.at.Iteration, t.at.Phase, t.at.Update = t.at.Iteration+1, collecting, 0
	clock.row["iteration"] = row["iteration"]
	if p, ok := t.Learner.(rl.Timed); ok && len(t.timing.columns) > policyColumn {
		now := p.PolicyTime()
		clock.row[timingColumns[policyColumn]] = (now - t.policyTime).Seconds() / float64(t.pool.Workers())
		t.policyTime = now
	}
	if err := errors.Join(t.timing.Write(clock.row), t.keep(last), t.keepState()); err != nil {
		return err
	}
	if last || t.at.Iteration%t.Config.CheckpointEvery == 0 {
		return t.save()
	}
	return nil
}

// columns returns the columns of metrics.csv.
func (t *Training) columns() []string {
	c := append([]string{"iteration", "env_steps", "updates"}, t.returns()...)
	c = append(c, "adapted_return", "adapted_success")
	return append(c, t.Learner.MetricNames()...)
}

func returnColumn(traj int) string { return fmt.Sprintf("return_%d", traj) }

// timingColumns are the wall times of an iteration's parts, in seconds. The last column is the time in the policy, per
// worker, which is part of collection and evaluation. The rest of collection is simulation.
var timingColumns = []string{"iteration", "collect_s", "update_s", "evaluate_s", "policy_s"}

const policyColumn = 4

// stopwatch fills a row of timing.csv.
type stopwatch struct {
	last time.Time
	row  Row
}

func (s *stopwatch) lap(column string) {
	now := time.Now()
	if s.row == nil {
		s.row = Row{}
	}
	s.row[column] = now.Sub(s.last).Seconds()
	s.last = now
}

// Close frees everything and lets others write the run.
func (t *Training) Close() error {
	var errs []error
	for _, m := range []*Metrics{t.metrics, t.timing} {
		if m != nil {
			errs = append(errs, m.Close())
		}
	}
	if t.events != nil {
		errs = append(errs, t.events.Close())
	}
	return errors.Join(append(errs, t.Agent.Close(), t.run.Close())...)
}

// EnvSteps is the number of environment steps taken for training.
func (t *Training) EnvSteps() int64 { return t.at.EnvSteps }

// Updates is the number of gradient updates made.
func (t *Training) Updates() int64 { return t.at.Updates }

// Notices returns what a person must know before the training: that another device than the first choice is used, and
// how other processes are kept from writing the run if there is no flock. The run's record has these notices too.
func (t *Training) Notices() []string {
	var all []string
	if t.notice != "" {
		all = append(all, t.notice)
	}
	if n, ok := t.Family.(sim.Noticer); ok {
		all = append(all, n.Notices()...)
	}
	return append(all, t.run.lock.Notices...)
}

// Dir is the run folder.
func (t *Training) Dir() string { return t.run.Dir }

// Iteration is the number of complete iterations.
func (t *Training) Iteration() int { return t.at.Iteration }

// Result reads the evaluation of the finished run on its test tasks (evaluation.json).
func (t *Training) Result() (protocol.Result, error) { return t.run.ReadEvaluation() }
