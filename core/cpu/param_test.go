package cpu

import (
	"math/rand/v2"
	"testing"

	"nacre/core"
	"nacre/core/op"
)

// paramProgram is a program of one Whole level in which parameters of the same shape are updated; it names the
// parameter values by store and lets updates refer to the current version.
type paramProgram struct {
	p       *core.Program
	current map[string]int
}

func newParamProgram(rows, cols int, stores ...string) *paramProgram {
	b := &paramProgram{current: map[string]int{}}
	b.p = &core.Program{Name: "updates", Groups: 1, TileGroups: 1, Lanes: 1, Levels: make([]core.Level, 1),
		Inputs: map[string]int{}, Outputs: map[string]int{}}
	for _, s := range stores {
		b.version(s, rows, cols)
	}
	return b
}

func (b *paramProgram) version(store string, rows, cols int) int {
	b.current[store] = len(b.p.Values)
	b.p.Values = append(b.p.Values, core.Value{Kind: core.Param, Store: store, Name: store, Rows: rows, Cols: cols})
	return b.current[store]
}

func (b *paramProgram) input(name string, rows, cols int) int {
	b.p.Inputs[name] = len(b.p.Values)
	b.p.Values = append(b.p.Values, core.Value{Kind: core.Input, Name: name, Rows: rows, Cols: cols})
	return b.p.Inputs[name]
}

func (b *paramProgram) update(o any, store string, from int) {
	old := b.current[store]
	v := b.p.Values[old]
	in := core.Instr{Op: o, In: []int{old, from}, Out: b.version(store, v.Rows, v.Cols)}
	b.p.Levels[0].Whole = append(b.p.Levels[0].Whole, in)
}

// Updates in one level that read each other's parameters: each must see the versions the program says.
func TestDependentUpdates(t *testing.T) {
	const rows, cols = 50, 17
	b := newParamProgram(rows, cols, "a", "b", "c")
	g := b.input("g", rows, cols)
	adam := core.Adam{LR: 0.1, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}
	b.update(adam, "a", g)
	b.update(adam, "b", g)
	b.update(core.EMA{Tau: 0.5}, "c", b.current["a"])
	b.update(core.EMA{Tau: 0.25}, "a", b.current["b"])
	b.update(core.EMA{Tau: 1}, "b", b.current["c"])
	b.update(adam, "b", b.current["a"])
	b.update(adam, "b", g)
	must(t, b.p.Validate())
	params, inputs := random(b.p, rand.New(rand.NewPCG(1, 2)))
	against(t, b.p, params, inputs, 3, 2e-6)
}

// Fifty Adam steps at shapes with and without padding follow the reference, moments and step count included; with
// Eps 0 the padding must not become NaN, which would show in the next product.
func TestAdamAgainstReference(t *testing.T) {
	for _, eps := range []float64{1e-8, 0} {
		for _, cols := range oddCols {
			b := newParamProgram(37, cols, "w")
			x := b.input("x", 4, 37)
			g := b.input("g", 37, cols)
			y := len(b.p.Values)
			b.p.Values = append(b.p.Values, core.Value{Name: "y", Rows: 4, Cols: cols})
			b.p.Outputs["y"] = y
			b.p.Levels[0].Whole = []core.Instr{{Op: op.MatMul{}, In: []int{x, b.current["w"]}, Out: y}}
			b.update(core.Adam{LR: 1e-2, Beta1: 0.9, Beta2: 0.999, Eps: eps}, "w", g)
			params, inputs := random(b.p, rand.New(rand.NewPCG(3, uint64(cols))))
			against(t, b.p, params, inputs, 50, 1e-5)
		}
	}
}
