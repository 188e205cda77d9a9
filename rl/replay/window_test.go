package replay

import (
	"testing"

	"nacre/core/feed"
	"nacre/internal/rng"
)

func TestWindowStartIsUniformIncludingTheLast(t *testing.T) {
	const length, w, n = 20, 8, 13_000
	task, h := filled(t, 100, length)
	r := rng.New(11, rng.Window)
	c := dims.NewContext(w, false)
	counts := make([]int, length-w+1)
	for range n {
		crop, err := task.Window(r, feed.Draw{N: w}, false, c)
		if err != nil {
			t.Fatal(err)
		}
		if crop.Start < 0 || crop.Start > length-w || crop.Len != w || crop.Short {
			t.Fatalf("crop %+v", crop)
		}
		for i := range w {
			if s := h.steps[crop.Start+i]; c.Rows[6*i] != s.obs[0] || c.Rows[6*i+5] != s.context || c.Weights[i] != 1 {
				t.Fatalf("row %d of the window at %d: %v", i, crop.Start, c.Rows[6*i:6*i+6])
			}
		}
		counts[crop.Start]++
	}
	chiSquare(t, "start", counts)
}

func TestWindowOfTheWholeTrajectory(t *testing.T) {
	task, _ := filled(t, 100, 12)
	r := rng.New(12)
	c := dims.NewContext(12, false)
	for range 100 {
		crop, err := task.Window(r, feed.Draw{N: 12}, false, c)
		if err != nil || crop != (Crop{Trajectory: 0, Start: 0, Len: 12}) {
			t.Fatalf("crop %+v, error %v", crop, err)
		}
	}
}

func TestWindowChoosesAmongLongEnoughTrajectories(t *testing.T) {
	task, _ := filled(t, 100, 5, 8, 20, 7, 9) // 1, 2 and 4 have at least 8
	r := rng.New(13)
	c := dims.NewContext(8, false)
	counts := make([]int, 5)
	for range 9000 {
		crop, err := task.Window(r, feed.Draw{N: 8}, false, c)
		if err != nil {
			t.Fatal(err)
		}
		counts[crop.Trajectory]++
	}
	if counts[0] != 0 || counts[3] != 0 {
		t.Errorf("too short trajectories were chosen: %v", counts)
	}
	chiSquare(t, "trajectory", []int{counts[1], counts[2], counts[4]})
}

func TestShortWindowIsTheLongestTrajectoryWhole(t *testing.T) {
	task, h := filled(t, 100, 3, 6, 4, 6)
	r := rng.New(14)
	counts := make([]int, 4)
	for range 2000 {
		c := dims.NewContext(10, true)
		for i := range c.Rows {
			c.Rows[i] = 99
		}
		crop, err := task.Window(r, feed.Draw{N: 9}, true, c)
		if err != nil {
			t.Fatal(err)
		}
		counts[crop.Trajectory]++
		if !crop.Short || crop.Start != 0 || crop.Len != 6 {
			t.Fatalf("crop %+v", crop)
		}
		first := map[int64]int{1: 3, 3: 13}[crop.Trajectory]
		for i := range 10 {
			row, weight := c.Rows[9*i:9*i+9], c.Weights[i]
			switch {
			case i < 6:
				if s := h.steps[first+i]; row[0] != s.obs[0] || row[6] != s.next[0] || weight != 1 {
					t.Fatalf("row %d: %v weight %v", i, row, weight)
				}
			case i < 9:
				if !equal(row, make([]float32, 9)) || weight != 0 {
					t.Fatalf("filling row %d: %v weight %v", i, row, weight)
				}
			case row[0] != 99:
				t.Fatalf("row %d beyond the window was written", i)
			}
		}
	}
	if counts[0]+counts[2] != 0 {
		t.Errorf("not the longest: %v", counts)
	}
	chiSquare(t, "equally long trajectories", []int{counts[1], counts[3]})
}

func TestWindowLeavesOutPartlyOverwrittenTrajectories(t *testing.T) {
	task, _ := filled(t, 20, 15, 9, 4) // 8 of the first 15 are gone, 7 are left
	r := rng.New(15)
	c := dims.NewContext(7, false)
	for range 200 {
		crop, err := task.Window(r, feed.Draw{N: 7}, false, c)
		if err != nil || crop.Trajectory != 1 {
			t.Fatalf("crop %+v, error %v", crop, err)
		}
	}
	only, h := filled(t, 20, 50) // longer than the buffer: steps 30 to 49 are left
	starts := make([]int, 14)
	for range 7000 {
		crop, err := only.Window(r, feed.Draw{N: 7}, false, c)
		if err != nil || crop.Short || crop.Start < 30 || crop.Start > 43 {
			t.Fatalf("crop %+v, error %v", crop, err)
		}
		if c.Rows[0] != h.steps[crop.Start].obs[0] {
			t.Fatalf("the window at %d begins with %v", crop.Start, c.Rows[:6])
		}
		starts[crop.Start-30]++
	}
	chiSquare(t, "start", starts)
}

func TestPairFromOneTrajectory(t *testing.T) {
	const w, length, n = 4, 9, 18_000
	task, h := filled(t, 1000, length, length, 3)
	r := rng.New(16)
	q, k := dims.NewContext(w, false), dims.NewContext(w, false)
	const starts = length - w + 1
	joint := make([]int, 2*starts*starts)
	for range n {
		p, err := task.WindowPair(r, feed.Draw{N: w}, false, q, k)
		if err != nil {
			t.Fatal(err)
		}
		if p.Query.Trajectory != p.Key.Trajectory || p.Short() {
			t.Fatalf("pair %+v", p)
		}
		first := int(p.Query.Trajectory) * length
		if q.Rows[0] != h.steps[first+p.Query.Start].obs[0] || k.Rows[0] != h.steps[first+p.Key.Start].obs[0] {
			t.Fatalf("pair %+v holds %v and %v", p, q.Rows[0], k.Rows[0])
		}
		shared := 0
		for i := range w {
			for j := range w {
				if q.Rows[6*i] == k.Rows[6*j] {
					shared++
				}
			}
		}
		if p.Overlap != shared {
			t.Fatalf("pair %+v shares %d transitions", p, shared)
		}
		joint[(int(p.Query.Trajectory)*starts+p.Query.Start)*starts+p.Key.Start]++
	}
	chiSquare(t, "trajectory and both starts", joint)
}

func TestPairFromOneTask(t *testing.T) {
	task, _ := filled(t, 1000, 6, 6, 6)
	r := rng.New(17)
	q, k := dims.NewContext(6, false), dims.NewContext(6, false)
	joint := make([]int, 9)
	for range 9000 {
		p, err := task.WindowPair(r, feed.Draw{N: 6, Pair: feed.SameTask}, false, q, k)
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		if p.Query.Trajectory == p.Key.Trajectory {
			want = 6
		}
		if p.Overlap != want {
			t.Fatalf("pair %+v", p)
		}
		joint[3*p.Query.Trajectory+p.Key.Trajectory]++
	}
	chiSquare(t, "both trajectories", joint)
}

// Windows of 128 in trajectories of 200 share at least 56 transitions (2·128 - 200).
func TestOverlapOfLongWindows(t *testing.T) {
	task, _ := filled(t, 1000, 200)
	r := rng.New(18)
	q, k := dims.NewContext(128, false), dims.NewContext(128, false)
	least := 128
	for range 5000 {
		p, err := task.WindowPair(r, feed.Draw{N: 128}, false, q, k)
		if err != nil {
			t.Fatal(err)
		}
		least = min(least, p.Overlap)
	}
	if least != 56 {
		t.Errorf("least overlap %d, want 56", least)
	}
}

func TestShortPair(t *testing.T) {
	task, _ := filled(t, 100, 5, 7)
	q, k := dims.NewContext(8, false), dims.NewContext(8, false)
	p, err := task.WindowPair(rng.New(19), feed.Draw{N: 8}, false, q, k)
	whole := Crop{Trajectory: 1, Len: 7, Short: true}
	if err != nil || !p.Short() || p.Query != whole || p.Key != whole || p.Overlap != 7 {
		t.Errorf("pair %+v, error %v", p, err)
	}
}

func TestExclusiveEndNeverDrawsTheLastStart(t *testing.T) {
	var h history
	task := NewTask(dims, 100)
	if err := task.Add(h.trajectory(10, false)); err != nil {
		t.Fatal(err)
	}
	r, dst := rng.New(5), dims.NewContext(10, false)
	seen := map[int]bool{}
	for range 500 {
		c, err := task.Window(r, feed.Draw{N: 8, ExclusiveEnd: true}, false, dst)
		if err != nil {
			t.Fatal(err)
		}
		seen[c.Start] = true
	}
	if !seen[0] || !seen[1] || seen[2] {
		t.Errorf("starts %v of 8-step windows in 10 steps, want 0 and 1", seen)
	}
	c, err := task.Window(r, feed.Draw{N: 10, ExclusiveEnd: true}, false, dst)
	if err != nil || c.Start != 0 || c.Len != 10 {
		t.Errorf("window as long as the trajectory: %+v, %v", c, err)
	}
}

// A pair of sets of rows is of one trajectory of at least two transitions, query and key share none, each row of the
// trajectory is drawn as often for the one as for the other, and rows that are near each other are drawn independently.
func TestRowPair(t *testing.T) {
	task, _ := filled(t, 100, 9, 1, 10) // rows 0 … 8, 9, 10 … 19
	r := rng.New(21)
	d := feed.Draw{Kind: feed.RowPair, N: 3}
	picks := make([]int, d.Picks())
	trajectories := make([]int, 2)
	var query, key [20]int
	same := make([]int, 2)
	for range 40_000 {
		if err := task.Draw(r, d, picks); err != nil {
			t.Fatal(err)
		}
		first, last := 0, 8
		if picks[0] > 9 {
			first, last = 10, 19
		}
		trajectories[first/10]++
		for k, row := range picks {
			if row < first || row > last {
				t.Fatalf("rows %v are of two trajectories", picks)
			}
			if parity := (row - first) % 2; parity != (picks[0]-first)%2 != (k >= 3) {
				t.Fatalf("query and key of %v share rows", picks)
			}
		}
		for k := range 3 {
			query[picks[k]]++
			key[picks[3+k]]++
		}
		if first == 10 {
			same[min(1, max(picks[0]-picks[1], picks[1]-picks[0]))]++
		}
	}
	chiSquare(t, "trajectory", trajectories)
	chiSquare(t, "query of ten", query[10:])
	chiSquare(t, "key of ten", key[10:])
	if query[9]+key[9] > 0 {
		t.Errorf("the trajectory of one transition was drawn %d times", query[9]+key[9])
	}
	if share := float64(same[0]) / float64(same[0]+same[1]); share < 0.18 || share > 0.22 {
		t.Errorf("two rows of five are the same one in %.3f of the draws, want 0.2", share)
	}
}

// Where there are only trajectories of one transition, one is both sides, and is counted as short.
func TestRowPairOfOneTransition(t *testing.T) {
	task, _ := filled(t, 100, 1, 1)
	d := feed.Draw{Kind: feed.RowPair, N: 4}
	c := dims.NewContext(4, false)
	for seed := range uint64(20) {
		record, err := task.DrawContext(rng.New(seed), d, false, c)
		if err != nil || record.Pairs != 1 || record.Overlap != 1 || record.Short != 1 || c.Valid() != 4 {
			t.Fatalf("%+v, %v, %d rows", record, err, c.Valid())
		}
	}
}
