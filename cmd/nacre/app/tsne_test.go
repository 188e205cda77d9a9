package app

import (
	"testing"
	"time"

	"nacre/experiment/progress"
)

// slowStage is a stage whose Add takes until it is released.
type slowStage struct {
	progress.Stage
	adding, release, done chan struct{}
}

func (s slowStage) Add(int) {
	select {
	case s.adding <- struct{}{}:
	default:
	}
	<-s.release
}

func (s slowStage) Done() { close(s.done) }

// A stage that goes on ends after what was being said of it: nothing is written behind its end.
func TestGoingEndsLast(t *testing.T) {
	s := slowStage{nil, make(chan struct{}), make(chan struct{}), make(chan struct{})}
	stop := going(s, time.Millisecond)
	<-s.adding
	stopped := make(chan struct{})
	go func() { stop(); close(stopped) }()
	select {
	case <-s.done:
		t.Error("the stage ended while it was still said to go on")
	case <-time.After(50 * time.Millisecond):
	}
	close(s.release)
	<-stopped
	<-s.done
}
