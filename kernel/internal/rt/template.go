package rt

import (
	"fmt"
	"go/types"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
)

// A template is handed mirrors, whose fields have the names that they have in the cell. Values of types that print
// themselves stay whole, below the top: as an Obj, which a template cannot take apart.

// View returns a value whose fields native code can read by the names they have in the cell; its methods are not there.
func (r *Registry) View(x any) any { return r.viewMirror().view(x) }

func (m *mirror) view(x any) any {
	x = m.r.Norm(x)
	o, ok := object(x)
	if !ok {
		return m.inside(x)
	}
	if m.r.cyclic(o, true) {
		refuse("a template's data of %s that contains itself is not supported by this engine", o.T.Name)
	}
	if p, ok := o.T.Go.Underlying().(*types.Pointer); ok {
		v := reflect.ValueOf(o.V)
		if v.IsNil() {
			return nil
		}
		x := reflect.New(m.bare(p.Elem()))
		x.Elem().Set(m.value(v.Elem(), p.Elem(), x.Type().Elem()))
		return x.Interface()
	}
	return m.value(reflect.ValueOf(o.V), o.T.Go, m.bare(o.T.Go)).Interface()
}

// inside is a native value with mirrors for what is in lists and maps of any.
func (m *mirror) inside(x any) any {
	v := reflect.ValueOf(x)
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		if v.IsNil() || !holdsAny(v.Type()) || m.r.cyclic(x, true) {
			return x
		}
	default:
		return x
	}
	part := func(e reflect.Value) reflect.Value {
		y := reflect.New(e.Type()).Elem()
		if x := m.part(e.Interface()); x != nil {
			y.Set(reflect.ValueOf(x))
		}
		return y
	}
	if v.Kind() == reflect.Slice {
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for k := range v.Len() {
			out.Index(k).Set(part(v.Index(k)))
		}
		return out.Interface()
	}
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	for it := v.MapRange(); it.Next(); {
		out.SetMapIndex(it.Key(), part(it.Value()))
	}
	return out.Interface()
}

// holdsAny says whether the elements of a slice or map, or theirs, are of type any.
func holdsAny(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Map:
		return t.Elem() == anyType || holdsAny(t.Elem())
	}
	return false
}

// part is what an interface below the top holds.
func (m *mirror) part(x any) any {
	o, ok := object(m.r.Norm(x))
	if !ok {
		return m.inside(x)
	}
	if m.keeps(o.T.Go) {
		return m.whole(o)
	}
	return m.view(o)
}

// whole is a value that stays whole.
func (m *mirror) whole(o Obj) any {
	m.kept = o.T
	x := m.r.Norm(o)
	if truth, ok := template.IsTrue(o.V); ok && !truth {
		return hollow{x}[:0]
	}
	return x
}

// hollow is a value that stays whole and is none to {{if}}: its element is beyond its length.
type hollow []any

func (h hollow) of() Obj {
	o, _ := object(h[:1][0])
	return o
}

func (h hollow) Format(f fmt.State, verb rune) { h.of().Format(f, verb) }
func (h hollow) MarshalJSON() ([]byte, error)  { return h.of().MarshalJSON() }

// executes is a template, of package text/template or html/template.
type executes interface {
	Execute(io.Writer, any) error
	ExecuteTemplate(io.Writer, string, any) error
}

// Execute runs a template, or that of its group with a name where it is not nil.
func (r *Registry) Execute(t executes, w io.Writer, name, data any) error {
	m := r.viewMirror()
	tree := treeOf(reflect.ValueOf(t))
	lookup := func(name string) *parse.Tree {
		return treeOf(reflect.ValueOf(t).MethodByName("Lookup").Call([]reflect.Value{reflect.ValueOf(name)})[0])
	}
	if name != nil {
		tree = lookup(name.(string))
	}
	x := m.view(data)
	if o, ok := object(r.Norm(data)); ok && m.keeps(o.T.Go) && tree != nil {
		u := uses{lookup: lookup, seen: map[string]bool{}}
		u.node(tree.Root, true)
		switch {
		case u.whole && u.parts:
			refuse("a template that both prints a value of %s, which prints itself, and reads its parts is not supported by this engine: hand over its text apart", o.T.Name)
		case u.whole:
			x = m.whole(o)
		}
	}
	if name != nil {
		return m.templated(t.ExecuteTemplate(w, name.(string), x))
	}
	return m.templated(t.Execute(w, x))
}

// treeOf is the tree of a template of either package, nil where there is no template. It is found by reflection, since the
// browser's kernel does not link html/template.
func treeOf(t reflect.Value) *parse.Tree {
	if t.IsNil() {
		return nil
	}
	return t.Elem().FieldByName("Tree").Interface().(*parse.Tree)
}

// uses is what a template does with its data: reads parts of it, or prints the whole.
type uses struct {
	parts, whole bool
	lookup       func(name string) *parse.Tree
	seen         map[string]bool
}

// node looks at a part of the template, in which the dot is the data where top is set.
func (u *uses) node(n parse.Node, top bool) {
	branch := func(b *parse.BranchNode, inner bool) {
		ranges := b.NodeType == parse.NodeRange
		if u.is(b.Pipe, top) && (ranges || len(b.Pipe.Decl) == 0) {
			u.parts = u.parts || ranges
		} else {
			u.node(b.Pipe, top)
		}
		u.node(b.List, inner)
		if b.ElseList != nil {
			u.node(b.ElseList, top)
		}
	}
	switch n := n.(type) {
	case *parse.ListNode:
		for _, x := range n.Nodes {
			u.node(x, top)
		}
	case *parse.ActionNode:
		u.node(n.Pipe, top)
	case *parse.IfNode:
		branch(&n.BranchNode, top)
	case *parse.RangeNode:
		branch(&n.BranchNode, false)
	case *parse.WithNode:
		branch(&n.BranchNode, u.is(n.Pipe, top))
	case *parse.TemplateNode:
		if n.Pipe == nil {
			return
		}
		if !u.is(n.Pipe, top) {
			u.node(n.Pipe, top)
		} else if tree := u.lookup(n.Name); tree != nil && !u.seen[n.Name] {
			u.seen[n.Name] = true
			u.node(tree.Root, true)
		}
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			u.command(c, top)
		}
	case *parse.ChainNode:
		u.node(n.Node, top)
	case *parse.FieldNode:
		u.parts = u.parts || top
	case *parse.VariableNode:
		if n.Ident[0] == "$" {
			u.parts = u.parts || len(n.Ident) > 1
			u.whole = u.whole || len(n.Ident) == 1
		}
	case *parse.DotNode:
		u.whole = u.whole || top
	}
}

func (u *uses) command(c *parse.CommandNode, top bool) {
	f, ok := c.Args[0].(*parse.IdentifierNode)
	looks := ok && slices.Contains([]string{"len", "index", "slice", "eq", "ne", "lt", "le", "gt", "ge"}, f.Ident)
	for _, x := range c.Args {
		if looks && isData(x, top) {
			u.parts = true
		} else if !(ok && f.Ident == "not" && isData(x, top)) {
			u.node(x, top)
		}
	}
}

// is says whether a pipeline is the data itself.
func (u *uses) is(p *parse.PipeNode, top bool) bool {
	return len(p.Cmds) == 1 && len(p.Cmds[0].Args) == 1 && isData(p.Cmds[0].Args[0], top)
}

func isData(n parse.Node, top bool) bool {
	if v, ok := n.(*parse.VariableNode); ok {
		return len(v.Ident) == 1 && v.Ident[0] == "$"
	}
	return top && n.Type() == parse.NodeDot
}

var (
	missingField = regexp.MustCompile(`can't evaluate field (?P<field>\w+) in type (?P<type>.*)|nil pointer evaluating (?P<type>\*.*)\.(?P<field>\w+)$|(?P<field>\w+) is an unexported field of struct type (?P<type>.*)`)
	takenApart   = regexp.MustCompile(`can't evaluate field \w+ in type (interface \{\}|rt\.)|can't iterate over|can't index|error calling (len|index|slice|eq|ne|lt|le|gt|ge):`)
)

// viewError is the error of a template that names the cell's type instead of that of the mirror.
type viewError struct {
	error
	text string
}

func (e viewError) Error() string { return e.text }
func (e viewError) Unwrap() error { return e.error }

// templated passes on the error of a template, unless it is that of a method which a cell's type has, or of a value that
// stayed whole.
func (m *mirror) templated(err error) error {
	if err == nil {
		return nil
	}
	r := m.r
	if m.kept != nil && takenApart.MatchString(err.Error()) && !strings.Contains(err.Error(), "index out of range") {
		refuse("a template that takes apart values of %s, which print themselves, is not supported by this engine: hand their parts over apart", m.kept.Name)
	}
	text := err.Error()
	if strings.HasSuffix(text, "nil pointer to embedded struct field ") {
		refuse("a template that reads a field of a nil pointer that is embedded is not supported by this engine: ask with {{with}} whether there is one")
	}
	at := missingField.FindStringSubmatchIndex(text)
	if at == nil {
		return err
	}
	var name string
	var from, to int
	for k, group := range missingField.SubexpNames() {
		switch start, end := at[2*k], at[2*k+1]; {
		case start < 0:
		case group == "field":
			name = text[start:end]
		case group == "type":
			from, to = start, end
		}
	}
	r.mu.RLock()
	known := slices.Clone(r.types)
	r.mu.RUnlock()
	for _, t := range known {
		if t.has(name) {
			refuse("templates see no methods of types of cells, such as %s of %s: make it a field, or a function of the template", name, t.Name)
		}
	}
	typ := text[from:to]
	pointers := typ[:len(typ)-len(strings.TrimLeft(typ, "*"))]
	for _, t := range slices.Backward(known) {
		_, isNamed := t.Go.(*types.Named)
		if _, isStruct := t.Go.Underlying().(*types.Struct); isStruct && isNamed && t.Native == nil && pointers+r.viewMirror().bare(t.Go).String() == typ {
			return viewError{err, text[:from] + pointers + t.Name + text[to:]}
		}
	}
	if typ == "*interface {}" { // what a type is in a mirror of itself
		refuse("a template that reads %s of a nil pointer is not supported by this engine: ask with {{with}} whether there is one", name)
	}
	return err
}

// TemplateFuncs passes on the functions for a template, unless one has parameters or results of cells' types.
func (r *Registry) TemplateFuncs(m template.FuncMap) template.FuncMap {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if o, ok := object(r.Norm(m[name])); ok {
			if _, isFunc := o.T.Go.Underlying().(*types.Signature); isFunc {
				refuse("functions of templates that take or return types of cells are not supported by this engine, such as %s, a %s", name, o.T.Name)
			}
		}
	}
	return m
}
