package experiment_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"nacre/experiment"
	"nacre/experiment/checkpoint"
	"nacre/experiment/tfevents"
	"nacre/internal/rng"
)

const toyIterations = 60

// toy is a stand-in for training: a chain in which every value depends on all before it, so that a lost or repeated
// iteration shows in every later number.
type toy struct {
	Iteration int
	Metrics   experiment.Position
	state     []float64
}

// train runs or continues the toy in dir as a command would a real run.
func (s *toy) train(dir string, pause time.Duration) error {
	run, err := experiment.Open(dir)
	fresh := err != nil
	if fresh {
		if run, err = experiment.Create(dir); err != nil {
			return err
		}
	}
	defer run.Close()
	if _, err := run.Begin(sample(), experiment.NewProcess()); err != nil {
		return err
	}
	s.state = make([]float64, 1000)
	metrics, events, err := s.open(run)
	if err != nil {
		return err
	}
	defer metrics.Close()
	defer events.Close()
	for ; s.Iteration < toyIterations; s.Iteration++ {
		if s.Iteration%5 == 0 {
			if err := s.save(run, metrics); err != nil {
				return err
			}
		}
		r := rng.New(7, uint64(s.Iteration))
		sum := 0.0
		for i := range s.state {
			s.state[i] = s.state[i]*0.9 + r.NormFloat64() + s.state[(i+1)%len(s.state)]*0.01
			sum += s.state[i]
		}
		if err := metrics.Write(experiment.Row{"iteration": float64(s.Iteration), "loss": sum / 3}); err != nil {
			return err
		}
		if err := events.Scalars(int64(s.Iteration), map[string]float64{"loss": sum / 3}); err != nil {
			return err
		}
		time.Sleep(pause)
	}
	return s.save(run, metrics)
}

// open starts the files of a run, or takes everything back to its checkpoint. A run that was killed before its
// first checkpoint starts its files anew.
func (s *toy) open(run *experiment.Run) (*experiment.Metrics, *tfevents.Writer, error) {
	err := checkpoint.Load(run.Path(experiment.CheckpointFile), "toy", func(r *checkpoint.Reader) error {
		return errors.Join(r.JSON("progress", s), checkpoint.Get(r, "state", s.state))
	})
	if errors.Is(err, os.ErrNotExist) {
		os.Remove(run.Path(experiment.MetricsFile))
		metrics, err := experiment.NewMetrics(run.Path(experiment.MetricsFile), "iteration", "loss")
		if err != nil {
			return nil, nil, err
		}
		events, err := tfevents.Resume(run.Dir, 0)
		return metrics, events, err
	}
	if err != nil {
		return nil, nil, err
	}
	metrics, err := experiment.ResumeMetrics(run.Path(experiment.MetricsFile), s.Metrics, "iteration", "loss")
	if err != nil {
		return nil, nil, err
	}
	events, err := tfevents.Resume(run.Dir, int64(s.Iteration))
	return metrics, events, err
}

func (s *toy) save(run *experiment.Run, metrics *experiment.Metrics) error {
	if err := metrics.Sync(); err != nil {
		return err
	}
	s.Metrics = metrics.Position()
	return checkpoint.Save(run.Path(experiment.CheckpointFile), checkpoint.Header{ConfigHash: "toy"},
		func(w *checkpoint.Writer) error {
			return errors.Join(w.JSON("progress", s), checkpoint.Put(w, "state", s.state))
		})
}

// Killed again and again at random moments, in the middle of whatever it was writing, a run ends with the files of a
// run that was left alone.
func TestKilledRunEndsTheSame(t *testing.T) {
	parent := t.TempDir()
	whole, broken := filepath.Join(parent, "whole"), filepath.Join(parent, "broken")
	if err := new(toy).train(whole, 0); err != nil {
		t.Fatal(err)
	}
	kills := 0
	for attempt := 0; ; attempt++ {
		cmd := exec.Command(os.Args[0], "-test.run=^TestToyProcess$")
		cmd.Env = append(os.Environ(), "NACRE_TEST_TOY="+broken)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		if attempt < 12 {
			select {
			case <-time.After(time.Duration(10+rand.IntN(60)) * time.Millisecond):
				cmd.Process.Kill()
				kills++
			case err := <-done:
				done <- err
			}
		}
		err := <-done
		if err == nil {
			break
		}
		if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.Exited() {
			t.Fatalf("attempt %d: %v", attempt, err)
		}
	}
	if kills == 0 {
		t.Fatal("the run was never killed")
	}
	if contents(t, filepath.Join(broken, experiment.MetricsFile)) != contents(t,
		filepath.Join(whole, experiment.MetricsFile)) {
		t.Errorf("metrics differ after %d kills", kills)
	}
	if contents(t, filepath.Join(broken, experiment.CheckpointFile)) != contents(t,
		filepath.Join(whole, experiment.CheckpointFile)) {
		t.Errorf("final states differ after %d kills", kills)
	}
}

// TestToyProcess is the process that TestKilledRunEndsTheSame kills; on its own it trains the toy once.
func TestToyProcess(t *testing.T) {
	dir, pause := os.Getenv("NACRE_TEST_TOY"), 2*time.Millisecond
	if dir == "" {
		dir, pause = filepath.Join(t.TempDir(), "run"), 0
	}
	if err := new(toy).train(dir, pause); err != nil {
		t.Fatal(err)
	}
}
