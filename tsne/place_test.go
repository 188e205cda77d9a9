package tsne

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
)

// Half of the points placed into a layout of the others land among their own group, in the plane and in space.
func TestTransformPlacesPointsAmongTheirOwn(t *testing.T) {
	x, label := wave()
	half := func(parity int) (Matrix, []int) {
		m, l := NewMatrix(60, 4), make([]int, 60)
		for i := range 60 {
			copy(m.Row(i), x.Row(2*i+parity))
			l[i] = label[2*i+parity]
		}
		return m, l
	}
	old, oldLabel := half(0)
	fresh, freshLabel := half(1)
	ctx := context.Background()
	for _, dims := range []int{2, 3} {
		s, err := New(WithPerplexity(10), WithDims(dims)).Start(ctx, old)
		if err != nil {
			t.Fatal(err)
		}
		if dims == 2 {
			if _, err := s.Transform(ctx, fresh); err == nil || !strings.Contains(err.Error(), "make more iterations") {
				t.Errorf("placing into the start gave %v", err)
			}
		}
		s.Step(ctx, s.Remaining())
		before := slices.Clone(s.Positions())
		y, err := s.Transform(ctx, fresh)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(before, s.Positions()) {
			t.Error("placing new points moved the layout")
		}
		right := 0
		for i := range 60 {
			best, nearest := math.Inf(1), 0
			for j := range 60 {
				d := 0.0
				for c := range dims {
					e := y.Row(i)[c] - float64(before[j*dims+c])
					d += e * e
				}
				if d < best {
					best, nearest = d, j
				}
			}
			if oldLabel[nearest] == freshLabel[i] {
				right++
			}
		}
		if right < 57 {
			t.Errorf("%d dimensions: %d of 60 new points are nearest to one of their own group", dims, right)
		}
		one, err := s.Transform(ctx, Matrix{Rows: 1, Cols: 4, Data: fresh.Row(7)})
		if err != nil || !slices.Equal(one.Data, y.Row(7)) {
			t.Errorf("alone a point is placed at %v, among others at %v", one.Data, y.Row(7))
		}
	}
}

// A point of the data itself is placed where it already is, to within the distances between neighbours there.
func TestTransformOfTheDataItself(t *testing.T) {
	x, _ := wave()
	ctx := context.Background()
	s, err := New(WithPerplexity(15)).Start(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	s.Step(ctx, s.Remaining())
	y, err := s.Transform(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	var moved []float64
	for i := range x.Rows {
		moved = append(moved, math.Hypot(y.Row(i)[0]-float64(s.Positions()[2*i]),
			y.Row(i)[1]-float64(s.Positions()[2*i+1])))
	}
	slices.Sort(moved)
	b := boxOf(s.Positions())
	if m := moved[len(moved)/2]; m > 0.05*b.span() {
		t.Errorf("the median point of the data is placed %.3g from its place in a layout that spans %.3g", m, b.span())
	}
	if _, err := s.Transform(ctx, NewMatrix(3, 5)); err == nil || !strings.Contains(err.Error(), "5 columns") {
		t.Errorf("five columns for four: %v", err)
	}
}
