package lower

import (
	"go/ast"
	"strconv"
)

// keyElements gives the elements of array and slice literals their indices. The interpreter determines the type of an
// element without a key before it has looked into the element. It cannot do this for an index into a native slice
// (x.F[0].G), a type assertion, or an element behind a pointer. Elements with keys it handles in order.
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
				// the other literals are maps and structs, whose elements all have keys
			} else if key, ok := kv.Key.(*ast.BasicLit); ok {
				if at, err := strconv.Atoi(key.Value); err == nil {
					next = at + 1
				}
			}
		}
		return true
	})
}
