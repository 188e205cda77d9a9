package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// uses counts how often the names of packages are met in the other packages, in their examples and in the notebooks.
// The result has lines of path, name and count: those of a package's own names, "" for the package, and under the path
// "*" those of fields and methods, whatever their type.
func uses(pkgs []*packages.Package) string {
	c := counter{known: map[string]string{}, counts: map[string]int{}}
	var files []string
	glob := func(pattern string) {
		list, err := filepath.Glob(pattern)
		if err != nil {
			log.Fatal(err)
		}
		files = append(files, list...)
	}
	for _, p := range pkgs {
		c.known[p.PkgPath] = p.Name
		if len(p.GoFiles) > 0 {
			glob(filepath.Join(filepath.Dir(p.GoFiles[0]), "*example*_test.go"))
		}
		for _, o := range p.TypesInfo.Uses {
			if o.Pkg() != nil && o.Pkg() != p.Types && o.Exported() && o.Parent() == o.Pkg().Scope() {
				c.counts[o.Pkg().Path()+"\t"+o.Name()]++
			}
		}
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(files))) {
		text, err := os.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		c.file(string(text))
	}
	notebooks, err := filepath.Glob("../notebooks/*.ipynb")
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range notebooks {
		if !strings.Contains(name, "-Copy") { // of a user's
			c.notebook(name)
		}
	}
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(c.counts)) {
		path, _, _ := strings.Cut(key, "\t")
		if n := c.counts[key]; n > 1 && (path == "*" || c.known[path] != "") {
			fmt.Fprintf(&b, "%s\t%d\n", key, n)
		}
	}
	return b.String()
}

type counter struct {
	known  map[string]string // names of the packages by their paths
	counts map[string]int    // by path, tab and name
}

func (c *counter) file(text string) {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		log.Fatal(err)
	}
	c.count(f, f.Imports)
}

// notebook counts in the cells of a notebook, where a later cell uses what an earlier one imports.
func (c *counter) notebook(name string) {
	data, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	var nb struct {
		Cells []struct {
			Type   string `json:"cell_type"`
			Source any    `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(data, &nb); err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	var imports []*ast.ImportSpec
	for _, cell := range nb.Cells {
		text, isText := cell.Source.(string)
		if lines, ok := cell.Source.([]any); ok && !isText {
			for _, l := range lines {
				text += fmt.Sprint(l)
			}
		}
		if cell.Type != "code" {
			continue
		}
		// A cell is read as declarations or as statements; what is left out by an error was not to be counted anyway.
		head, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, parser.SkipObjectResolution)
		if head != nil {
			imports = append(imports, head.Imports...)
		}
		if err != nil {
			body := text[len(text)-len(withoutImports(text)):]
			head, _ = parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+body+"\n}",
				parser.SkipObjectResolution)
		}
		if head != nil {
			c.count(head, imports)
		}
	}
}

// withoutImports returns what follows the last import of a cell.
func withoutImports(text string) string {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, parser.ImportsOnly)
	if err != nil || len(f.Imports) == 0 {
		return text
	}
	end := int(f.Decls[len(f.Decls)-1].End()) - 1 - len("package p\n")
	return text[min(max(end, 0), len(text)):]
}

func (c *counter) count(f *ast.File, imports []*ast.ImportSpec) {
	paths := map[string]string{}
	for _, s := range imports {
		path := strings.Trim(s.Path.Value, "`\"")
		if c.known[path] == "" {
			continue
		}
		paths[c.known[path]] = path
		if s.Name != nil {
			paths[s.Name.Name] = path
		}
	}
	for _, path := range paths {
		c.counts[path+"\t"]++
	}
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := s.X.(*ast.Ident); ok && paths[id.Name] != "" {
			c.counts[paths[id.Name]+"\t"+s.Sel.Name]++
		} else {
			c.counts["*\t"+s.Sel.Name]++
		}
		return true
	})
}
