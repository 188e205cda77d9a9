package gpu_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/gpu"
	"nacre/core/op"
)

// critics is an update of two networks with three layers each, of a policy against the first of them, and of averages,
// with norms of gradients: every kind of unit.
func critics(t *testing.T) *core.Program {
	t.Helper()
	b := core.NewBuilder("critics", 5)
	s := b.Stage("critics")
	x, target := s.Input("x", 5*31, 37), s.Input("target", 5*31, 1)
	for _, net := range []string{"q1", "q2"} {
		w0, b0 := s.Param(net+"/w0", 37, 41), s.Param(net+"/b0", 1, 41)
		w1, b1 := s.Param(net+"/w1", 41, 43), s.Param(net+"/b1", 1, 43)
		w2, b2 := s.Param(net+"/w2", 43, 1), s.Param(net+"/b2", 1, 1)
		h := s.Dense(s.Dense(x, w0, b0, op.ReLU), w1, b1, op.ReLU)
		loss := s.MeanAll(s.Square(s.Sub(s.Dense(h, w2, b2, op.Linear), target)))
		grads := s.Minimise(loss, core.DefaultAdam(1e-3), w0, b0, w1, b1, w2, b2)
		s.OutputNorm("grad "+net, grads...)
		s.Param(net+"/slow", 37, 41)
		b.EMA(net+"/slow", net+"/w0", 0.1)
	}
	s = b.Stage("policy")
	w, c := s.Param("policy/w", 29, 37), s.Param("policy/b", 1, 37)
	act := s.Dense(s.Input("obs", 5*31, 29), w, c, op.Tanh)
	h := s.Dense(act, s.Param("q1/w0", 37, 41), s.Param("q1/b0", 1, 41), op.ReLU)
	h = s.Dense(h, s.Param("q1/w1", 41, 43), s.Param("q1/b1", 1, 43), op.ReLU)
	q := s.MeanAll(s.Dense(h, s.Param("q1/w2", 43, 1), s.Param("q1/b2", 1, 1), op.Linear))
	s.Minimise(s.Neg(q), core.DefaultAdam(1e-3), w, c)
	s.Output("q", q)
	p, err := b.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Whoever reads a value waits for who writes it, and two values share room only where all who touch the first are done
// before the second is written.
func TestPlanIsSafe(t *testing.T) {
	arena := 0 // of the plan before
	for _, o := range []gpu.Options{{}, {MaskedProducts: true}, {MaskedProducts: true, InOrder: true},
		{Transposes: true, Fours: true, Vectors: true}} {
		p := critics(t)
		plan, err := gpu.New(p, o)
		if err != nil {
			t.Fatal(err)
		}
		before := make([]map[int]bool, len(plan.Units)) // by unit: all that are done before it starts
		touch := map[int][]int{}
		writer := map[int]int{}
		masked, turned := 0, 0
		operand := map[int]bool{} // of products in whole fours, and of steps
		for i, u := range plan.Units {
			before[i] = map[int]bool{}
			for _, d := range u.Deps {
				if d >= i {
					t.Fatalf("launch %d waits for launch %d", i, d)
				}
				before[i][d] = true
				for e := range before[d] {
					before[i][e] = true
				}
			}
			for _, v := range u.Reads {
				if w, ok := writer[v]; ok && w != i && !before[i][w] {
					t.Errorf("launch %d reads %%%d, which launch %d may be writing", i, v, w)
				}
				touch[v] = append(touch[v], i)
			}
			for _, v := range u.Writes {
				writer[v] = i
				touch[v] = append(touch[v], i)
			}
			for _, in := range u.Steps {
				operand[in.In[1]] = o.Fours
				for k, x := range plan.Units {
					if slices.Contains(x.Reads, in.In[0]) && k != i && !before[i][k] {
						t.Errorf("launch %d overwrites %%%d, which launch %d may be reading", i, in.In[0], k)
					}
				}
			}
			g := u.Product
			if g == nil {
				continue
			}
			if g.Mask >= 0 {
				masked++
			}
			if o.Fours {
				operand[g.A], operand[g.B] = true, true
			}
			if g.Turned {
				turned++
			}
		}
		// Gradients pass an activation in a product once in each critic, and on to the policy twice, by a ReLU and a
		// tanh; seven layers are wide enough for products.
		want := map[bool]string{true: "4 masks", false: "0 masks"}[o.MaskedProducts] +
			map[bool]string{true: ", 7 copies", false: ", 0 copies"}[o.Transposes]
		if got := fmt.Sprintf("%d masks, %d copies", masked, turned); got != want {
			t.Errorf("the plan has %s, want %s", got, want)
		}
		end := func(v int) int { return plan.Place.Of[v].Offset + plan.SizeOf(v) }
		shared := 0
		for a := range p.Values {
			for b := range p.Values {
				pa, pb := plan.Place.Of[a], plan.Place.Of[b]
				if a == b || pa.Space != gpu.Arena || pb.Space != gpu.Arena || pa.Offset >= end(b) ||
					pb.Offset >= end(a) {
					continue
				}
				shared++
				done := func(x, y int) bool { // everybody who touches x is done before y is written
					return !slices.ContainsFunc(touch[x], func(i int) bool {
						return !before[writer[y]][i] && !(o.InOrder && i < writer[y])
					})
				}
				if of := func(v int) bool { return operand[v] && p.Values[v].Cols%4 != 0 }; of(a) || of(b) {
					t.Errorf("%%%d and %%%d share room, and rows of one are to end in zeros", a, b)
				}
				if !done(a, b) && !done(b, a) {
					t.Errorf("%%%d and %%%d share room and may be used at the same time", a, b)
				}
			}
		}
		if shared == 0 {
			t.Error("no values share room; nothing was tested")
		}
		if o.InOrder && plan.Place.Size[gpu.Arena] >= arena {
			t.Errorf("one launch after the other needs room for %d numbers, side by side %d",
				plan.Place.Size[gpu.Arena], arena)
		}
		arena = plan.Place.Size[gpu.Arena]
		if again, _ := gpu.New(critics(t), o); again.String() != plan.String() {
			t.Errorf("the same program has another plan:\n%v\n%v", plan, again)
		}
	}
}

// stranger is an operation that no plan knows.
type stranger struct{ op.StopGrad }

// Planned again, a program is the same launches in the same places: other memories' programs lie as this one's does.
func TestPlansAreEqual(t *testing.T) {
	b := core.NewBuilder("many outputs", 1)
	s := b.Stage("sums")
	for i := range 12 {
		x := s.WholeInput(fmt.Sprint("x", i), 1+i, 7)
		s.Output(fmt.Sprint("y", i), s.Affine(x, 2, 0))
		s.Output(fmt.Sprint("sum", i), s.SumAll(x))
	}
	p, err := b.Compile()
	if err != nil {
		t.Fatal(err)
	}
	first, err := gpu.New(p, gpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		again, err := gpu.New(p, gpu.Options{})
		if err != nil || !slices.Equal(again.Place.Of, first.Place.Of) || again.String() != first.String() {
			t.Fatalf("another plan: error %v, places %v, before %v", err, again.Place.Of, first.Place.Of)
		}
	}
}

func TestUnknownOperation(t *testing.T) {
	p := &core.Program{Name: "odd", Groups: 1, TileGroups: 1, Lanes: 1,
		Values: []core.Value{{Name: "x", Kind: core.Input, Rows: 2, Cols: 2}, {Name: "y", Rows: 2, Cols: 2}},
		Levels: []core.Level{{Whole: []core.Instr{{Op: stranger{}, In: []int{0}, Out: 1}}}},
		Inputs: map[string]int{"x": 0}, Outputs: map[string]int{"y": 1}}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	if _, err := gpu.New(p, gpu.Options{}); err == nil || !strings.Contains(err.Error(), "stranger") {
		t.Errorf("an operation without a kernel: %v", err)
	}
}
