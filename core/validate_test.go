package core_test

import (
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/op"
)

// Each way of spoiling a valid program is reported.
func TestValidate(t *testing.T) {
	// level 0: tiled y = x·w, s = Σ rows of y; level 1: whole Adam of w by s, tiled z = y·s
	valid := func() *core.Program {
		return &core.Program{
			Name: "p", Groups: 2, TileGroups: 1, Lanes: 1,
			Values: []core.Value{
				0: {Name: "x", Kind: core.Input, Rows: 4, Cols: 1, Batched: true},
				1: {Name: "w", Kind: core.Param, Store: "w", Rows: 1, Cols: 1},
				2: {Name: "y", Rows: 4, Cols: 1, Batched: true},
				3: {Name: "s", Rows: 1, Cols: 1},
				4: {Name: "w'", Kind: core.Param, Store: "w", Rows: 1, Cols: 1},
				5: {Name: "z", Rows: 4, Cols: 1, Batched: true},
				6: {Name: "c", Kind: core.Const, Rows: 1, Cols: 1, Fill: 2},
			},
			Levels: []core.Level{
				{Tiled: []core.Instr{{Op: op.MatMul{}, In: []int{0, 1}, Out: 2},
					{Op: op.SumRows{}, In: []int{2}, Out: 3}}},
				{
					Whole: []core.Instr{{Op: core.Adam{LR: 1, Eps: 1}, In: []int{1, 3}, Out: 4}},
					Tiled: []core.Instr{{Op: op.Binary{F: op.Mul}, In: []int{2, 3}, Out: 5}},
				},
			},
			Inputs: map[string]int{"x": 0}, Outputs: map[string]int{"z": 5},
		}
	}
	if err := valid().Validate(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		spoil func(p *core.Program)
		want  string
	}{
		"groups":         {func(p *core.Program) { p.Groups = 0 }, "at least 1"},
		"rows per group": {func(p *core.Program) { p.Groups = 3 }, "4 rows for 3 groups"},
		"shape":          {func(p *core.Program) { p.Values[2].Cols = 2 }, "must be a temporary of shape 4×1"},
		"rule":           {func(p *core.Program) { p.Values[1].Rows, p.Values[4].Rows = 2, 2 }, "inner sizes"},
		"index":          {func(p *core.Program) { p.Levels[0].Tiled[0].In[0] = 9 }, "no value 9"},
		"order": {func(p *core.Program) {
			l := p.Levels[0].Tiled
			l[0], l[1] = l[1], l[0]
		}, "not computed yet"},
		"twice": {func(p *core.Program) {
			p.Levels[0].Tiled = append(p.Levels[0].Tiled, p.Levels[0].Tiled[0])
		}, "written twice"},
		"early sum": {func(p *core.Program) {
			p.Levels[0].Tiled = append(p.Levels[0].Tiled, p.Levels[1].Tiled...)
		}, "end of this level"},
		"early update":  {func(p *core.Program) { p.Levels[0].Whole = p.Levels[1].Whole }, "not computed yet"},
		"stale version": {func(p *core.Program) { p.Levels[1].Tiled[0].In[1] = 1 }, "not the version"},
		"batched sum":   {func(p *core.Program) { p.Values[3].Rows = 4; p.Values[3].Batched = true }, "shape 1×1"},
		"unmarked":      {func(p *core.Program) { p.Values[2].Batched = false }, "not marked"},
		"tiled update": {func(p *core.Program) {
			p.Levels[1].Tiled = append(p.Levels[1].Tiled, p.Levels[1].Whole...)
			p.Levels[1].Whole = nil
		}, "cannot be tiled"},
		"nothing batched": {func(p *core.Program) {
			p.Values[0].Batched = false
		}, "no operand read by rows is batched"},
		"written constant": {func(p *core.Program) { p.Levels[1].Tiled[0].Out = 6 }, "written by an instruction"},
		"constant shape":   {func(p *core.Program) { p.Values[6].Rows = 2 }, "want 1×1"},
		"unknown":          {func(p *core.Program) { p.Levels[0].Tiled[0].Op = "dense" }, "not an instruction"},
		"output":           {func(p *core.Program) { p.Outputs["w"] = 4 }, `output "w"`},
		"input":            {func(p *core.Program) { p.Inputs["w"] = 1 }, `input "w"`},
		"two parameters":   {func(p *core.Program) { p.Values[4].Store = "v" }, "two versions of one parameter"},
		"early norm": {func(p *core.Program) {
			p.Levels[0].Whole = []core.Instr{{Op: core.Norm{}, In: []int{2}, Out: 3}}
		}, "not computed yet"},
		"read entire": {func(p *core.Program) {
			p.Values[5].Cols = 4
			p.Levels[0].Tiled = append(p.Levels[0].Tiled,
				core.Instr{Op: op.SquaredDistances{}, In: []int{0, 2}, Out: 5})
			p.Levels[1].Tiled = nil
		}, "read entire"},
		"operand count": {func(p *core.Program) { p.Levels[1].Whole[0].In = []int{1} }, "got 1 operands"},
		"parameter batched": {func(p *core.Program) {
			p.Values[1].Batched = true
			p.Values[1].Rows = 2
		}, "are not batched"},
	} {
		t.Run(name, func(t *testing.T) {
			p := valid()
			c.spoil(p)
			if err := p.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that says %q", err, c.want)
			}
		})
	}
}
