package cells

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Marker is the name that stands, in an unfinished cell, for the text at the cursor.
const Marker = "scratch__"

// Scratch is an unfinished cell, checked to find what is known at its marker. The scope keeps nothing of it, and its
// errors do not matter.
type Scratch struct {
	Info *types.Info
	// nodes from the marker (an identifier or a string) outwards; empty if the parser lost the marker
	Path    []ast.Node
	Scope   *types.Scope      // innermost scope around the marker
	Imports map[string]string // import paths by the names that the cell can use

	pkg  *types.Package
	file *ast.File
}

// Tokens returns the tokens of code.
func Tokens(code string) []token.Token {
	var list []token.Token
	for tok := range Names(code) {
		list = append(list, tok)
	}
	return list
}

// Names yields the tokens of code with their texts.
func Names(code string) iter.Seq2[token.Token, string] {
	return func(yield func(token.Token, string) bool) {
		fset := token.NewFileSet()
		f := fset.AddFile("", -1, len(code))
		var s scanner.Scanner
		s.Init(f, []byte(code), func(token.Position, string) {}, 0)
		for {
			_, tok, lit := s.Scan()
			if tok == token.EOF || !yield(tok, lit) {
				return
			}
		}
	}
}

// Closed adds the brackets that code leaves open.
func Closed(code string) string {
	var open []byte
	for _, t := range Tokens(code) {
		switch t {
		case token.LPAREN:
			open = append(open, ')')
		case token.LBRACK:
			open = append(open, ']')
		case token.LBRACE:
			open = append(open, '}')
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
	for k := len(open) - 1; k >= 0; k-- {
		if open[k] == '}' {
			code += "\n"
		}
		code += string(open[k])
	}
	return code
}

// Scratch checks an unfinished cell against the scope. The text in the argument before has been written and contains
// the marker. The argument after is the text that follows; only its declarations count. If a package is used without
// its import, guess (unless it is nil) finds the package's path by its name. Scratch may run at the same time as other
// readers of the scope.
func (p *Scope) Scratch(before, after string, guess func(name string) string) *Scratch {
	return p.scratch(token.NewFileSet(), "scratch", before, after, guess)
}

// scratch is Scratch with positions in a file of that name.
func (p *Scope) scratch(fset *token.FileSet, name, before, after string, guess func(name string) string) *Scratch {
	code := Closed(before)
	chunks, _ := split(code)
	parse := func(head, text, tail string) *ast.File {
		f, _ := parser.ParseFile(fset, name, head+"\n//line "+name+":1:1\n"+text+tail,
			parser.SkipObjectResolution|parser.AllErrors|parser.ParseComments)
		return f
	}
	later, _ := split(after)
	decls := parse("package main", keep(code, chunks, isDecl)+"\n"+keep(after, later, isDecl), "")
	body := parse("package main\nfunc scratch__body() {", keep(code, chunks, func(k token.Token) bool {
		return k == token.ILLEGAL
	}), "\n}")
	imports := parse("package main", keep(code, chunks, func(k token.Token) bool { return k == token.IMPORT }), "")
	if decls == nil || body == nil || imports == nil {
		return nil
	}
	u := &Unit{prog: p, imports: maps.Clone(p.Imports), dots: slices.Clone(p.Dots)}
	u.addImports(imports.Imports, func(string) error { return nil })
	known := maps.Clone(u.imports)
	if guess != nil {
		for name := range selectedFrom(code) {
			if u.imports[name] == "" && p.Vars[name] == nil && p.Decls[name] == nil {
				if path := guess(name); path != "" {
					u.imports[name] = path
				}
			}
		}
	}
	c := &checker{Scope: p, unit: u, file: &parsed{}}
	f := c.newFile()
	f.Decls = append(f.Decls, decls.Decls...)
	f.Decls = append(f.Decls, body.Decls...)
	s := &Scratch{Imports: known, file: f, Info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
	}}
	c.guards = guards{s.Info, map[string]types.Object{}}
	var top []ast.Stmt
	if len(body.Decls) > 0 {
		if fd, ok := body.Decls[0].(*ast.FuncDecl); ok && fd.Body != nil {
			top = fd.Body.List
		}
	}
	// If an error is not handled, the code after the call has its type only when the call is wrapped.
	for s.check(c, fset, u); c.wrap(top); {
		s.check(c, fset, u)
	}
	s.find(f)
	return s
}

// selectedFrom yields the names that stand before a point, and behind none.
func selectedFrom(code string) iter.Seq[string] {
	return func(yield func(string) bool) {
		name, behind := "", false
		for tok, text := range Names(code) {
			if tok == token.PERIOD && name != "" && !yield(name) {
				return
			}
			if name = ""; tok == token.IDENT && !behind {
				name = text
			}
			behind = tok == token.PERIOD
		}
	}
}

// check checks the file in a package with what the scope has.
func (s *Scratch) check(c *checker, fset *token.FileSet, u *Unit) {
	p := c.Scope
	s.pkg = types.NewPackage("main", "main")
	declared := DeclaredNames(s.file.Decls)
	insert := func(o types.Object) {
		if o != nil && !declared[o.Name()] && u.imports[o.Name()] == "" {
			s.pkg.Scope().Insert(o)
		}
	}
	for _, v := range p.Vars {
		insert(v.Obj)
	}
	for name, d := range p.Decls {
		switch {
		case d.Type != nil:
			insert(d.Type)
		case d.Func != nil && d.Func.Name() == name:
			insert(d.Func)
		}
		for _, k := range d.Consts {
			insert(k)
		}
	}
	c.insert(s.pkg.Scope())
	conf := types.Config{GoVersion: GoVersion, Importer: p, DisableUnusedImportCheck: true, Error: func(error) {}}
	defer func() { _ = recover() }() // go/types is not made for every torso
	types.NewChecker(&conf, fset, s.pkg, s.Info).Files([]*ast.File{s.file})
}

// find notes the way to the marker.
func (s *Scratch) find(f *ast.File) {
	var stack []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		switch n := n.(type) {
		case *ast.Ident:
			if n.Name != Marker {
				return true
			}
		case *ast.BasicLit:
			if n.Kind != token.STRING || !strings.Contains(n.Value, Marker) {
				return true
			}
		default:
			return true
		}
		if s.Path == nil {
			s.Path = slices.Clone(stack)
			slices.Reverse(s.Path)
			s.Scope = innermost(s.Info, s.pkg.Scope(), n.Pos())
		}
		return true
	})
}

func innermost(info *types.Info, best *types.Scope, pos token.Pos) *types.Scope {
	size := token.Pos(1 << 40)
	for _, s := range info.Scopes {
		if s.Contains(pos) && s.End()-s.Pos() < size {
			best, size = s, s.End()-s.Pos()
		}
	}
	return best
}

// Visible returns the cell's own names that can be used at the marker, the innermost first. A name that an inner name
// hides is left out.
func (s *Scratch) Visible() []types.Object {
	var list []types.Object
	seen := map[string]bool{}
	at := token.NoPos
	if len(s.Path) > 0 {
		at = s.Path[0].Pos()
	}
	for scope := s.Scope; scope != nil && scope != types.Universe; scope = scope.Parent() {
		for _, name := range scope.Names() {
			o := scope.Lookup(name)
			if _, isPackage := o.(*types.PkgName); isPackage || seen[name] || name == Marker ||
				name == "scratch__body" {
				continue
			}
			if v, ok := o.(*types.Var); ok && v.Parent() == scope && scope != s.pkg.Scope() && v.Pos() > at {
				continue
			}
			seen[name] = true
			list = append(list, o)
		}
	}
	return list
}

// Declared returns the declarations and variables of the cell's top level, even if the cell has errors.
func (s *Scratch) Declared() (decls []*Decl, vars []*types.Var) {
	for _, node := range s.file.Decls {
		switch d := node.(type) {
		case *ast.FuncDecl:
			o, ok := s.Info.Defs[d.Name].(*types.Func)
			if !ok {
				continue
			}
			if d.Name.Name == "scratch__body" {
				scope := s.Info.Scopes[d.Type]
				if scope == nil {
					continue
				}
				for _, name := range scope.Names() {
					if v, ok := scope.Lookup(name).(*types.Var); ok {
						vars = append(vars, v)
					}
				}
				continue
			}
			if d.Recv == nil {
				decls = append(decls, &Decl{Name: d.Name.Name, Node: d, Func: o})
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if o, ok := s.Info.Defs[spec.Name].(*types.TypeName); ok {
						g := &ast.GenDecl{Doc: d.Doc, Tok: token.TYPE, Specs: []ast.Spec{spec}}
						decls = append(decls, &Decl{Name: spec.Name.Name, Node: g, Type: o})
					}
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						if o, ok := s.Info.Defs[id].(*types.Const); ok {
							decls = append(decls, &Decl{Name: "const " + id.Name, Names: []string{id.Name}, Node: d,
								Consts: []*types.Const{o}})
						}
					}
				}
			}
		}
	}
	return decls, vars
}
