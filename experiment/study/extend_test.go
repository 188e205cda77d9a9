package study

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/internal/atomicfile"
	"nacre/internal/heavy"
	"nacre/rl/protocol"
)

// An arm that is added to a study without it comes to what it came to beside the others, which keep their figures; it
// is crossed with the encoders that are there.
func TestExtend(t *testing.T) {
	heavy.Skip(t, "trains a study")
	dir, host := filepath.Join(t.TempDir(), "study"), experiment.Host{Workers: 2}
	plan := quickly()
	plan.Seeds, plan.Layouts, plan.Contexts = 2, 0, []experiment.ContextKind{experiment.WindowContext}
	whole, err := Run(t.Context(), dir, plan, host, progress.Silent())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Extend(t.Context(), dir, "pearl-windows", nil, host, progress.Silent()); err == nil ||
		!strings.Contains(err.Error(), "has the arm pearl-windows already") {
		t.Errorf("an arm that is there: %v", err)
	}
	if _, err := Extend(t.Context(), dir, "maml", nil, host, progress.Silent()); err == nil ||
		!strings.Contains(err.Error(), `arm "maml": expected pearl or`) {
		t.Errorf("an arm that studies do not have: %v", err)
	}
	without, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	without.Arms = slices.Delete(without.Arms, 1, 2)
	for i := range without.Arms {
		for k := range without.Arms[i].Seeds {
			s := &without.Arms[i].Seeds[k]
			s.Crossed = slices.DeleteFunc(s.Crossed, func(c Crossed) bool { return c.Encoder == "pearl-windows" })
		}
	}
	for i := range without.Baselines {
		without.Baselines[i].Still = nil // as of a program before there was one
	}
	without.forget()
	if err := atomicfile.WriteJSON(filepath.Join(dir, ResultsFile), without); err != nil {
		t.Fatal(err)
	}
	for _, seed := range []string{"1", "2"} {
		if err := os.RemoveAll(filepath.Join(dir, "runs", "pearl-windows-seed"+seed)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Extend(t.Context(), dir, "pearl-windows", nil, host, progress.Silent())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Arms) != 3 || r.Arms[1].Name != "pearl-windows" || len(r.Crossed) != len(whole.Crossed)-2 {
		t.Fatalf("%d arms, %d rows of crossed windows, of %d", len(r.Arms), len(r.Crossed), len(whole.Crossed))
	}
	for i, arm := range r.Arms {
		for k, s := range arm.Seeds {
			want := whole.Arms[i].Seeds[k]
			if !reflect.DeepEqual(s.Adapted, want.Adapted) || s.Embedding.Plane.Ratio != want.Embedding.Plane.Ratio ||
				*s.Share != *want.Share {
				t.Errorf("%s, seed %d: other figures than beside the others", arm.Name, s.Seed)
			}
		}
	}
	if !reflect.DeepEqual(inJSON(t, r.Contrasts), inJSON(t, whole.Contrasts)) ||
		!reflect.DeepEqual(inJSON(t, r.OutcomeContrasts), inJSON(t, whole.OutcomeContrasts)) {
		t.Error("other contrasts than those of the study that was made at once")
	}
	if c, err := Check(t.Context(), dir, false, progress.Silent()); err != nil || len(c.Differences) > 0 {
		t.Errorf("%v, %v", c.Differences, err)
	}
}

// Shares are measured from standing still where that returns more than random actions, and from those where it does
// not.
func TestFoot(t *testing.T) {
	of := func(v float64) (r protocol.Result) { r.Summary.Adapted.Mean = v; return r }
	goal, still := of(-80), of(-200)
	b := experiment.Baselines{Random: of(-280), Goal: &goal}
	for _, c := range []struct {
		still *protocol.Result
		want  float64
	}{{nil, .5}, {&still, (-180. + 200) / 120}} {
		b.Still = c.still
		if got, err := b.Share(-180); err != nil || *got != c.want {
			t.Errorf("%v, %v, want %v", *got, err, c.want)
		}
	}
	b.Still, b.Random = &still, of(-100)
	if got, _ := b.Share(-90); *got != .5 {
		t.Errorf("random actions return more: %v, want 0.5", *got)
	}
	b.Still = &goal
	if got, err := b.Share(-90); got != nil || err != nil {
		t.Errorf("a controller no better than standing still: %v, %v", got, err)
	}
}
