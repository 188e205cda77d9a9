package compile

import (
	"fmt"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// typ writes a type as the files of plugins name it.
func (w *writer) typ(t types.Type) string {
	switch t := t.(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return w.pkg("unsafe") + ".Pointer"
		}
		return t.Name()
	case *types.Alias:
		if w.types[t.Obj()] == nil {
			return w.typ(types.Unalias(t))
		}
		return w.named(t.Obj(), t.TypeArgs())
	case *types.Named:
		return w.named(t.Obj(), t.TypeArgs())
	case *types.Pointer:
		return "*" + w.typ(t.Elem())
	case *types.Slice:
		return "[]" + w.typ(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), w.typ(t.Elem()))
	case *types.Map:
		return "map[" + w.typ(t.Key()) + "]" + w.typ(t.Elem())
	case *types.Chan:
		switch t.Dir() {
		case types.SendOnly:
			return "chan<- (" + w.typ(t.Elem()) + ")"
		case types.RecvOnly:
			return "<-chan (" + w.typ(t.Elem()) + ")"
		}
		return "chan (" + w.typ(t.Elem()) + ")"
	case *types.Signature:
		return "func" + w.signature(t)
	case *types.Struct:
		var b strings.Builder
		b.WriteString("struct {")
		for k := range t.NumFields() {
			f := t.Field(k)
			if f.Embedded() {
				b.WriteString(w.embeddedType(f.Type()))
			} else {
				b.WriteString(f.Name() + " " + w.typ(f.Type()))
			}
			if tag := t.Tag(k); tag != "" {
				b.WriteString(" " + strconv.Quote(tag))
			}
			b.WriteString("; ")
		}
		return b.String() + "}"
	case *types.TypeParam:
		return t.Obj().Name()
	case *types.Union:
		var list []string
		for term := range t.Terms() {
			tilde := ""
			if term.Tilde() {
				tilde = "~"
			}
			list = append(list, tilde+w.typ(term.Type()))
		}
		return strings.Join(list, " | ")
	case *types.Interface:
		var list []string
		for m := range t.ExplicitMethods() {
			list = append(list, m.Name()+w.signature(m.Signature()))
		}
		for e := range t.EmbeddedTypes() {
			list = append(list, w.typ(e))
		}
		return "interface{ " + strings.Join(list, "; ") + " }"
	}
	refuse(token.NoPos, "a variable of the cell is of type %s, which later cells cannot name", t)
	return ""
}

// embeddedType writes the type of an embedded field. The field has the same name as the type.
func (w *writer) embeddedType(t types.Type) string {
	star := ""
	if p, ok := t.(*types.Pointer); ok {
		star, t = "*", p.Elem()
	}
	named, ok := t.(interface {
		Obj() *types.TypeName
		TypeArgs() *types.TypeList
	})
	if !ok {
		return star + w.typ(t)
	}
	name, ok := w.embedded(named.Obj())
	if !ok {
		return star + w.typ(t)
	}
	return star + name + w.arguments(named.TypeArgs())
}

// inferred declares a variable that points to a value of type t, if t is an unexported type of a package and so has no
// name here. The compiler infers the type from a variable of that package that has it, or from a function that returns
// it.
func (w *writer) inferred(name string, t types.Type) (text string, ok bool) {
	o := t
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		o = p.Elem()
	}
	n, ok := types.Unalias(o).(*types.Named)
	if !ok || n.Obj().Exported() || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() == "main" {
		return "", false
	}
	scope := n.Obj().Pkg().Scope()
	for _, from := range scope.Names() {
		if v, ok := scope.Lookup(from).(*types.Var); ok && v.Exported() && types.Identical(v.Type(), t) {
			return fmt.Sprintf("var %s = %s__of(%s.%s)\nfunc %s__of[R any](R) *R { return nil }\n", name, name,
				w.pkg(n.Obj().Pkg().Path()), from, name), true
		}
		f, ok := scope.Lookup(from).(*types.Func)
		if !ok || !f.Exported() || f.Signature().TypeParams().Len() > 0 {
			continue
		}
		of := -1
		var results []string
		for r := range f.Signature().Results().Variables() {
			if types.Identical(r.Type(), t) {
				of = len(results)
			}
			results = append(results, fmt.Sprintf("R%d", len(results)))
		}
		if of < 0 {
			continue
		}
		list := strings.Join(results, ", ")
		params := types.NewSignatureType(nil, nil, nil, f.Signature().Params(), nil, f.Signature().Variadic())
		return fmt.Sprintf("var %s = %s__of(%s.%s)\nfunc %s__of[%s any](func%s (%s)) *R%d { return nil }\n", name, name,
				w.pkg(n.Obj().Pkg().Path()), from, name, list, strings.TrimSuffix(w.signature(params), " ()"),
				list, of),
			true
	}
	return "", false
}

func (w *writer) signature(s *types.Signature) string {
	list := func(t *types.Tuple, variadic bool) string {
		var out []string
		for k := range t.Len() {
			p := t.At(k).Type()
			if variadic && k == t.Len()-1 {
				out = append(out, "..."+w.typ(p.(*types.Slice).Elem()))
			} else {
				out = append(out, w.typ(p))
			}
		}
		return "(" + strings.Join(out, ", ") + ")"
	}
	return list(s.Params(), s.Variadic()) + " " + list(s.Results(), false)
}

// named writes a declared type.
func (w *writer) named(o *types.TypeName, args *types.TypeList) string {
	name := o.Name()
	switch e := w.types[o]; {
	case e != nil:
		w.refs[e] = true
		name = e.name
	case o.Pkg() == nil:
	case o.Pkg().Path() == "main" || o.Parent() != o.Pkg().Scope():
		refuse(token.NoPos, "a variable of the cell is of the type %s, which is declared inside a function: later "+
			"cells cannot name it. Declare the type outside", name)
	case !o.Exported():
		refuse(token.NoPos, "a variable of the cell is of the type %s.%s, which is not exported: later cells cannot "+
			"name it. Give the variable the type of an interface", o.Pkg().Path(), name)
	default:
		name = w.pkg(o.Pkg().Path()) + "." + name
	}
	return name + w.arguments(args)
}

func (w *writer) arguments(args *types.TypeList) string {
	if args.Len() == 0 {
		return ""
	}
	var list []string
	for a := range args.Types() {
		list = append(list, w.typ(a))
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// redirects lists functions and variables that would affect more than the session.
var redirects = map[string]string{
	"fmt":  " Print Println Printf Fprint Fprintln Fprintf Scan Scanln Scanf ",
	"flag": " Parse ",
	"log": " Print Println Printf Fatal Fatalln Fatalf Panic Panicln Panicf SetFlags Flags SetPrefix Prefix " +
		"SetOutput Writer Output Default ",
	"os":      " Exit Stdout Stderr Stdin Args ",
	"runtime": " Goexit Breakpoint ",
	"syscall": " Exit ",
	"time":    " Sleep ",
}

// exits reports whether a method ends the process: a method of a logger whose name begins with Fatal.
func exits(sel *types.Selection) bool {
	return sel != nil && sel.Kind() == types.MethodVal && strings.HasPrefix(sel.Obj().(*types.Func).FullName(),
		"(*log.Logger).Fatal")
}

// testMethods are methods of tests that call functions of cells, by what replaces them.
var testMethods = map[string]string{
	"(*testing.T).Run": "TestRun", "(*testing.B).Run": "BenchmarkRun", "(*testing.common).Cleanup": "Cleanup",
	"(testing.TB).Cleanup": "Cleanup", "(*testing.F).Fuzz": "Fuzz", "(*testing.B).RunParallel": "RunParallel",
}

// tests is what replaces a method of a test, "" if nothing does.
func tests(sel *types.Selection) string {
	if sel == nil || sel.Kind() != types.MethodVal {
		return ""
	}
	return testMethods[sel.Obj().(*types.Func).FullName()]
}

func redirected(path, name string) bool { return strings.Contains(redirects[path], " "+name+" ") }
