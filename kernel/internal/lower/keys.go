package lower

import (
	"go/ast"
	"strconv"
)

// keyElements gives the elements of array and slice literals their indices. The interpreter works out the type of an
// element without a key before it has looked at what the element is made of, and cannot for some: an index into a
// native slice (x.F[0].G), a type assertion, an element reached through a pointer. Elements with a key it takes up in
// order.
func keyElements(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		c, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		next := 0
		for k, x := range c.Elts {
			kv, ok := x.(*ast.KeyValueExpr)
			if !ok {
				c.Elts[k] = &ast.KeyValueExpr{Key: intLit(next), Value: x}
				next++
			} else if key, ok := kv.Key.(*ast.BasicLit); ok { // else of a map or struct, whose elements all have keys
				if at, err := strconv.Atoi(key.Value); err == nil {
					next = at + 1
				}
			}
		}
		return true
	})
}
