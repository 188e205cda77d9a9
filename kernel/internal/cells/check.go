package cells

import (
	"context"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strings"
)

// Check takes a cell apart and checks it against the scope. Only Commit changes the scope. An error is of type Errors.
// Packages that are missing are searched for until ctx ends.
func (p *Scope) Check(ctx context.Context, cell int, src string) (*Unit, error) {
	u, err := p.checkCell(ctx, cell, src)
	if errs, ok := err.(Errors); ok {
		err = habitual(src, errs)
	}
	return u, err
}

func (p *Scope) checkCell(ctx context.Context, cell int, src string) (*Unit, error) {
	c, err := p.checker(ctx, cell, src)
	if err != nil {
		return nil, err
	}
	return c.unit, c.run()
}

// checker takes a cell apart, so that it can be checked.
func (p *Scope) checker(ctx context.Context, cell int, src string) (*checker, error) {
	src = undirected(src)
	file, err := p.parseCell(CellName(cell), src)
	if err != nil {
		var errs Errors
		for _, e := range err.(scanner.ErrorList) {
			errs = append(errs, Error{e.Pos, e.Msg})
		}
		return nil, errs.unique()
	}
	u := &Unit{Cell: cell, prog: p, imports: maps.Clone(p.Imports), dots: slices.Clone(p.Dots),
		moved: map[*types.TypeName]*types.TypeName{}, Keys: map[*types.TypeName]string{}, Unused: map[token.Pos]bool{}}
	if errs := u.addImports(file.imports, func(path string) error { return p.fetch(ctx, path) }); errs != nil {
		return nil, errs
	}
	p.order(file)
	u.Text = newText(p.Fset, src)
	own, errs := p.declsOf(cell, file, u.Text)
	if errs != nil {
		return nil, errs
	}
	c := &checker{Scope: p, unit: u, file: file, own: own, dropped: map[string]bool{},
		guards: guards{p.Info, map[string]types.Object{}}}
	for _, d := range own {
		c.program = c.program || d.Name == "main"
	}
	return c, nil
}

// Text finds the text of a cell by the positions of its nodes.
type Text struct {
	fset  *token.FileSet
	text  string
	lines []int // offsets of their starts
}

func newText(fset *token.FileSet, text string) *Text {
	s := &Text{fset, text, []int{0}}
	for k := range len(text) {
		if text[k] == '\n' {
			s.lines = append(s.lines, k+1)
		}
	}
	return s
}

func (s *Text) offset(pos token.Pos) int {
	p := s.fset.Position(pos)
	if p.Line > len(s.lines) {
		return len(s.text)
	}
	return min(s.lines[max(p.Line, 1)-1]+max(p.Column, 1)-1, len(s.text))
}

// Between returns the text from one position to another.
func (s *Text) Between(from, to token.Pos) string {
	a, b := s.offset(from), s.offset(to)
	return s.text[min(a, b):b]
}

func (e Errors) unique() Errors {
	sort.SliceStable(e, func(i, j int) bool {
		a, b := e[i].Pos, e[j].Pos
		return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
	})
	return slices.CompactFunc(e, func(a, b Error) bool { return a.Pos == b.Pos })
}

// addImports makes names of imports, whose packages fetch may make known first.
func (u *Unit) addImports(specs []*ast.ImportSpec, fetch func(path string) error) Errors {
	var errs Errors
	for _, s := range specs {
		path := strings.Trim(s.Path.Value, "`\"")
		if path == "embed" && s.Name != nil && s.Name.Name == "_" {
			continue // the kernel acts on its directive
		}
		err := fetch(path)
		var pkg *types.Package
		if err == nil {
			pkg, err = u.prog.Import(path)
		}
		if err != nil {
			errs = append(errs, Error{u.prog.Fset.Position(s.Path.Pos()), err.Error()})
			continue
		}
		name := pkg.Name()
		if s.Name != nil {
			name = s.Name.Name
		}
		switch name {
		case "_":
		case ".":
			if !slices.Contains(u.dots, path) {
				u.dots = append(u.dots, path)
			}
		default:
			u.imports[name] = path
		}
	}
	return errs
}

// checker checks one cell.
type checker struct {
	*Scope
	guards
	unit *Unit
	file *parsed
	own  []*Decl

	set     map[string]*Decl // declarations to check: the cell's and those that depend on them
	mine    map[string]bool  // names of the cell itself
	dropped map[string]bool  // dependents that a redefinition does not fit
	program bool             // the cell is a whole one, with func main: plain Go
	pkg     *types.Package   // package of the first check
	objs    map[string]*types.Func
	errs    Errors
	broken  []*Decl
}

func (c *checker) run() error {
	for range len(c.Decls) + 2 {
		c.collect()
		for c.checkSignatures(); !c.program && c.wrap(c.file.body); {
			c.checkSignatures()
		}
		if c.retry() {
			continue
		}
		first := c.errs // errors in bodies are reported beside those in statements
		c.variables()
		c.checkBodies()
		c.errs = append(first, c.errs...)
		if n := len(c.file.body); n > 0 && len(c.errs) == 0 {
			if x, ok := c.file.body[n-1].(*ast.ExprStmt); ok && c.Info.Types[x.X].IsNil() {
				return Errors{{c.Fset.Position(x.Pos()), "use of untyped nil"}}
			}
		}
		if c.retry() {
			continue
		}
		if len(c.errs) > 0 {
			return c.errs.unique()
		}
		c.finish()
		return nil
	}
	return Errors{{Msg: "the redefinitions of this cell do not settle"}}
}

// retry drops the dependents in which errors were found, once there are none in the cell itself.
func (c *checker) retry() bool {
	if len(c.broken) == 0 || len(c.errs) > 0 {
		return false
	}
	for _, d := range c.broken {
		c.dropped[d.Name] = true
	}
	c.broken = nil
	return true
}

// collect decides which declarations are checked: the cell's own that are new or changed, and what depends on them.
func (c *checker) collect() {
	c.set, c.mine = map[string]*Decl{}, map[string]bool{}
	c.errs, c.broken = nil, nil
	names := map[string]bool{}
	note := func(d *Decl) {
		names[d.Name] = true
		for _, n := range d.Names {
			names[n] = true
		}
	}
	for _, d := range c.own {
		c.mine[d.Name] = true
		old := c.Decls[d.Name]
		if old != nil && old.Text == d.Text && !old.Stale && d.Names == nil == (old.Names == nil) {
			continue
		}
		c.set[d.Name] = d
		note(d)
		if base, _, ok := strings.Cut(d.Name, "."); ok && c.changesMethods(d, old) {
			for t := c.declared(base); t != nil; t = c.declared(t.aliased()) {
				if c.set[t.Name] == nil {
					c.set[t.Name] = t.copy()
					note(t)
				}
			}
		}
		for _, n := range d.Names { // a constant that was something else before
			if o := c.find(n); o != nil {
				note(o)
			}
		}
	}
	for _, d := range c.own { // a type of the cell replaces the live one put in for its methods
		if c.set[d.Name] != nil {
			c.set[d.Name] = d
		}
	}
	if len(names) == 0 {
		return
	}
	again := map[string]*Decl{} // the cell's own that are as they were
	for _, d := range c.own {
		again[d.Name] = d
	}
	for name, d := range c.dependents(names) {
		switch {
		case c.set[name] != nil || c.dropped[name]:
		case again[name] != nil:
			c.set[name] = again[name]
		case !c.replaced(d):
			c.set[name] = d.copy()
		}
	}
	for _, d := range c.own { // a method unchanged itself, of a type that changed
		if base, _, ok := strings.Cut(d.Name, "."); ok && c.set[base] != nil {
			c.set[d.Name] = d
		}
	}
	for name := range c.set { // methods go with their type
		if base, _, ok := strings.Cut(name, "."); ok && c.dropped[base] && !c.mine[name] {
			delete(c.set, name)
		}
	}
}

// declared is the declaration of a name, the cell's own or an earlier one, nil if there is none.
func (c *checker) declared(name string) *Decl {
	for _, d := range c.own {
		if d.Name == name {
			return d
		}
	}
	return c.Decls[name]
}

// aliased is the name of which d is an alias; "" if it is no alias.
func (d *Decl) aliased() string {
	g, ok := d.Node.(*ast.GenDecl)
	if !ok {
		return ""
	}
	if s, ok := g.Specs[0].(*ast.TypeSpec); ok && s.Assign.IsValid() {
		if id, ok := ast.Unparen(s.Type).(*ast.Ident); ok {
			return id.Name
		}
	}
	return ""
}

// replaced reports whether the cell declares all names of d anew in another form.
func (c *checker) replaced(d *Decl) bool {
	for _, o := range c.own {
		for _, n := range append([]string{d.Name}, d.Names...) {
			if o.Name == n || slices.Contains(o.Names, n) {
				return true
			}
		}
	}
	return false
}

// changesMethods reports whether a method adds to its type's method set or changes a signature in it. A body counts too
// where the type is generic: its methods are instantiated with it.
func (c *checker) changesMethods(d, old *Decl) bool {
	if old == nil || c.generic(d) {
		return true
	}
	a, b := d.Node.(*ast.FuncDecl), old.Node.(*ast.FuncDecl)
	return types.ExprString(a.Type) != types.ExprString(b.Type) ||
		types.ExprString(a.Recv.List[0].Type) != types.ExprString(b.Recv.List[0].Type)
}

// generic reports whether d is a method of a generic type.
func (c *checker) generic(d *Decl) bool {
	return len(receiverParams(d.Node.(*ast.FuncDecl).Recv.List[0].Type)) > 0
}

func (c *checker) sorted() []*Decl {
	list := slices.Collect(maps.Values(c.set))
	slices.SortFunc(list, func(a, b *Decl) int {
		if a.Cell != b.Cell {
			return a.Cell - b.Cell
		}
		return int(a.Node.Pos() - b.Node.Pos())
	})
	return list
}

// checkSignatures checks types, constants, signatures and the statements of the cell.
func (c *checker) checkSignatures() {
	f := c.newFile()
	names := map[string]*ast.Ident{}
	for _, d := range c.sorted() {
		fd, ok := d.Node.(*ast.FuncDecl)
		if !ok {
			f.Decls = append(f.Decls, d.Node)
			continue
		}
		if base, _, isMethod := strings.Cut(d.Name, "."); isMethod && c.set[base] == nil && c.Decls[base] != nil {
			continue // only its body changed
		}
		id := &ast.Ident{Name: c.funcName(d, fd), NamePos: fd.Name.NamePos}
		names[key(d)] = id
		stub := &ast.BlockStmt{Lbrace: fd.Body.Lbrace, Rbrace: fd.Body.Rbrace, List: []ast.Stmt{
			&ast.ForStmt{For: fd.Body.Lbrace, Body: &ast.BlockStmt{}}, // no call of panic: the cell may declare it
		}}
		f.Decls = append(f.Decls, &ast.FuncDecl{Recv: fd.Recv, Name: id, Type: fd.Type, Body: stub})
	}
	cell := &ast.FuncDecl{Name: ast.NewIdent("cell__"), Type: &ast.FuncType{Params: &ast.FieldList{}},
		Body: &ast.BlockStmt{List: c.file.body}}
	apart := c.redeclares()
	if !apart {
		f.Decls = append(f.Decls, cell)
	}
	vars := map[string]types.Object{}
	for name, v := range c.Vars {
		vars[name] = v.Obj
	}
	measured := c.measured()
	if apart && len(measured) > 0 {
		together := *f
		together.Decls = append(slices.Clone(f.Decls), cell)
		for c.check(&together, vars); c.measures(measured, vars); {
			c.check(&together, vars)
		}
	}
	for c.pkg = c.check(f, vars); c.measures(measured, vars); {
		c.pkg = c.check(f, vars)
	}
	c.objs = map[string]*types.Func{}
	for k, id := range names {
		if o, ok := c.Info.Defs[id].(*types.Func); ok {
			c.objs[k] = o
		}
	}
	c.layouts()
	if !apart {
		return
	}
	errs, broken := c.errs, c.broken
	f = c.newFile()
	f.Decls = append(f.Decls, cell)
	scope := map[string]types.Object{}
	for name, v := range c.Vars {
		scope[name] = c.unit.migrated(name, v)
	}
	for _, name := range c.pkg.Scope().Names() {
		if o := c.pkg.Scope().Lookup(name); o.Pkg() == c.pkg {
			scope[name] = o
		}
	}
	c.check(f, scope)
	c.errs, c.broken = append(errs, c.errs...), append(broken, c.broken...)
}

// measured are the names whose length the cell's constants may use.
func (c *checker) measured() map[string]bool {
	names := map[string]bool{}
	for _, d := range c.own {
		if d.Names == nil {
			continue
		}
		ast.Inspect(d.Node, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 {
				if x := base(call.Args[0]); x != nil {
					names[x.Name] = true
				}
			}
			return true
		})
	}
	return names
}

// base is the variable that a field or element is a part of.
func base(x ast.Expr) *ast.Ident {
	for {
		switch e := x.(type) {
		case *ast.Ident:
			return e
		case *ast.ParenExpr:
			x = e.X
		case *ast.StarExpr:
			x = e.X
		case *ast.SelectorExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		default:
			return nil
		}
	}
}

// measures adds to vars such names among the cell's variables, as far as their types are known, where these may have
// arrays in them. It reports whether there are more than before.
func (c *checker) measures(measured map[string]bool, vars map[string]types.Object) (found bool) {
	if len(measured) == 0 {
		return false
	}
	for _, s := range c.file.body {
		for _, id := range defined(s) {
			v, ok := c.Info.Defs[id].(*types.Var)
			if old := vars[id.Name]; !ok || !measured[id.Name] || old != nil && old.Pkg() == nil {
				continue
			}
			switch v.Type().Underlying().(type) {
			case *types.Array, *types.Struct, *types.Pointer, *types.Slice, *types.Map:
				vars[id.Name], found = types.NewVar(token.NoPos, nil, id.Name, v.Type()), true
			}
		}
	}
	return found
}

// defined are the identifiers that may be new variables of a statement.
func defined(s ast.Stmt) (list []*ast.Ident) {
	switch s := s.(type) {
	case *ast.DeclStmt:
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				list = append(list, v.Names...)
			}
		}
	case *ast.AssignStmt:
		for _, x := range s.Lhs {
			if id, ok := x.(*ast.Ident); ok {
				list = append(list, id)
			}
		}
	}
	return list
}

// redeclares reports whether the cell's statements may use variables whose types it declares again, such as by adding a
// method: the statements then wait until these types are known.
func (c *checker) redeclares() bool {
	if len(c.file.body) == 0 {
		return false
	}
	for name, d := range c.set {
		if g, ok := d.Node.(*ast.GenDecl); ok && g.Tok == token.TYPE && c.Decls[name] != nil {
			return true
		}
	}
	return false
}

func key(d *Decl) string { return fmt.Sprintf("%s@%p", d.Name, d) }

// funcName is the name under which a function is checked. There may be several init functions, so each gets its own
// name.
func (c *checker) funcName(d *Decl, fd *ast.FuncDecl) string {
	if fd.Recv == nil && (fd.Name.Name == "init" || fd.Name.Name == "_") {
		return fmt.Sprintf("init__%d", fd.Pos())
	}
	return fd.Name.Name
}

// newFile starts a file with the imports that are live.
func (c *checker) newFile() *ast.File {
	pos := token.NoPos
	f := &ast.File{Name: ast.NewIdent("main")}
	g := &ast.GenDecl{Tok: token.IMPORT, TokPos: pos, Lparen: 1, Rparen: 1}
	spec := func(name, path string) {
		s := importSpec(name, path)
		g.Specs = append(g.Specs, s)
		f.Imports = append(f.Imports, s)
	}
	for _, name := range slices.Sorted(maps.Keys(c.unit.imports)) {
		if c.shadowsImport(name) {
			continue
		}
		spec(name, c.unit.imports[name])
	}
	for _, path := range c.unit.dots {
		spec(".", path)
	}
	if len(g.Specs) > 0 {
		f.Decls = append(f.Decls, g)
	}
	return f
}

func importSpec(name, path string) *ast.ImportSpec {
	return &ast.ImportSpec{Name: ast.NewIdent(name),
		Path: &ast.BasicLit{Kind: token.STRING, Value: fmt.Sprintf("%q", path)}}
}

// shadowsImport reports whether the cell declares a function, type or constant under an import's name.
func (c *checker) shadowsImport(name string) bool {
	for _, d := range c.own {
		if d.Name == name || slices.Contains(d.Names, name) {
			return true
		}
	}
	return false
}

// check type-checks a file in a package whose scope holds the live objects that the file does not declare, and extra.
func (c *checker) check(f *ast.File, extra map[string]types.Object) *types.Package {
	for pass := range 2 {
		pkg := types.NewPackage("main", "main")
		declared := DeclaredNames(f.Decls)
		insert := func(name string, o types.Object) {
			if o != nil && !declared[name] && c.unit.imports[name] == "" && pkg.Scope().Lookup(name) == nil {
				pkg.Scope().Insert(o)
			}
		}
		for name, o := range extra {
			insert(name, o)
		}
		c.insert(pkg.Scope())
		c.earlier(insert)
		named(f.Decls, pkg.Scope())
		c.errs, c.broken = nil, nil
		keyed := false
		conf := types.Config{
			GoVersion: GoVersion, Importer: c.Scope, DisableUnusedImportCheck: true,
			Sizes: types.SizesFor("gc", runtime.GOARCH),
			Error: func(err error) {
				e := err.(types.Error)
				keyed = keyed || strings.Contains(e.Msg, "implicit assignment to unexported field")
				c.report(e)
			},
		}
		types.NewChecker(&conf, c.Fset, pkg, c.Info).Files([]*ast.File{f})
		c.endings(f)
		if !keyed || pass == 1 {
			return pkg
		}
		c.keyLiterals(f)
	}
	return nil
}

// ending are functions of packages that would end the kernel.
var ending = map[string]string{
	"testing.Main": "testing.Main is not supported: it ends the kernel; call the test functions themselves",
}

// endings reports what would end the kernel.
func (c *checker) endings(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		if fun, ok := c.Info.Uses[id].(*types.Func); ok && fun.Pkg() != nil && ending[fun.FullName()] != "" {
			c.report(types.Error{Fset: c.Fset, Pos: id.Pos(), Msg: ending[fun.FullName()]})
		}
		return true
	})
}

// earlier hands over the types, constants and functions of earlier cells.
func (p *Scope) earlier(insert func(name string, o types.Object)) {
	for _, d := range p.Decls {
		switch {
		case d.Type != nil:
			insert(d.Name, d.Type)
		case d.Consts != nil:
			for _, k := range d.Consts {
				insert(k.Name(), k)
			}
		case d.Func != nil && !strings.Contains(d.Name, "."):
			insert(d.Name, d.Func)
		}
	}
}

// named puts the right side of a type declaration in parentheses if it is a type of an earlier cell. The checker would
// look for the declaration of a name that stands there alone.
func named(decls []ast.Decl, earlier *types.Scope) {
	for _, d := range decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range g.Specs {
			if s, ok := s.(*ast.TypeSpec); ok {
				if id, ok := s.Type.(*ast.Ident); ok && earlier.Lookup(id.Name) != nil {
					s.Type = &ast.ParenExpr{Lparen: id.Pos(), X: id, Rparen: id.End() - 1}
				}
			}
		}
	}
}

// mainPrefix is how messages qualify the types of earlier cells.
var mainPrefix = regexp.MustCompile(`\bmain\.`)

// report keeps an error of the cell and notes dependents that have one.
func (c *checker) report(e types.Error) {
	if strings.HasPrefix(e.Msg, "declared and not used") || strings.HasSuffix(e.Msg, " declared and not used") &&
		!strings.HasPrefix(e.Msg, "label ") {
		c.unit.Unused[e.Pos] = true
		return
	}
	if strings.HasSuffix(e.Msg, "imported and not used") || strings.Contains(e.Msg, "imported and not used") {
		return
	}
	if n := len(c.file.body); n > 0 {
		last, ok := c.file.body[n-1].(*ast.ExprStmt)
		if ok && strings.HasSuffix(e.Msg, "is not used") && last.Pos() <= e.Pos && e.Pos < last.End() {
			return
		}
	}
	for name, d := range c.set {
		if !c.mine[name] && d.Node.Pos() <= e.Pos && e.Pos < d.Node.End() {
			if !slices.Contains(c.broken, d) {
				c.broken = append(c.broken, d)
				c.unit.warn(c.Fset, d, e)
			}
			return
		}
	}
	msg := mainPrefix.ReplaceAllString(strings.TrimPrefix(e.Msg, "\t"), "")
	if strings.HasPrefix(e.Msg, "\t") && len(c.errs) > 0 { // a continuation of the error before
		c.errs[len(c.errs)-1].Msg += "; " + msg
		return
	}
	if m := twoOfOneName.FindStringSubmatch(msg); m != nil && m[1] == m[2] {
		msg += ": the value is of the " + m[1] +
			" declared last, the variable of an earlier one; define the variable again with := or var"
	}
	c.errs = append(c.errs, Error{c.Fset.Position(e.Pos), msg})
}

// twoOfOneName matches a mismatch between a type and what it was before its redeclaration.
var twoOfOneName = regexp.MustCompile(`of (?:\w+ )?type (\S+)\) as (\S+) value in assignment$`)

func (u *Unit) warn(fset *token.FileSet, d *Decl, e types.Error) {
	at := fset.Position(e.Pos)
	u.Warnings = append(u.Warnings,
		fmt.Sprintf("%s of cell %d does not fit this redefinition and keeps to the old one (line %d: %s); run that "+
			"cell again after changing it", d.Name, d.Cell, at.Line, e.Msg))
}

// DeclaredNames returns the names that a file declares in its package. Methods declare none.
func DeclaredNames(decls []ast.Decl) map[string]bool {
	m := map[string]bool{}
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				m[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					m[s.Name.Name] = true
				case *ast.ValueSpec:
					for _, n := range s.Names {
						m[n.Name] = true
					}
				}
			}
		}
	}
	return m
}

// quiet reports whether evaluating x shows in nothing but its value: it calls, receives and divides nothing and looks
// nowhere.
func quiet(x ast.Expr) bool {
	yes := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr, *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr, *ast.SelectorExpr:
			yes = false
		case *ast.BinaryExpr:
			yes = yes && n.Op != token.QUO && n.Op != token.REM && n.Op != token.SHL && n.Op != token.SHR &&
				n.Op != token.EQL && n.Op != token.NEQ
		case *ast.UnaryExpr:
			yes = yes && n.Op != token.ARROW
		case *ast.FuncLit:
			return false
		}
		return yes
	})
	return yes
}

// keyLiterals gives the fields of unkeyed struct literals their names: the checker takes the unexported ones of an
// earlier cell's type for another package's.
func (c *checker) keyLiterals(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || len(lit.Elts) == 0 {
			return true
		}
		tv, ok := c.Info.Types[lit]
		if !ok || tv.Type == nil {
			return true
		}
		t := tv.Type.Underlying()
		if ptr, ok := t.(*types.Pointer); ok {
			t = ptr.Elem().Underlying()
		}
		s, ok := t.(*types.Struct)
		if !ok || len(lit.Elts) != s.NumFields() {
			return true
		}
		if _, ok := lit.Elts[0].(*ast.KeyValueExpr); ok {
			return true
		}
		elts := lit.Elts
		lit.Elts = nil
		for k, e := range elts {
			if s.Field(k).Name() == "_" && quiet(e) {
				continue // which has no name to give it by
			}
			lit.Elts = append(lit.Elts, &ast.KeyValueExpr{Key: &ast.Ident{Name: s.Field(k).Name(), NamePos: e.Pos()},
				Colon: e.Pos(), Value: e})
		}
		return true
	})
}
