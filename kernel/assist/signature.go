package assist

import (
	"go/ast"
	"go/types"
	"strings"
	"unicode/utf8"

	"nacre/kernel/internal/cells"
)

// Signature describes the call in whose argument list the cursor stands. It is empty if there is no such call.
func (d Draft) Signature(code string, cursor int) (found Signature) {
	defer func() { // as in Complete
		if x := recover(); x != nil {
			found = Signature{}
		}
	}()
	d.Guard.Lock()
	defer d.Guard.Unlock()
	w := d.at(code, cursor)
	before := strings.TrimSuffix(w.before, w.word)
	if inTextOrComment(before) { // a text among the arguments
		open, _, ok := openText(before)
		if !ok {
			return Signature{}
		}
		before = open
	}
	w.check(before, cells.Marker)
	call := w.call()
	if call == nil {
		return Signature{}
	}
	name, doc, sig := w.callee(call.Fun)
	if sig == nil {
		return builtinSignature(name, w.argument(call))
	}
	found = written(name, sig)
	found.Active = w.argument(call)
	if n := len(found.Parameters); found.Active >= n {
		found.Active = -1
		if sig.Variadic() {
			found.Active = n - 1
		}
	}
	found.Doc = doc
	return found
}

// call is the innermost call among whose arguments the marker is, nil where it is in none, or in a function there.
func (w *writing) call() *ast.CallExpr {
	if w.sc == nil {
		return nil
	}
	for k, n := range w.sc.Path {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.BlockStmt:
			return nil
		case *ast.CallExpr:
			if k > 0 && n.Fun != w.sc.Path[k-1] {
				return n
			}
		}
	}
	return nil
}

// argument is the index of the argument that the marker is in.
func (w *writing) argument(call *ast.CallExpr) int {
	for k, a := range call.Args {
		if a.Pos() <= w.sc.Path[0].Pos() && w.sc.Path[0].Pos() < a.End() {
			return k
		}
	}
	return 0
}

// callee is a called function's name, documentation and type; without the type where it is one of Go's own.
func (w *writing) callee(f ast.Expr) (name, doc string, sig *types.Signature) {
	f = ast.Unparen(f)
	switch x := f.(type) {
	case *ast.IndexExpr:
		f = x.X
	case *ast.IndexListExpr:
		f = x.X
	}
	var id *ast.Ident
	switch x := f.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		t, _ := under(w.sc.Info.TypeOf(f)).(*types.Signature)
		return "func", "", t
	}
	o := w.sc.Info.Uses[id]
	if o == nil {
		return "", "", nil
	}
	if _, ok := o.(*types.Builtin); ok {
		return id.Name, "", nil
	}
	if _, ok := o.(*types.TypeName); ok || o.Type() == nil {
		return "", "", nil
	}
	sig, _ = o.Type().Underlying().(*types.Signature)
	return id.Name, synopsis(w.docOf(o)), sig
}

// docOf is the documentation of a function or method.
func (w *writing) docOf(o types.Object) string {
	f, ok := o.(*types.Func)
	if !ok || f.Pkg() == nil {
		return ""
	}
	name := f.Name()
	if r := f.Signature().Recv(); r != nil {
		t := r.Type()
		if p, ok := types.Unalias(t).(*types.Pointer); ok {
			t = p.Elem()
		}
		n, ok := types.Unalias(t).(*types.Named)
		if !ok {
			return ""
		}
		name = n.Obj().Name() + "." + name
	}
	if f.Pkg().Path() != "main" {
		return w.Doc(f.Pkg().Path(), name)
	}
	if d := w.prog.Decls[name]; d != nil {
		if n, ok := d.Node.(*ast.FuncDecl); ok {
			return n.Doc.Text()
		}
	}
	return ""
}

// written is a signature with the places of its parameters.
func written(name string, sig *types.Signature) Signature {
	var s Signature
	var b strings.Builder
	b.WriteString(name)
	if n := sig.TypeParams().Len(); n > 0 {
		var list []string
		for k := range n {
			p := sig.TypeParams().At(k)
			list = append(list, p.Obj().Name()+" "+cells.TypeText(p.Constraint()))
		}
		b.WriteString("[" + strings.Join(list, ", ") + "]")
	}
	b.WriteString("(")
	for k := range sig.Params().Len() {
		if k > 0 {
			b.WriteString(", ")
		}
		p := sig.Params().At(k)
		t := cells.TypeText(p.Type())
		if slice, ok := p.Type().(*types.Slice); ok && sig.Variadic() && k == sig.Params().Len()-1 {
			t = "..." + cells.TypeText(slice.Elem())
		}
		from := utf8.RuneCountInString(b.String())
		b.WriteString(strings.TrimSpace(p.Name() + " " + t))
		s.Parameters = append(s.Parameters, [2]int{from, utf8.RuneCountInString(b.String())})
	}
	b.WriteString(")")
	switch r := sig.Results(); {
	case r.Len() == 1 && r.At(0).Name() == "":
		b.WriteString(" " + cells.TypeText(r.At(0).Type()))
	case r.Len() > 0:
		b.WriteString(" " + cells.TypeText(r))
	}
	s.Label = b.String()
	return s
}

// builtinParameters are those of Go's own functions.
var builtinParameters = map[string]string{
	"append": "slice []T, elems ...T", "cap": "v T", "clear": "v T", "close": "c chan<- T", "complex": "r, i float64",
	"copy":   "dst, src []T",
	"delete": "m map[K]V, key K", "imag": "c complex128", "len": "v T", "make": "T, size ...int", "max": "x T, y ...T",
	"min": "x T, y ...T",
	"new": "T", "panic": "v any", "print": "args ...any", "println": "args ...any", "real": "c complex128",
	"recover": "",
}

func builtinSignature(name string, argument int) Signature {
	text, ok := builtinParameters[name]
	if !ok {
		return Signature{}
	}
	s := Signature{Label: name + "(" + text + ")", Doc: builtinDoc[name]}
	from := len(name) + 1
	for part := range strings.SplitSeq(text, ", ") {
		if part != "" {
			s.Parameters = append(s.Parameters, [2]int{from, from + len(part)})
		}
		from += len(part) + 2
	}
	s.Active = min(argument, len(s.Parameters)-1)
	return s
}

// builtinDoc says what Go's own functions do.
var builtinDoc = map[string]string{
	"append": "append adds elements to a slice and returns the longer one.",
	"cap":    "cap is the capacity of a slice, array or channel.",
	"clear":  "clear empties a map, or sets all elements of a slice to zero.", "close": "close closes a channel.",
	"complex": "complex makes a complex number of its real and imaginary part.",
	"copy":    "copy copies elements between slices and returns how many.",
	"delete":  "delete removes a key from a map.", "imag": "imag is the imaginary part.",
	"len":  "len is the number of elements.",
	"make": "make makes a slice, map or channel.", "max": "max is the greatest of its arguments.",
	"min": "min is the least of its arguments.",
	"new": "new returns a pointer to a new variable.", "panic": "panic stops the function and those that called it.",
	"print": "print writes to standard error.", "println": "println writes to standard error.",
	"real":    "real is the real part.",
	"recover": "recover stops a panic, in a deferred function.",
}
