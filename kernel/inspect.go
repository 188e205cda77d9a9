package kernel

import (
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// Inspect describes the name at the cursor, or, where there is none, the function whose arguments the cursor is among.
func (s *session) Inspect(ctx context.Context, code string, cursor, detail int) (found Inspection) {
	defer func() { // as in Complete
		if x := recover(); x != nil {
			found = Inspection{}
		}
	}()
	s.info.Lock()
	defer s.info.Unlock()
	before := prefixOf(code, cursor)
	full := before + leading(code[len(before):], isNameRune)
	for range 2 {
		if d := s.describe(full, detail); d != nil {
			return Inspection{Found: true, Data: *d}
		}
		open := openCall(before)
		if open < 0 {
			break
		}
		full = strings.TrimRight(before[:open], " \t\n")
		before = full
	}
	return Inspection{}
}

// openCall is where the innermost parenthesis that is open at the end of code stands, -1 where there is none.
func openCall(code string) int {
	depth := 0
	for k := len(code) - 1; k >= 0; k-- {
		switch code[k] {
		case ')', ']', '}':
			depth++
		case '[', '{':
			depth--
		case '(':
			if depth--; depth < 0 {
				return k
			}
		}
	}
	return -1
}

// describe describes the name that code ends with.
func (s *session) describe(code string, detail int) *Data {
	word := trailing(code, isNameRune)
	if word == "" {
		return nil
	}
	rest := strings.TrimSuffix(code, word)
	if !strings.HasSuffix(rest, ".") {
		return s.describeName(rest, word, detail)
	}
	operand := operandOf(strings.TrimSuffix(rest, "."))
	if path, ok := s.importsOf(code)[operand]; ok {
		pkg, err := s.prog.Import(path)
		if err != nil {
			return nil
		}
		if o := pkg.Scope().Lookup(word); o != nil && o.Exported() {
			return card(declaration(o), s.library.Doc(path, word), "package "+path)
		}
		return nil
	}
	t := s.typeOf(strings.TrimSuffix(rest, "."), operand)
	if t == nil {
		return nil
	}
	o, _, _ := types.LookupFieldOrMethod(t, true, mainPackage(t), word)
	if o == nil {
		return nil
	}
	return s.describeMember(o, detail)
}

// mainPackage lets unexported members of cells' types be found.
func mainPackage(t types.Type) *types.Package {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "main" {
		return n.Obj().Pkg()
	}
	return nil
}

func (s *session) describeMember(o types.Object, detail int) *Data {
	f, isFunc := o.(*types.Func)
	if !isFunc || f.Signature().Recv() == nil {
		return card(fmt.Sprintf("field %s %s", o.Name(), typeText(o.Type())), "", "")
	}
	recv := f.Signature().Recv().Type()
	if p, ok := types.Unalias(recv).(*types.Pointer); ok {
		recv = p.Elem()
	}
	n, ok := types.Unalias(recv).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return card(declaration(o), "", "")
	}
	if n.Obj().Pkg().Path() == "main" {
		return s.describeCell(n.Obj().Name()+"."+o.Name(), o, detail)
	}
	path := n.Obj().Pkg().Path()
	return card(declaration(o), s.library.Doc(path, n.Obj().Name()+"."+o.Name()), "package "+path)
}

// describeName describes a name without a dot.
func (s *session) describeName(before, word string, detail int) *Data {
	for o := range s.scopeAt(before + "\n") {
		if v, ok := o.(*types.Var); ok && o.Name() == word && o.Parent() != nil && s.prog.Vars[word] == nil {
			return card("var "+word+" "+typeText(v.Type()), "", "")
		}
	}
	if v, ok := s.prog.Vars[word]; ok {
		where := fmt.Sprintf("variable, cell %d", v.Cell)
		value := ""
		for _, x := range s.Variables() {
			if x.Name == word {
				value = x.Value
			}
		}
		head := "var " + word + " " + typeText(v.Obj.Type())
		if value != "" {
			head += " = " + value
		}
		return card(head, "", where)
	}
	for name, d := range s.prog.Decls {
		if name == word && d.Func != nil {
			return s.describeCell(word, d.Func, detail)
		}
		if name == word && d.Type != nil {
			return s.describeCell(word, d.Type, detail)
		}
		for _, c := range d.Consts {
			if c.Name() == word {
				return card(declaration(c), "", fmt.Sprintf("constant, cell %d", d.Cell))
			}
		}
	}
	if path, ok := s.importsOf(before)[word]; ok {
		return card(fmt.Sprintf("package %s // import %q", word, path), s.library.Doc(path, ""), "")
	}
	if o := types.Universe.Lookup(word); o != nil {
		return card(declaration(o), builtinDoc[word], "built in")
	}
	return nil
}

// describeCell describes what a cell declared: its comment, and its source where detail asks for it.
func (s *session) describeCell(name string, o types.Object, detail int) *Data {
	d := s.prog.Decls[name]
	if d == nil {
		return card(declaration(o), "", "")
	}
	text := ""
	switch n := d.Node.(type) {
	case *ast.FuncDecl:
		text = n.Doc.Text()
	case *ast.GenDecl:
		text = n.Doc.Text()
		if ts, ok := n.Specs[0].(*ast.TypeSpec); ok && text == "" {
			text = ts.Doc.Text()
		}
	}
	head := declaration(o)
	if detail > 0 {
		head = d.Text
		if _, isType := o.(*types.TypeName); isType {
			head = "type " + head
		}
	}
	return card(head, text, fmt.Sprintf("cell %d", d.Cell))
}

const maxFields = 40

// declaration is how an object would be declared, without bodies and unexported fields.
func declaration(o types.Object) string {
	switch o := o.(type) {
	case *types.Func:
		sig := o.Signature()
		text := "func "
		if r := sig.Recv(); r != nil {
			text += "(" + typeText(r.Type()) + ") "
		}
		return text + o.Name() + strings.TrimPrefix(typeText(sig), "func")
	case *types.TypeName:
		return typeDeclaration(o)
	case *types.Const:
		return fmt.Sprintf("const %s %s = %s", o.Name(), typeText(o.Type()), o.Val())
	case *types.Var:
		return "var " + o.Name() + " " + typeText(o.Type())
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
				fmt.Fprintf(&b, "\t%s\n", typeText(f.Type()))
			} else {
				fmt.Fprintf(&b, "\t%s %s\n", f.Name(), typeText(f.Type()))
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
			fmt.Fprintf(&b, "\t%s%s\n", m.Name(), strings.TrimPrefix(typeText(m.Type()), "func"))
		}
		return b.String() + "}"
	}
	return head + typeText(o.Type().Underlying())
}

// card is a description as text and as Markdown.
func card(head, doc, where string) *Data {
	text := head
	mark := "```go\n" + head + "\n```"
	if doc = strings.TrimSpace(doc); doc != "" {
		text += "\n\n" + doc
		mark += "\n\n" + doc
	}
	if where != "" {
		text += "\n\n" + where
		mark += "\n\n*" + where + "*"
	}
	return &Data{MIME: map[string]any{"text/plain": text, "text/markdown": mark}}
}

// builtinDoc says what Go's own functions do.
var builtinDoc = map[string]string{
	"append": "append adds elements to a slice and returns the longer one.", "cap": "cap is the capacity of a slice, array or channel.",
	"clear": "clear empties a map, or sets all elements of a slice to zero.", "close": "close closes a channel.",
	"complex": "complex makes a complex number of its real and imaginary part.", "copy": "copy copies elements between slices and returns how many.",
	"delete": "delete removes a key from a map.", "imag": "imag is the imaginary part.", "len": "len is the number of elements.",
	"make": "make makes a slice, map or channel.", "max": "max is the greatest of its arguments.", "min": "min is the least of its arguments.",
	"new": "new returns a pointer to a new variable.", "panic": "panic stops the function and those that called it.",
	"print": "print writes to standard error.", "println": "println writes to standard error.", "real": "real is the real part.",
	"recover": "recover stops a panic, in a deferred function.",
}
