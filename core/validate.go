package core

import (
	"fmt"

	"nacre/core/graph"
	"nacre/core/op"
)

// Validate checks everything an executor relies on: shapes, operand counts, that every value is written once and
// complete before it is read, and that a parameter's versions follow one another. The error names level and
// instruction.
func (p *Program) Validate() error {
	c := checker{p: p, state: make([]readiness, len(p.Values)), current: map[string]int{}}
	if err := c.values(); err != nil {
		return fmt.Errorf("core: program %q: %w", p.Name, err)
	}
	for l, level := range p.Levels {
		for _, part := range []struct {
			name   string
			instrs []Instr
			check  func(Instr) error
		}{{"whole", level.Whole, c.whole}, {"tiled", level.Tiled, c.tiled}} {
			for i, in := range part.instrs {
				if err := c.operands(in); err == nil {
					err = part.check(in)
					if err != nil {
						return fmt.Errorf("core: program %q: level %d, %s instruction %d (%v → %s): %w", p.Name, l,
							part.name, i, in.Op, p.label(in.Out), err)
					}
				} else {
					return fmt.Errorf("core: program %q: level %d, %s instruction %d (%v): %w", p.Name, l, part.name,
						i, in.Op, err)
				}
			}
		}
		c.endLevel()
	}
	return c.outputs()
}

// readiness says who may read a value at some point of the schedule.
type readiness uint8

const (
	absent  readiness = iota // not computed yet
	summing                  // a reduction of the present level: nobody
	tile                     // computed by the present level's tiles: tiles that read it by rows
	ready                    // everybody
)

type checker struct {
	p       *Program
	state   []readiness
	current map[string]int // the version of each parameter that is in its storage
}

func (c *checker) values() error {
	p := c.p
	if p.Groups < 1 || p.TileGroups < 1 || p.Lanes < 1 {
		return fmt.Errorf("Groups %d, TileGroups %d and Lanes %d must be at least 1", p.Groups, p.TileGroups, p.Lanes)
	}
	written := make([]bool, len(p.Values))
	for _, l := range p.Levels {
		for _, in := range append(append([]Instr(nil), l.Whole...), l.Tiled...) {
			if in.Out >= 0 && in.Out < len(written) {
				written[in.Out] = true
			}
		}
	}
	shapes := map[string]op.Shape{}
	for i, v := range p.Values {
		switch {
		case v.Rows < 1 || v.Cols < 1:
			return fmt.Errorf("%s has shape %d×%d", p.label(i), v.Rows, v.Cols)
		case v.Batched && v.Rows%p.Groups != 0:
			return fmt.Errorf("%s is batched but has %d rows for %d groups", p.label(i), v.Rows, p.Groups)
		case v.Kind == Const && (v.Rows != 1 || v.Cols != 1):
			return fmt.Errorf("constant %s has shape %d×%d, want 1×1", p.label(i), v.Rows, v.Cols)
		case (v.Kind == Input || v.Kind == Const) && written[i]:
			return fmt.Errorf("%s is written by an instruction", p.label(i))
		}
		if v.Kind == Param {
			s, ok := shapes[v.Store]
			if ok && s != v.shape() || v.Store == "" || v.Batched {
				return fmt.Errorf("parameter %s: its versions must share name and shape and are not batched",
					p.label(i))
			}
			shapes[v.Store] = v.shape()
			if !written[i] {
				if first, ok := c.current[v.Store]; ok {
					return fmt.Errorf("parameter %q has two first versions, values %d and %d", v.Store, first, i)
				}
				c.current[v.Store] = i
			}
		}
		if v.Kind != Temp && !written[i] {
			c.state[i] = ready
		}
	}
	for name, i := range p.Inputs {
		if i < 0 || i >= len(p.Values) || p.Values[i].Kind != Input {
			return fmt.Errorf("input %q is not an input value", name)
		}
	}
	return nil
}

// operands checks what concerns every instruction: indices, shapes and parameter versions.
func (c *checker) operands(in Instr) error {
	p := c.p
	for _, v := range append([]int{in.Out}, in.In...) {
		if v < 0 || v >= len(p.Values) {
			return fmt.Errorf("there is no value %d", v)
		}
	}
	for _, v := range in.In {
		if c.state[v] == absent {
			return fmt.Errorf("operand %s is not computed yet", p.label(v))
		}
		if x := p.Values[v]; x.Kind == Param && c.current[x.Store] != v {
			return fmt.Errorf("operand %s is not the version of %q stored at this point, %s is", p.label(v), x.Store,
				p.label(c.current[x.Store]))
		}
	}
	out := p.Values[in.Out]
	switch o := in.Op.(type) {
	case op.Op:
		shapes := make([]op.Shape, len(in.In))
		for i, v := range in.In {
			shapes[i] = p.Values[v].shape()
		}
		want, err := graph.ShapeOf(o, shapes...)
		if err != nil {
			return err
		}
		if out.Kind != Temp || out.shape() != want {
			return fmt.Errorf("the result %s must be a temporary of shape %v", p.label(in.Out), want)
		}
	case Adam, EMA:
		if len(in.In) != 2 {
			return fmt.Errorf("got %d operands, want 2", len(in.In))
		}
		w, g := p.Values[in.In[0]], p.Values[in.In[1]]
		if w.Kind != Param || out.Kind != Param || w.Store != out.Store || w.shape() != g.shape() {
			return fmt.Errorf("operands %s, %s and result %s: want two versions of one parameter and a matrix of its "+
				"shape", p.label(in.In[0]), p.label(in.In[1]), p.label(in.Out))
		}
	case Norm:
		if len(in.In) == 0 || out.Kind != Temp || out.shape() != (op.Shape{Rows: 1, Cols: 1}) {
			return fmt.Errorf("Norm takes at least one operand and makes a 1×1 temporary")
		}
	default:
		return fmt.Errorf("%T is not an instruction", in.Op)
	}
	if c.state[in.Out] != absent {
		return fmt.Errorf("%s is written twice", p.label(in.Out))
	}
	return nil
}

func (c *checker) whole(in Instr) error {
	for _, v := range in.In {
		if c.state[v] != ready {
			return fmt.Errorf("operand %s is complete only at the end of this level", c.p.label(v))
		}
	}
	c.state[in.Out] = ready
	if out := c.p.Values[in.Out]; out.Kind == Param {
		c.current[out.Store] = in.Out
	}
	return nil
}

func (c *checker) tiled(in Instr) error {
	p := c.p
	o, ok := in.Op.(op.Op)
	if !ok {
		return fmt.Errorf("it works on entire matrices and cannot be tiled")
	}
	batched := false
	for i, v := range in.In {
		x := p.Values[v]
		if o.Operand(i) == op.Whole {
			if c.state[v] != ready {
				return fmt.Errorf("operand %s is read entire but complete only at the end of this level", p.label(v))
			}
			continue
		}
		switch {
		case c.state[v] == summing, c.state[v] == tile && !x.Batched:
			return fmt.Errorf("operand %s is complete only at the end of this level", p.label(v))
		case x.Rows != 1 && x.Rows%p.Groups != 0:
			return fmt.Errorf("operand %s cannot be cut into %d groups", p.label(v), p.Groups)
		}
		batched = batched || x.Batched
	}
	out := p.Values[in.Out]
	switch {
	case !batched:
		return fmt.Errorf("no operand read by rows is batched")
	case o.Result() == op.Whole:
		if out.Batched {
			return fmt.Errorf("a sum over all rows is not batched")
		}
		c.state[in.Out] = summing
	case !out.Batched:
		return fmt.Errorf("the result is batched but not marked so")
	default:
		c.state[in.Out] = tile
	}
	return nil
}

func (c *checker) endLevel() {
	for i, s := range c.state {
		if s == summing || s == tile {
			c.state[i] = ready
		}
	}
}

func (c *checker) outputs() error {
	for name, i := range c.p.Outputs {
		if i < 0 || i >= len(c.p.Values) || c.p.Values[i].Kind != Temp || c.state[i] != ready {
			return fmt.Errorf("core: program %q: output %q is not a computed value", c.p.Name, name)
		}
	}
	return nil
}

func (v Value) shape() op.Shape { return op.Shape{Rows: v.Rows, Cols: v.Cols} }

// label names a value for messages.
func (p *Program) label(i int) string {
	if i < 0 || i >= len(p.Values) {
		return fmt.Sprintf("%%%d", i)
	}
	if v := p.Values[i]; v.Name != "" {
		return fmt.Sprintf("%%%d %q", i, v.Name)
	}
	return fmt.Sprintf("%%%d", i)
}
