package tsne

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"nacre/internal/rng"
)

// meeting is a team whose programs are goroutines.
type meeting struct {
	of    int
	mu    sync.Mutex
	all   sync.Cond
	came  int
	round int
	whole []byte
	until int // rounds after which a program is gone; 0: never
}

type seat struct {
	m    *meeting
	rank int
}

func (s seat) Place() (rank, of int) { return s.rank, s.m.of }

func (s seat) Share(b []byte, cuts []int) error {
	m := s.m
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.until > 0 && m.round >= m.until {
		return errors.New("a program is gone")
	}
	if m.came == 0 {
		m.whole = make([]byte, len(b))
	}
	copy(m.whole[cuts[s.rank]:cuts[s.rank+1]], b[cuts[s.rank]:])
	whole := m.whole
	if m.came++; m.came == m.of {
		m.came, m.round = 0, m.round+1
		m.all.Broadcast()
	} else {
		for round := m.round; round == m.round; {
			m.all.Wait()
		}
	}
	copy(b, whole)
	return nil
}

// together calls f as every program of a team.
func together(of, until int, f func(rank int, o Option)) {
	m := &meeting{of: of, until: until}
	m.all.L = &m.mu
	var wg sync.WaitGroup
	for rank := range of {
		wg.Go(func() { f(rank, WithTeam(seat{m, rank})) })
	}
	wg.Wait()
}

// Every program of a team, of any size, has the layout of one program alone, to the last bit, also after the perplexity
// has changed.
func TestTeamGivesTheSameLayout(t *testing.T) {
	x, _ := wave()
	run := func(o ...Option) []float32 {
		s, err := New(append(o, WithRecipe(shortRecipe(MethodFFT, 2)), WithWorkers(1))...).Start(t.Context(), x)
		if err == nil {
			_, err = s.Step(t.Context(), 80)
		}
		if err == nil {
			err = s.SetPerplexity(t.Context(), 7)
		}
		if err == nil {
			_, err = s.Step(t.Context(), s.Remaining())
		}
		if err != nil {
			t.Error(err)
			return nil
		}
		return slices.Clone(s.Positions())
	}
	want := run()
	for _, of := range []int{1, 2, 3, 7} {
		together(of, 0, func(rank int, o Option) {
			if got := run(o); !slices.Equal(got, want) {
				t.Errorf("program %d of %d has another layout", rank, of)
			}
		})
	}
}

// What is too large to compare all pairs of is shared by cells.
func TestTeamFindsTheSameNeighbours(t *testing.T) {
	const n, k = 3000, 9
	x := NewMatrix(n, 6)
	normals(rng.New(5, rng.TSNE), x.Data)
	f, err := newFrame(x)
	if err != nil {
		t.Fatal(err)
	}
	set, err := kernels()
	if err != nil {
		t.Fatal(err)
	}
	points := f.apply(x)
	want, recall, _, _ := cellSearch(t.Context(), set, points, k, 1, alone())
	for _, of := range []int{2, 5} {
		together(of, 0, func(rank int, o Option) {
			team := New(o).team
			h, stated, place, first := cellSearch(t.Context(), set, points, k, 1, team)
			got := &nearby{k: k, id: h.id, d: make([]float64, len(h.id))}
			share(team, got.id, first, k)
			got.putAt(place)
			if !slices.Equal(got.id, want.id) || stated != recall || team.err != nil {
				t.Errorf("program %d of %d finds other neighbours: recall %v, alone %v, %v", rank, of, stated,
					recall, team.err)
			}
		})
	}
}

// A team that breaks up is an error, whenever it does.
func TestTeamBreaksUp(t *testing.T) {
	x, _ := wave()
	for _, until := range []int{1, 3, 9, 40} {
		together(2, until, func(_ int, o Option) {
			l, err := New(o, WithRecipe(shortRecipe(MethodFFT, 2)), WithWorkers(1)).Fit(context.Background(), x)
			if err == nil || err.Error() != "a program is gone" {
				t.Errorf("after %d rounds: %v, %v", until, l, err)
			}
		})
	}
}

func TestTeamParts(t *testing.T) {
	m := &member{rank: 1, of: 3}
	if got := m.even(130, 64); !slices.Equal(got, []int{0, 64, 128, 130}) {
		t.Errorf("130 values in units of 64 are cut at %v", got)
	}
	if got := m.byWork([]int32{0, 1, 2, 90, 91, 92}); !slices.Equal(got, []int{0, 3, 3, 5}) {
		t.Errorf("units are cut at %v", got)
	}
	if got := m.byWork([]int32{0, 0, math.MaxInt32 / 4}); got[3] != 2 {
		t.Errorf("units are cut at %v, expected to end at 2", got)
	}
}
