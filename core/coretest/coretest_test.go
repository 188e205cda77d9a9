package coretest_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/coretest"
	"nacre/core/ref"
)

func TestReference(t *testing.T) {
	coretest.Run(t, func(testing.TB) core.Device { return ref.Device }, coretest.Options{Tolerance: 1e-300})
}

// Every operation that core/op defines is applied: whoever adds one adds it to the suite.
func TestEveryOperation(t *testing.T) {
	p, err := coretest.Operations(coretest.Size{Groups: 3, Rows: 5, Cols: 7, Inner: 3})
	if err != nil {
		t.Fatal(err)
	}
	applied := map[string]bool{}
	for _, l := range p.Levels {
		for _, in := range append(l.Whole, l.Tiled...) {
			applied[strings.TrimPrefix(fmt.Sprintf("%T", in.Op), "op.")] = true
		}
	}
	files, err := filepath.Glob("../op/*.go")
	if err != nil {
		t.Fatal(err)
	}
	defined := 0
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || f.Name.Name != "Eval" {
				continue
			}
			defined++
			if name := f.Recv.List[0].Type.(*ast.Ident).Name; !applied[name] {
				t.Errorf("operation %s is not in the suite", name)
			}
		}
	}
	if defined < 19 {
		t.Errorf("%d operations found in core/op", defined)
	}
}
