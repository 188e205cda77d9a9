package pearl

import (
	"bytes"
	"context"
	"reflect"
	"testing"
)

// What is collected ahead is what would have been collected before the updates that are made meanwhile; these see
// nothing of it; and a checkpoint in between keeps it.
func TestCollectAhead(t *testing.T) {
	ahead := func(s *setup) {
		s.Config.CollectAhead, s.Config.PosteriorSteps, s.Config.TasksPerIteration, s.Config.Observations = true, 8, 5,
			"standardised"
	}
	same := func(s *setup) { ahead(s); s.Config.CollectAhead = false }
	a, _ := newWalker(t, ahead)
	before, _ := newWalker(t, same) // collects first, then updates
	after, _ := newWalker(t, same)  // only updates
	again, _ := newWalker(t, ahead) // goes on from a's checkpoint
	for _, l := range []*Learner{a, before, after} {
		_, err := l.Collect(context.Background(), 0)
		check(t, err)
	}
	check(t, a.Ahead(1))
	for u := range 4 {
		check(t, a.Update(0, u))
		check(t, after.Update(0, u))
	}
	check(t, a.Ahead(1)) // it is under way
	check(t, a.AwaitAhead())
	if !reflect.DeepEqual(parameters(t, a.Memory()), parameters(t, after.Memory())) {
		t.Error("updates were others while data were collected")
	}
	for i, part := range a.State() {
		var b bytes.Buffer
		check(t, part.Save(&b))
		check(t, again.State()[i].Load(&b))
	}
	want, err := before.Collect(context.Background(), 1)
	check(t, err)
	for name, l := range map[string]*Learner{"at once": a, "after a checkpoint": again} {
		check(t, l.Ahead(1))
		steps, err := l.Collect(context.Background(), 1)
		check(t, err)
		if steps != want {
			t.Errorf("%s: %d steps, want %d", name, steps, want)
		}
		for i := range a.tasks {
			rl, enc := content(t, l, i)
			wantRL, wantEnc := content(t, before, i)
			if !reflect.DeepEqual(rl, wantRL) || !reflect.DeepEqual(enc, wantEnc) {
				t.Errorf("%s: task %d has other data", name, i)
			}
		}
	}
	check(t, a.Ahead(2))
	steps, err := a.Collect(context.Background(), 2) // without waiting before
	check(t, err)
	if steps == 0 || a.ahead.has(2) {
		t.Errorf("%d steps, taken %v", steps, !a.ahead.has(2))
	}
}
