package cells

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Decl is a live top-level declaration of a cell: a type, a group of constants, a function or a method ("T.M").
type Decl struct {
	Name  string
	Names []string // all names that a group of constants declares
	Node  ast.Decl // *ast.FuncDecl, or *ast.GenDecl with one type or one group of constants
	Cell  int
	Text  string // source of the declaration, to see whether a re-run changes it
	From  *Text

	Uses  map[string]bool // other live names that its checked source uses
	Stale bool            // whether it does not fit a later redefinition

	Func *types.Func // object of a function or method
	// a second object of the function, made when its body is checked; checked bodies may refer to this object instead
	// of Func
	Also   *types.Func
	Sig    *types.Signature // signature of its body, with the receiver first
	Type   *types.TypeName  // object of a type
	Consts []*types.Const

	sum *summary // summary of a function, once it was needed
}

func (d *Decl) copy() *Decl {
	c := *d
	return &c
}

// Var is a live variable.
type Var struct {
	Name string
	Obj  *types.Var // object to which later cells refer
	Cell int
}

// GoVersion is the version of Go for cells, whatever version built the kernel. It is the version of go.mod, with which
// the library's tables are made.
const GoVersion = "go1.26"

// Scope holds the declarations of the cells so far.
type Scope struct {
	Fset     *token.FileSet
	Info     *types.Info
	Packages map[string]*types.Package
	// function that completes a package before it is used; may be nil
	Load func(*types.Package) error
	// function that finds a package that is not in Packages; may be nil
	Find func(ctx context.Context, path string) (*types.Package, error)
	// function that says why a package that others can import is not here, or ""; may be nil
	Absent func(path string) string

	Imports map[string]string // paths by the names that cells use
	Dots    []string          // packages imported with a dot
	Decls   map[string]*Decl
	Vars    map[string]*Var

	layouts map[string]int // how often a type's name changed its layout
}

// New returns a scope without cells. The argument packages are those that cells can import.
func New(fset *token.FileSet, packages map[string]*types.Package) *Scope {
	return &Scope{
		Fset: fset, Packages: maps.Clone(packages),
		Info: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
			Uses:      map[*ast.Ident]types.Object{},
			Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
			Instances: map[*ast.Ident]types.Instance{},
		},
		Imports: map[string]string{}, Decls: map[string]*Decl{}, Vars: map[string]*Var{}, layouts: map[string]int{},
	}
}

// Import implements types.Importer.
func (p *Scope) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	pkg, ok := p.Packages[path]
	if !ok && p.Absent != nil {
		if why := p.Absent(path); why != "" {
			return nil, fmt.Errorf("package %q %s", path, why)
		}
	}
	if !ok {
		near := p.similar(path)
		if first, _, _ := strings.Cut(path, "/"); near == "" && strings.Contains(first, ".") {
			near = ": the engine yaegi has its own packages only, the engine go imports those of other modules too"
		}
		return nil, fmt.Errorf("package %q is not one this notebook can import%s", path, near)
	}
	if p.Load != nil {
		if err := p.Load(pkg); err != nil {
			return nil, fmt.Errorf("package %q: %w", path, err)
		}
	}
	return pkg, nil
}

// fetch makes a package that a cell imports one of Packages.
func (p *Scope) fetch(ctx context.Context, path string) error {
	if path == "unsafe" || path == "C" || p.Packages[path] != nil || p.Find == nil {
		return nil
	}
	similar := p.similar(path)
	if _, err := p.Find(ctx, path); err != nil {
		return fmt.Errorf("package %q %w%s", path, err, similar)
	}
	return nil
}

func (p *Scope) similar(path string) string {
	base := path[strings.LastIndex(path, "/")+1:]
	var near []string
	for q := range p.Packages {
		if q[strings.LastIndex(q, "/")+1:] == base {
			near = append(near, strconv.Quote(q))
		}
	}
	if near == nil {
		return ""
	}
	sort.Strings(near)
	return "; there is " + strings.Join(near, ", ")
}

// Unit is a checked cell, ready to be lowered. Commit makes it part of the scope.
type Unit struct {
	Cell     int
	Types    []*Decl // types that are declared or redeclared
	Funcs    []*Decl // functions to be compiled: those of the cell and those that depend on it
	Consts   []*Decl
	Inits    []*Decl
	Main     *Decl
	Body     []ast.Stmt
	Value    ast.Expr // last statement, if it has a value to show
	Vars     []*CellVar
	Warnings []string
	Keys     map[*types.TypeName]string // identities of the declared types
	Text     *Text
	Unused   map[token.Pos]bool // unused variables by the place of their declaration; cells may have them

	prog    *Scope
	imports map[string]string
	dots    []string
	moved   map[*types.TypeName]*types.TypeName // redeclared with the same layout
	kept    map[string]*Var
}

// CellVar is a variable that the cell's top level defines.
type CellVar struct {
	Name string
	Def  *types.Var // object that the type checker made for the cell
	Obj  *types.Var // object to which later cells refer
	Stmt int        // index of the statement that defines the variable
	Old  *Var       // earlier variable of the same name and type, to which the cell assigns; nil if the variable is new
}

// Errors are the errors of a cell, in order of position.
type Errors []Error

// Error is one error of a cell.
type Error struct {
	Pos token.Position
	Msg string
}

func (e Errors) Error() string {
	var b strings.Builder
	for k, x := range e {
		if k > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%d:%d: %s", x.Pos.Line, x.Pos.Column, x.Msg)
	}
	return b.String()
}

// CellName is the file name in the positions of a cell.
func CellName(n int) string { return fmt.Sprintf("cell %d", n) }

// declsOf lists the declarations of a cell, one for each type and group of constants.
func (p *Scope) declsOf(cell int, src *parsed, from *Text) ([]*Decl, Errors) {
	var list []*Decl
	var errs Errors
	text := func(n ast.Node) string { return from.Between(n.Pos(), n.End()) }
	seen := map[string]token.Pos{}
	add := func(d *Decl, pos token.Pos) {
		d.Cell, d.From = cell, from
		for _, n := range append([]string{d.Name}, d.Names...) {
			if n == "_" {
				continue
			}
			if prev, ok := seen[n]; ok && !(len(d.Names) > 0 && n == d.Name) {
				errs = append(errs, Error{p.Fset.Position(pos),
					fmt.Sprintf("%s redeclared in this cell (first at line %d)", n, p.Fset.Position(prev).Line)})
			}
			seen[n] = pos
		}
		list = append(list, d)
	}
	for _, node := range src.decls {
		switch d := node.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv == nil && (name == "init" || name == "_") {
				name = fmt.Sprintf("init %d", d.Pos()) // there may be several
			}
			if d.Recv != nil && len(d.Recv.List) == 1 {
				base := receiverBase(d.Recv.List[0].Type)
				if base == nil {
					errs = append(errs, Error{p.Fset.Position(d.Recv.Pos()),
						"the receiver must be a type or a pointer to one"})
					continue
				}
				if name == "_" { // which a type may have several of
					name = fmt.Sprintf("_ %d", d.Pos())
				}
				name = base.Name + "." + name
			}
			if d.Body == nil {
				errs = append(errs, Error{p.Fset.Position(d.Pos()), "missing function body"})
				continue
			}
			add(&Decl{Name: name, Node: d, Text: text(d)}, d.Name.Pos())
		case *ast.GenDecl:
			if d.Tok == token.TYPE {
				for _, s := range d.Specs {
					ts := s.(*ast.TypeSpec)
					g := &ast.GenDecl{Doc: d.Doc, Tok: token.TYPE, TokPos: ts.Pos(), Specs: []ast.Spec{ts}}
					add(&Decl{Name: ts.Name.Name, Node: g, Text: text(ts)}, ts.Name.Pos())
				}
				continue
			}
			c := &Decl{Node: d, Text: text(d), Names: []string{}}
			var all []string
			for _, s := range d.Specs {
				for _, id := range s.(*ast.ValueSpec).Names {
					all = append(all, id.Name)
					if id.Name != "_" { // which several groups may have
						c.Names = append(c.Names, id.Name)
					}
				}
			}
			if len(all) > 0 {
				c.Name = "const " + strings.Join(all, ",")
				add(c, d.Pos())
			}
		}
	}
	return list, errs
}

func receiverBase(t ast.Expr) *ast.Ident {
	for {
		switch x := t.(type) {
		case *ast.ParenExpr:
			t = x.X
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x
		default:
			return nil
		}
	}
}

func receiverParams(t ast.Expr) []*ast.Ident {
	for {
		switch x := t.(type) {
		case *ast.ParenExpr:
			t = x.X
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			if id, ok := x.Index.(*ast.Ident); ok {
				return []*ast.Ident{id}
			}
			return nil
		case *ast.IndexListExpr:
			var ids []*ast.Ident
			for _, i := range x.Indices {
				if id, ok := i.(*ast.Ident); ok {
					ids = append(ids, id)
				}
			}
			return ids
		default:
			return nil
		}
	}
}

// find returns the live declaration of a name.
func (p *Scope) find(name string) *Decl {
	if d := p.Decls[name]; d != nil {
		return d
	}
	for _, d := range p.Decls {
		if slices.Contains(d.Names, name) {
			return d
		}
	}
	return nil
}

// dependents returns the live declarations that refer to any of the names, directly or not.
func (p *Scope) dependents(names map[string]bool) map[string]*Decl {
	out := map[string]*Decl{}
	work := slices.Collect(maps.Keys(names))
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for key, d := range p.Decls {
			if d.Uses[n] && out[key] == nil {
				out[key] = d
				work = append(work, key)
				work = append(work, d.Names...)
			}
		}
	}
	return out
}
