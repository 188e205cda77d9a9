package assist

import (
	"fmt"
	"go/types"
	"strings"

	"nacre/kernel/internal/cells"
)

func kindOf(o types.Object) string {
	switch o := o.(type) {
	case *types.Func:
		if o.Signature().Recv() != nil {
			return "method"
		}
		return "function"
	case *types.TypeName:
		return "type"
	case *types.Builtin:
		return "function"
	case *types.Const:
		return "constant"
	case *types.PkgName:
		return "package"
	case *types.Var:
		if o.IsField() {
			return "field"
		}
	}
	return "variable"
}

// signatureOf is an object's type as a cell would write it.
func signatureOf(o types.Object) string {
	if o.Type() == nil || o.Type() == types.Typ[types.Invalid] {
		return ""
	}
	switch o := o.(type) {
	case *types.TypeName:
		switch o.Type().Underlying().(type) {
		case *types.Struct:
			return "struct"
		case *types.Interface:
			return "interface"
		}
		return cells.TypeText(o.Type().Underlying())
	case *types.Const:
		return fmt.Sprintf("%s = %s", cells.TypeText(o.Type()), o.Val())
	}
	return cells.TypeText(o.Type())
}

const maxFields = 40

// declaration is how an object would be declared, without bodies and unexported fields.
func declaration(o types.Object) string {
	switch o := o.(type) {
	case *types.Func:
		sig := o.Signature()
		text := "func "
		if r := sig.Recv(); r != nil {
			text += "(" + cells.TypeText(r.Type()) + ") "
		}
		return text + o.Name() + strings.TrimPrefix(cells.TypeText(sig), "func")
	case *types.TypeName:
		return typeDeclaration(o)
	case *types.Const:
		return fmt.Sprintf("const %s %s = %s", o.Name(), cells.TypeText(o.Type()), o.Val())
	case *types.Var:
		return "var " + o.Name() + " " + cells.TypeText(o.Type())
	case *types.Builtin:
		return "func " + o.Name()
	}
	return o.Name()
}

func typeDeclaration(o *types.TypeName) string {
	head := "type " + o.Name() + " "
	if st, ok := o.Type().Underlying().(*types.Struct); ok {
		var b strings.Builder
		b.WriteString(head + "struct {\n")
		hidden := 0
		for k := range st.NumFields() {
			f := st.Field(k)
			if !f.Exported() && f.Pkg().Path() != "main" || k >= maxFields {
				hidden++
				continue
			}
			if f.Embedded() {
				fmt.Fprintf(&b, "\t%s\n", cells.TypeText(f.Type()))
			} else {
				fmt.Fprintf(&b, "\t%s %s\n", f.Name(), cells.TypeText(f.Type()))
			}
		}
		if hidden > 0 {
			b.WriteString("\t// and unexported fields\n")
		}
		return b.String() + "}"
	}
	if i, ok := o.Type().Underlying().(*types.Interface); ok && i.NumMethods() > 0 {
		var b strings.Builder
		b.WriteString(head + "interface {\n")
		for m := range i.Methods() {
			fmt.Fprintf(&b, "\t%s%s\n", m.Name(), strings.TrimPrefix(cells.TypeText(m.Type()), "func"))
		}
		return b.String() + "}"
	}
	return head + cells.TypeText(o.Type().Underlying())
}

// synopsis is the first sentence of a text.
func synopsis(doc string) string {
	doc, _, _ = strings.Cut(strings.TrimSpace(doc), "\n\n")
	doc = strings.Join(strings.Fields(doc), " ")
	if k := strings.Index(doc, ". "); k >= 0 {
		return doc[:k+1]
	}
	return doc
}
