package sweep

import (
	"errors"
	"fmt"

	"nacre/experiment"
	"nacre/rl"
)

// State is the state of a run.
type State string

// A run is in one of these states.
const (
	Waiting     State = "waiting"     // not begun
	Queued      State = "queued"      // given to Slurm, which will start or continue it
	Running     State = "running"     // a process is writing it
	Interrupted State = "interrupted" // begun, and no process is writing it: the next nacre sweep continues it
	Failed      State = "failed"      // its last process failed; the next nacre sweep tries again
	Finished    State = "finished"
)

// States lists the states in the order in which they are counted and shown.
var States = []State{Finished, Running, Interrupted, Failed, Queued, Waiting}

// Words is the text of a state for people.
func (s State) Words() string {
	if s == Waiting {
		return "not begun"
	}
	return string(s)
}

// RunStatus is a run and its state.
type RunStatus struct {
	Run
	State State `json:"state"`
	experiment.Standing
	Attempt Attempt `json:"attempt"`
	Dir     string  `json:"run"`
	// Other is a sentence that names the setting in which the run folder differs from the plan. It is empty if there is
	// no difference. A run that differs has failed, and its numbers do not count.
	Other string `json:"other,omitempty"`
	Log   string `json:"log"`
}

// Status reads the progress of every run of a sweep. A run that cannot be read has failed, and its Damage says why.
func (f *Folder) Status() ([]RunStatus, error) { return f.statuses(f.Runs) }

// OtherStatus is Status of Others.
func (f *Folder) OtherStatus() ([]RunStatus, error) { return f.statuses(f.Others) }

func (f *Folder) statuses(runs []Run) ([]RunStatus, error) {
	out := make([]RunStatus, len(runs))
	for i, r := range runs {
		s, err := f.status(r)
		if err != nil { // it must not hide the others
			s.State, s.Damage = Failed, err.Error()
		}
		out[i] = s
	}
	return out, nil
}

func (f *Folder) status(r Run) (RunStatus, error) {
	s := RunStatus{Run: r, State: Waiting, Dir: f.RunDir(r), Log: f.LogFile(r)}
	var err error
	if s.Attempt, err = f.LastAttempt(r.Name); err != nil {
		return s, err
	}
	begun := f.begun(r)
	if s.Run.Config.Algorithm == "" { // a plan's own count, which may be longer than what was prepared
		if s.Run.Config, err = f.config(r); err != nil {
			return s, err
		}
	}
	if !begun {
		if err := f.obstacle(r); err != nil {
			return s, err
		}
		if s.Attempt.Error != "" {
			s.State = Failed
		}
		return s, nil
	}
	run, err := experiment.View(s.Dir)
	if err != nil {
		return s, err
	}
	own := experiment.Default() // the plan's may be longer
	if _, err := run.ReadConfig(&own); err != nil {
		return s, err
	}
	if _, err := experiment.Longer(s.Run.Config, own); err != nil {
		what := err.Error()
		if d, ok := errors.AsType[*rl.Difference](err); ok {
			what = fmt.Sprintf("%s = %s, and the plan has %s", d.Key, d.Before, d.Now)
		}
		s.State, s.Other = Failed, fmt.Sprintf("%s holds another run: %s; move that folder away", s.Dir, what)
		s.Damage = s.Other
		return s, nil
	}
	if s.Standing, err = run.Standing(own); err != nil {
		return s, err
	}
	if s.Damage == "" {
		if s.Standing, err = s.Outgrown(run, s.Run.Config); err != nil {
			return s, err
		}
	}
	idle := s.Finished
	if !idle {
		if idle, err = run.Idle(); err != nil {
			return s, err
		}
	}
	switch {
	case s.Finished:
		s.State = Finished
	case !idle:
		s.State = Running
	case s.Attempt.Error != "":
		s.State = Failed
	default:
		s.State = Interrupted
	}
	return s, nil
}
