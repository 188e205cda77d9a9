package core

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"nacre/core/op"
)

// Gradients returns the gradients of loss (1×1) by each node of wrt. It may be called several times in a stage, also
// on an expression of gradients: Gorgonia, whose graphs can be differentiated only once, works on a copy each time.
//
// After an error the result holds nil nodes.
func (s *Stage) Gradients(loss *G.Node, wrt ...*G.Node) []*G.Node {
	out := make([]*G.Node, len(wrt))
	loss = s.checked(s, "Gradients", loss)
	targets := make([]*G.Node, len(wrt))
	for i, n := range wrt {
		targets[i] = s.checked(s, "Gradients", n)
	}
	if s.Err() != nil {
		return out
	}
	switch {
	case len(wrt) == 0:
		s.Fail(fmt.Errorf("Gradients: of %s by nothing", op.Describe(loss)))
	case loss.Shape()[0] != 1 || loss.Shape()[1] != 1:
		s.Fail(fmt.Errorf("Gradients: the loss %s is not 1×1; reduce it with SumAll or MeanAll", op.Describe(loss)))
	}
	for _, n := range targets {
		if s.Err() == nil && !affects(n, loss) {
			s.Fail(fmt.Errorf("Gradients: the loss does not depend on %s through anything a gradient passes",
				op.Describe(n)))
		}
	}
	if s.Err() != nil {
		return out
	}
	grads, err := s.differentiate(loss, targets)
	if err != nil {
		s.Fail(fmt.Errorf("Gradients: %w", err))
		return out
	}
	return grads
}

// affects reports whether a gradient can reach x from y.
func affects(x, y *G.Node) bool {
	seen := map[*G.Node]bool{}
	var visit func(n *G.Node) bool
	visit = func(n *G.Node) bool {
		if n == x {
			return true
		}
		if seen[n] || n.Op() == nil {
			return false
		}
		seen[n] = true
		children := op.Children(n)
		for i, d := range n.Op().(op.Op).DiffWRT(len(children)) {
			if d && visit(children[i]) {
				return true
			}
		}
		return false
	}
	return visit(y)
}

// differentiate has Gorgonia differentiate a copy of the expression and brings the gradients back.
func (s *Stage) differentiate(loss *G.Node, wrt []*G.Node) ([]*G.Node, error) {
	op.Graphs.Lock()
	defer op.Graphs.Unlock()

	there := copier{graph: G.NewGraph(), memo: map[*G.Node]*G.Node{}}
	l, err := there.copy(loss)
	if err != nil {
		return nil, err
	}
	back := copier{graph: s.graph, memo: map[*G.Node]*G.Node{}}
	for from, to := range there.memo {
		back.memo[to] = from
	}
	seed := G.NewMatrix(there.graph, G.Float64, G.WithShape(1, 1), G.WithName("seed"))
	back.memo[seed] = s.Const(1)

	targets := make(G.Nodes, len(wrt))
	for i, n := range wrt {
		targets[i] = there.memo[n]
	}
	grads, err := G.Backpropagate(G.Nodes{l}, G.Nodes{seed}, targets)
	if err != nil {
		return nil, err
	}
	if err := checkSums(there.memo, l, seed); err != nil {
		return nil, err
	}
	out := make([]*G.Node, len(wrt))
	for i, g := range grads {
		if out[i], err = back.copy(g); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// copier rebuilds expressions of the vocabulary in another graph.
type copier struct {
	graph *G.ExprGraph
	memo  map[*G.Node]*G.Node
}

func (c copier) copy(n *G.Node) (*G.Node, error) {
	if m, ok := c.memo[n]; ok {
		return m, nil
	}
	var m *G.Node
	if n.Op() == nil {
		m = G.NewMatrix(c.graph, G.Float64, G.WithShape(n.Shape()...), G.WithName(n.Name()))
	} else {
		children := op.Children(n)
		in := make([]*G.Node, len(children))
		for i, x := range children {
			var err error
			if in[i], err = c.copy(x); err != nil {
				return nil, err
			}
		}
		o, ok := n.Op().(op.Op)
		if !ok { // Gorgonia adds up the gradients that meet at a node with its own addition
			if kind, _ := builtin(n.Op()); kind != "+" {
				return nil, fmt.Errorf("unexpected %s among the gradients", op.Describe(n))
			}
			o = op.Binary{F: op.Add}
		}
		var err error
		if m, err = op.Apply(o, in...); err != nil {
			return nil, err
		}
	}
	c.memo[n] = m
	return m, nil
}

// checkSums verifies the one thing Gorgonia builds without op.Apply's guard: that each node's gradient is the sum of
// exactly the contributions of its consumers. nodes holds the expression's nodes as values.
func checkSums(nodes map[*G.Node]*G.Node, loss, seed *G.Node) error {
	want := map[*G.Node]map[*G.Node]int{}
	add := func(x, g *G.Node) {
		if want[x] == nil {
			want[x] = map[*G.Node]int{}
		}
		want[x][g]++
	}
	add(loss, seed)
	for _, y := range nodes {
		if y.Deriv() == nil || y.Op() == nil {
			continue
		}
		o, children := y.Op().(op.Op), op.Children(y)
		parts, err := o.SymDiff(children, y, y.Deriv())
		if err != nil {
			return err
		}
		for i, d := range o.DiffWRT(len(children)) {
			if d && children[i].Deriv() != nil {
				add(children[i], parts[i])
			}
		}
	}
	for x, parts := range want {
		n := 0
		for _, k := range parts {
			n += k
		}
		g := x.Deriv()
		for ; n > 1; n-- {
			if kind, _ := builtin(g.Op()); kind != "+" {
				break
			}
			terms := op.Children(g)
			parts[terms[1]]--
			g = terms[0]
		}
		parts[g]--
		for _, k := range parts {
			if k != 0 || n != 1 {
				return fmt.Errorf("Gorgonia merged the gradient of %s with another sum of the same hash; rename an "+
					"input", op.Describe(x))
			}
		}
	}
	return nil
}
