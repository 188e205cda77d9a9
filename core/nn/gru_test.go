package nn_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/nn"
)

func TestTime(t *testing.T) {
	for _, k := range []int{10, 25, 50} {
		g := nn.GRU{Name: "gru", In: 30, Hidden: 64}
		start := time.Now()
		b := core.NewBuilder("x", 10)
		s := b.Stage("s")
		hs := g.Unroll(s, s.Input("x", 10, k*30), s.Input("h", 10, 64), k)
		l := s.MeanAll(s.Square(hs[k-1]))
		for _, h := range hs {
			l = s.Add(l, s.MeanAll(h))
		}
		gr := s.Gradients(l, g.Nodes(s)...)
		for i, x := range gr {
			s.Output(g.Specs()[i].Name, x)
		}
		t1 := time.Now()
		p, err := b.Compile()
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, l := range p.Levels {
			n += len(l.Whole) + len(l.Tiled)
		}
		t2 := time.Now()
		d, _ := cpu.New(cpu.Options{Workers: 1})
		m, _ := d.NewMemory(g.Specs())
		r, err := d.Load(p, m)
		if err != nil {
			t.Fatal(err)
		}
		t3 := time.Now()
		r.Run()
		t4 := time.Now()
		for range 20 {
			r.Run()
		}
		t5 := time.Now()
		t.Log(k, n, len(p.Levels), "build", t1.Sub(start), "compile", t2.Sub(t1), "load", t3.Sub(t2), "run", t5.Sub(t4)/20)
		r.Close()
	}
	_ = math.Pi
	_ = rand.Int
}
