// Command gen writes the data of the packages that cells may import, into library/symbols and kernel/standard. It
// writes symbol tables, of packages outside the standard library and of those standard symbols that the interpreter's
// own tables lack. It also writes export data, from which cells are type-checked, and the documentation that a cell
// shows on request. Run it with `go generate ./library`.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/doc"
	"go/format"
	"go/token"
	"go/types"
	"go/version"
	"io"
	"log"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sort"
	"strings"

	"github.com/traefik/yaegi/stdlib"
	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"

	"nacre/library/api"
)

func main() {
	log.SetFlags(0)
	digests, err := api.Digests("..")
	if err != nil {
		log.Fatal(err)
	}
	// Tables made with a newer Go would name what the oldest supported one does not have.
	if want := version.Lang("go" + digests["go"]); version.Lang(runtime.Version()) != want {
		log.Fatalf("this is %s: expected %s, the Go of go.mod, so that the tables compile with it and all newer "+
			"ones: set GOTOOLCHAIN=%s.0 or a later %[2]s", runtime.Version(), want, want)
	}
	paths := append(append(standard(), list...), "nacre/...")
	cfg := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
		Fset: token.NewFileSet(),
		Env:  append(os.Environ(), "CGO_ENABLED=0"),
	}
	pkgs, err := packages.Load(cfg, paths...)
	if err != nil {
		log.Fatal(err)
	}
	// What imports the tables does not compile while they are being made: only what goes into them counts.
	pkgs = slices.DeleteFunc(pkgs, func(p *packages.Package) bool {
		return strings.HasPrefix(p.PkgPath, "nacre/") && !api.Own(p.PkgPath)
	})
	if packages.PrintErrors(pkgs) > 0 {
		os.Exit(1)
	}
	slices.SortFunc(pkgs, func(a, b *packages.Package) int { return strings.Compare(a.PkgPath, b.PkgPath) })
	for _, p := range pkgs {
		name := strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(p.PkgPath)
		if p.PkgPath == "syscall" { // of one system: the interpreter has tables of each
			continue
		}
		have := theirs(p.PkgPath + "/" + p.Name)
		constraint := "!js"
		switch {
		case !inBrowser(p.PkgPath):
		case have == nil:
			constraint = ""
		default:
			// The browser's kernel is built without the interpreter's own tables, which link the whole library.
			to := standardOf(family(p.PkgPath))
			if src := symbols(p.Types, nil, path.Base(to), ""); src != "" {
				write(filepath.Join(to, "std_"+name+".go"), gofmt(src))
			}
		}
		if src := symbols(p.Types, have, "symbols", constraint); src != "" {
			put("sym_"+name+".go", gofmt(src))
		}
	}
	docs := map[string]map[string]string{}
	for _, p := range pkgs {
		docs[p.PkgPath] = documentation(p)
	}
	put("types.bin.gz", bundle(cfg.Fset, pkgs))
	put("docs.json.gz", encoded(docs))
	put("uses.txt", []byte(uses(pkgs)))
	put("deprecated.txt", []byte(deprecated(docs)))
	var absent []string
	browsers := slices.DeleteFunc(pkgs, func(p *packages.Package) bool {
		if inBrowser(p.PkgPath) {
			return false
		}
		absent = append(absent, p.PkgPath)
		delete(docs, p.PkgPath)
		return true
	})
	put("absent_js.txt", []byte(strings.Join(absent, "\n")+"\n"))
	put("docs_js.json.gz", encoded(docs))
	// A browser takes a second to read all types at once: it reads a family of packages when one of it is imported.
	families := map[string][]*packages.Package{}
	var index strings.Builder
	for _, p := range browsers {
		f := family(p.PkgPath)
		families[f] = append(families[f], p)
		fmt.Fprintln(&index, p.PkgPath, p.Name, f)
	}
	put("types_js.txt", []byte(index.String()))
	for f, list := range families {
		if slices.Contains([]string{"base", "common", "std"}, f) {
			write(filepath.Join(standardOf(f), "types_"+f+".bin.gz"), bundle(cfg.Fset, list))
		} else {
			put("types_js_"+f+".bin.gz", bundle(cfg.Fset, list))
		}
	}
	put("api.txt", api.Format(digests))
	removeStale()
}

// deprecated lists what our own documentation says of deprecated names: the text of the paragraph that begins so.
func deprecated(docs map[string]map[string]string) string {
	var lines []string
	for path, names := range docs {
		for name, text := range names {
			_, instead, ok := strings.Cut(text, "Deprecated: ")
			if ok && api.Own(path) {
				lines = append(lines, fmt.Sprintf("%s\t%s\t%s\n", path, name,
					strings.Join(strings.Fields(instead), " ")))
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// removeStale removes tables of packages that there are no more. It comes last: what is interrupted leaves no table
// out.
func removeStale() {
	for _, tables := range []string{filepath.Join(folder, "sym_*.go"), filepath.Join(standardOf("std"), "std_*.go"),
		filepath.Join(standardOf("common"), "std_*.go")} {
		names, err := filepath.Glob(tables)
		if err != nil {
			log.Fatal(err)
		}
		for _, name := range names {
			if written[name] {
				continue
			}
			if err := os.Remove(name); err != nil {
				log.Fatal(err)
			}
		}
	}
}

// bundle is the types of packages as export data.
func bundle(fset *token.FileSet, pkgs []*packages.Package) []byte {
	var all []*types.Package
	for _, p := range pkgs {
		all = append(all, p.Types)
	}
	var b bytes.Buffer
	if err := gcexportdata.WriteBundle(&b, fset, all); err != nil {
		log.Fatal(err)
	}
	return pack(b.Bytes())
}

func encoded(docs map[string]map[string]string) []byte {
	text, err := json.Marshal(docs)
	if err != nil {
		log.Fatal(err)
	}
	return pack(text)
}

// standard returns the standard packages the interpreter has tables of, and the newer ones it lacks.
func standard() []string {
	paths := []string{"crypto/hkdf", "crypto/pbkdf2", "iter", "math/rand/v2", "syscall", "unique", "weak"}
	for key := range stdlib.Symbols {
		p := path.Dir(key)
		if strings.Contains(p, ".") || slices.ContainsFunc(dropped, func(d string) bool {
			return p == d || strings.HasPrefix(p, d+"/")
		}) {
			continue
		}
		paths = append(paths, p)
	}
	sort.Strings(paths)
	return slices.Compact(paths)
}

// theirs are the symbols of a package in the interpreter's tables, but for what stands in for the package's own there,
// such as another type for log.Logger.
func theirs(key string) map[string]reflect.Value {
	table := maps.Clone(stdlib.Symbols[key])
	maps.DeleteFunc(table, func(_ string, v reflect.Value) bool {
		from := ""
		switch v.Kind() {
		case reflect.Func:
			from = runtime.FuncForPC(v.Pointer()).Name()
		case reflect.Pointer:
			from = v.Type().Elem().PkgPath()
		}
		return strings.HasPrefix(from, "github.com/traefik/yaegi/")
	})
	return table
}

// folder is where what is written goes, seen from library.
const folder = "symbols"

// standardOf is where a family of the standard library goes that needs none of the interpreter's tables.
func standardOf(family string) string {
	if family == "std" {
		return "../kernel/standard"
	}
	return "../kernel/standard/common"
}

func put(name string, data []byte) { write(filepath.Join(folder, name), data) }

// written are the files of this generation.
var written = map[string]bool{}

func write(name string, data []byte) {
	written[name] = true
	if err := os.WriteFile(name, data, 0o644); err != nil {
		log.Fatal(err)
	}
}

func gofmt(src string) []byte {
	out, err := format.Source([]byte(src))
	if err != nil {
		log.Fatalf("%v in\n%s", err, src)
	}
	return out
}

func pack(data []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := io.Copy(w, bytes.NewReader(data)); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	return b.Bytes()
}

// documentation maps names ("New", "Dense.Add", the field "Config.Latent", "" for the package) to their comments.
func documentation(p *packages.Package) map[string]string {
	var files []*ast.File
	for _, f := range p.Syntax {
		if ast.FileExports(f) {
			files = append(files, f)
		} else if f.Doc != nil {
			files = append(files, f)
		}
	}
	m := map[string]string{}
	d, err := doc.NewFromFiles(p.Fset, files, p.PkgPath)
	if err != nil {
		log.Fatal(err)
	}
	put := func(name, text string) {
		if text = strings.TrimSpace(text); text != "" {
			m[name] = text
		}
	}
	put("", d.Synopsis(d.Doc))
	values := func(vs []*doc.Value) {
		for _, v := range vs {
			for _, n := range v.Names {
				text := v.Doc
				for _, s := range v.Decl.Specs {
					if vs, ok := s.(*ast.ValueSpec); ok && slices.ContainsFunc(vs.Names, func(id *ast.Ident) bool {
						return id.Name == n
					}) {
						if t := vs.Doc.Text() + vs.Comment.Text(); t != "" {
							text = t
						}
					}
				}
				put(n, text)
			}
		}
	}
	values(d.Consts)
	values(d.Vars)
	for _, f := range d.Funcs {
		put(f.Name, f.Doc)
	}
	for _, t := range d.Types {
		put(t.Name, t.Doc)
		fields(t, put)
		values(t.Consts)
		values(t.Vars)
		for _, f := range t.Funcs {
			put(f.Name, f.Doc)
		}
		for _, f := range t.Methods {
			put(t.Name+"."+f.Name, f.Doc)
		}
	}
	return m
}

// fields puts the comments of a struct's exported fields.
func fields(t *doc.Type, put func(name, text string)) {
	for _, s := range t.Decl.Specs {
		st, ok := s.(*ast.TypeSpec).Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range st.Fields.List {
			for _, id := range f.Names {
				put(t.Name+"."+id.Name, f.Doc.Text()+f.Comment.Text())
			}
		}
	}
}

// symbols returns the table of p: functions, variables and types that the interpreter does not have already, and a
// wrapper for each interface through which a type of a cell can implement it. Constants need none, as the cell
// compiler folds them, and generic declarations have no symbol. It belongs to a package called name; a constraint says
// for which systems it is.
func symbols(p *types.Package, have map[string]reflect.Value, name, constraint string) string {
	key := p.Path() + "/" + p.Name()
	g := &table{pkg: p, imports: map[string]string{}}
	for _, name := range p.Scope().Names() {
		obj := p.Scope().Lookup(name)
		if _, ok := have[name]; ok || !obj.Exported() {
			continue
		}
		g.add(obj)
	}
	if g.body.Len() == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprint(&b, "// Code generated by library/gen. DO NOT EDIT.\n\n")
	if constraint != "" {
		fmt.Fprintf(&b, "//go:build %s\n\n", constraint)
	}
	fmt.Fprintf(&b, "package %s\n\nimport (\n\t\"reflect\"\n", name)
	for _, p := range slices.Sorted(maps.Keys(g.imports)) {
		fmt.Fprintf(&b, "\t%s %q\n", g.imports[p], p)
	}
	fmt.Fprintf(&b, ")\n\nfunc init() {\n\tadd(%q, map[string]reflect.Value{\n%s})\n}\n%s", key, g.body.String(),
		g.tail.String())
	return b.String()
}

type table struct {
	pkg        *types.Package
	imports    map[string]string
	body, tail strings.Builder
}

func (g *table) qualify(p *types.Package) string {
	if n, ok := g.imports[p.Path()]; ok {
		return n
	}
	n := fmt.Sprintf("p%d", len(g.imports))
	g.imports[p.Path()] = n
	return n
}

func (g *table) add(obj types.Object) {
	name := obj.Name()
	switch obj := obj.(type) {
	case *types.Func:
		if obj.Signature().TypeParams().Len() == 0 {
			fmt.Fprintf(&g.body, "%q: reflect.ValueOf(%s.%s),\n", name, g.qualify(g.pkg), name)
		}
	case *types.Var:
		fmt.Fprintf(&g.body, "%q: reflect.ValueOf(&%s.%s).Elem(),\n", name, g.qualify(g.pkg), name)
	case *types.TypeName:
		if generic(obj.Type()) {
			return
		}
		i, isInterface := obj.Type().Underlying().(*types.Interface)
		if isInterface && !i.IsMethodSet() {
			return
		}
		fmt.Fprintf(&g.body, "%q: reflect.ValueOf((*%s.%s)(nil)),\n", name, g.qualify(g.pkg), name)
		if isInterface {
			g.wrapper(name, i)
		}
	}
}

func generic(t types.Type) bool {
	switch t := t.(type) {
	case *types.Named:
		return t.TypeParams().Len() > t.TypeArgs().Len()
	case *types.Alias:
		return t.TypeParams().Len() > t.TypeArgs().Len()
	}
	return false
}

func (g *table) wrapper(name string, i *types.Interface) {
	for m := range i.Methods() {
		if !m.Exported() || !g.spellable(m.Type()) {
			return
		}
	}
	w := fmt.Sprintf("_%s_%s", strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(g.pkg.Path()), name)
	fmt.Fprintf(&g.body, "\"_%s\": reflect.ValueOf((*%s)(nil)),\n", name, w)
	fmt.Fprintf(&g.tail, "\ntype %s struct {\nIValue any\n", w)
	for m := range i.Methods() {
		fmt.Fprintf(&g.tail, "W%s func%s\n", m.Name(), g.signature(m.Signature(), false))
	}
	fmt.Fprintln(&g.tail, "}")
	for m := range i.Methods() {
		s := m.Signature()
		ret := ""
		if s.Results().Len() > 0 {
			ret = "return "
		}
		var args []string
		for k := range s.Params().Len() {
			a := fmt.Sprintf("a%d", k)
			if s.Variadic() && k == s.Params().Len()-1 {
				a += "..."
			}
			args = append(args, a)
		}
		fmt.Fprintf(&g.tail, "func (w %s) %s%s { %sw.W%s(%s) }\n", w, m.Name(), g.signature(s, true), ret, m.Name(),
			strings.Join(args, ", "))
	}
}

// spellable reports whether a type can be written down outside its package.
func (g *table) spellable(t types.Type) bool {
	ok := true
	types.TypeString(t, func(p *types.Package) string { return "" })
	var walk func(types.Type)
	seen := map[types.Type]bool{}
	walk = func(t types.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		switch t := t.(type) {
		case *types.Named:
			if t.Obj().Pkg() != nil && (!t.Obj().Exported() || internal(t.Obj().Pkg().Path())) {
				ok = false
			}
			for a := range t.TypeArgs().Types() {
				walk(a)
			}
		case *types.Alias:
			walk(types.Unalias(t))
		case *types.Pointer:
			walk(t.Elem())
		case *types.Slice:
			walk(t.Elem())
		case *types.Array:
			walk(t.Elem())
		case *types.Chan:
			walk(t.Elem())
		case *types.Map:
			walk(t.Key())
			walk(t.Elem())
		case *types.Signature:
			for v := range t.Params().Variables() {
				walk(v.Type())
			}
			for v := range t.Results().Variables() {
				walk(v.Type())
			}
		}
	}
	walk(t)
	return ok
}

func internal(p string) bool {
	return strings.Contains("/"+p+"/", "/internal/")
}

func (g *table) signature(s *types.Signature, named bool) string {
	var in, out []string
	for k := range s.Params().Len() {
		t := types.TypeString(types.Unalias(s.Params().At(k).Type()), g.qualify)
		if s.Variadic() && k == s.Params().Len()-1 {
			t = "..." + strings.TrimPrefix(t, "[]")
		}
		if named {
			t = fmt.Sprintf("a%d %s", k, t)
		}
		in = append(in, t)
	}
	for k := range s.Results().Len() {
		out = append(out, types.TypeString(types.Unalias(s.Results().At(k).Type()), g.qualify))
	}
	return "(" + strings.Join(in, ", ") + ") (" + strings.Join(out, ", ") + ")"
}
