package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	G "gorgonia.org/gorgonia"
)

// Gorgonia is a mutex for work on graphs of the library Gorgonia. The library keeps global nodes (the constants zero
// and one), and writes to them while it differentiates. So two goroutines must not differentiate at once, even on
// different graphs. Gradients holds the mutex. A goroutine that calls the library's own functions while others build
// should hold it too, but not while it calls Gradients or Minimise of a stage.
var Gorgonia sync.Mutex

// Gradients returns the gradients of loss (1×1) by each node of wrt. They are expressions of Ops, in the graph of the
// copies of loss and wrt. It may be called several times for a graph, also for an expression of gradients. The "+" of
// c.Own adds up what meets at a node, and c.Const makes the 1 that the chain rule begins with.
func (c *Copier) Gradients(loss *Node, wrt ...*Node) ([]*Node, error) {
	loss, err := c.Copy(loss)
	if err != nil {
		return nil, err
	}
	switch s := loss.Shape(); {
	case len(wrt) == 0:
		return nil, fmt.Errorf("of %s by nothing", Describe(loss))
	case s[0] != 1 || s[1] != 1:
		return nil, fmt.Errorf("the loss %s is not 1×1; reduce it with SumAll or MeanAll", Describe(loss))
	}
	wrt = slices.Clone(wrt)
	for i, n := range wrt {
		if wrt[i], err = c.Copy(n); err != nil {
			return nil, err
		}
		if !reaches(loss, wrt[i], map[*Node]bool{}) {
			return nil, fmt.Errorf("the loss does not depend on %s through anything a gradient passes", Describe(n))
		}
	}
	Gorgonia.Lock()
	defer Gorgonia.Unlock()

	g := New()
	there := Copier{Known: map[*Node]*Node{}, Leaf: func(n *Node) (*Node, error) {
		return Leaf(g, n.Name(), n.Shape()[0], n.Shape()[1])
	}}
	l, err := there.Copy(loss)
	if err != nil {
		return nil, err
	}
	seed, err := Leaf(g, "seed", 1, 1)
	if err != nil {
		return nil, err
	}
	targets := make(Nodes, len(wrt))
	for i, n := range wrt {
		targets[i] = there.Known[n]
	}
	grads, err := G.Backpropagate(Nodes{l}, Nodes{seed}, targets)
	if err != nil {
		return nil, err
	}
	back := Copier{Own: c.Own, Known: map[*Node]*Node{seed: c.Const(1)}}
	for from, to := range there.Known {
		back.Known[to] = from
	}
	if err := checkSums(back.Known, l, seed); err != nil {
		return nil, err
	}
	for i, n := range grads {
		if grads[i], err = back.Copy(n); err != nil {
			return nil, err
		}
	}
	return grads, nil
}

// reaches reports whether a gradient can come from y to x.
func reaches(y, x *Node, seen map[*Node]bool) bool {
	if y == x {
		return true
	}
	o := Of(y)
	if seen[y] || o == nil {
		return false
	}
	seen[y] = true
	children := Children(y)
	for i, d := range o.DiffWRT(len(children)) {
		if d && reaches(children[i], x, seen) {
			return true
		}
	}
	return false
}

// checkSums verifies the one thing that Gorgonia builds without Apply's guard: that the gradient of each node is the
// sum of exactly the contributions of its consumers. The keys of nodes are the nodes of the expression.
func checkSums(nodes map[*Node]*Node, loss, seed *Node) error {
	want := map[*Node][]*Node{loss: {seed}}
	for y := range nodes {
		o := Of(y)
		if y.Deriv() == nil || o == nil {
			continue
		}
		children := Children(y)
		parts, err := o.SymDiff(children, y, y.Deriv())
		if err != nil {
			return err
		}
		for i, d := range o.DiffWRT(len(children)) {
			if d && children[i].Deriv() != nil {
				want[children[i]] = append(want[children[i]], parts[i])
			}
		}
	}
	for x, parts := range want {
		var got []*Node
		g := x.Deriv()
		for len(got) < len(parts)-1 && isSum(g) { // from the last term to the first
			terms := Children(g)
			got, g = append(got, terms[1]), terms[0]
		}
		if !slices.Equal(sorted(append(got, g)), sorted(parts)) {
			return fmt.Errorf("Gorgonia merged the gradient of %s with another sum of the same hash; rename an input",
				Describe(x))
		}
	}
	return nil
}

// isSum reports whether n is what Gorgonia adds up by itself.
func isSum(n *Node) bool {
	return Of(n) == nil && n.Op() != nil && strings.HasPrefix(n.Op().String(), "+ ")
}

// sorted sorts nodes of one graph in place.
func sorted(nodes []*Node) []*Node {
	slices.SortFunc(nodes, func(a, b *Node) int { return cmp.Compare(a.ID(), b.ID()) })
	return nodes
}
