package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// vectorSets are where inner loops are listed, and the text in Go's vector package that serves WebAssembly and arm64.
var vectorSets = []struct{ folder, kind, list, text string }{
	{"core/cpu", "kernels", "kernel.go", "kernel_simd128.go"},
	{"tsne/internal/lanes", "Set", "lanes.go", "simd128.go"},
}

// vectors is a table of the inner loops that have vectors of 128 bits, and of those that stay in plain Go: from the
// type that lists them and the value that has them. What is not there, or ends in Go, is in plain Go.
func vectors(root, _ string) (string, error) {
	var b strings.Builder
	b.WriteString("| | on vectors | in plain Go |\n|---|---|---|\n")
	for _, s := range vectorSets {
		loops, err := loopsOf(filepath.Join(root, s.folder, s.list), s.kind)
		if err != nil {
			return "", err
		}
		has, err := vectorised(filepath.Join(root, s.folder, s.text))
		if err != nil {
			return "", err
		}
		var on, plain []string
		for _, name := range loops {
			said := name
			if name == "blocks" {
				said = "matrix products"
			}
			if has[name] {
				on = append(on, said)
			} else {
				plain = append(plain, said)
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.folder, strings.Join(on, ", "),
			strings.Join(append(plain, "–")[:max(len(plain), 1)], ", "))
	}
	return b.String(), nil
}

// loopsOf lists the fields of a struct that are functions, or blocks of them.
func loopsOf(file, kind string) ([]string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var names []string
	ast.Inspect(f, func(n ast.Node) bool {
		t, ok := n.(*ast.TypeSpec)
		if !ok || t.Name.Name != kind {
			return true
		}
		for _, field := range t.Type.(*ast.StructType).Fields.List {
			of := field.Type
			if a, ok := of.(*ast.ArrayType); ok {
				of = a.Elt
			}
			_, isLoop := of.(*ast.FuncType)
			if i, ok := of.(*ast.Ident); ok && i.Name == "colBlock" {
				isLoop = true
			}
			for _, name := range field.Names {
				if isLoop && name.Name != "peak" {
					names = append(names, name.Name)
				}
			}
		}
		return false
	})
	slices.Sort(names)
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: no type %s of functions", file, kind)
	}
	return names, nil
}

// vectorised is the fields that the value simd128 of a file gives something else than plain Go.
func vectorised(file string) (map[string]bool, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || v.Names[0].Name != "simd128" {
			return true
		}
		for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
			pair := e.(*ast.KeyValueExpr)
			value, named := pair.Value.(*ast.Ident)
			has[pair.Key.(*ast.Ident).Name] = !named || !strings.HasSuffix(value.Name, "Go")
		}
		return false
	})
	if len(has) == 0 {
		return nil, fmt.Errorf("%s: no value simd128", file)
	}
	return has, nil
}
