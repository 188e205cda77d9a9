package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// covered counts statements, and those that tests of their own package reach.
type covered struct{ reached, all int }

func (c covered) percent() float64 {
	if c.all == 0 {
		return 0
	}
	return 100 * float64(c.reached) / float64(c.all)
}

// coverage reads a profile of go test and returns the statements of every package below root, the module's folder.
// Generated files are left out.
func coverage(profile, module, root string) (map[string]covered, error) {
	f, err := os.Open(profile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	type block struct{ file, at string }
	statements, reached := map[block]int{}, map[block]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		file, rest, ok := strings.Cut(lines.Text(), ":")
		var at string
		var n, count int
		if !ok || file == "mode" {
			continue
		}
		if _, err := fmt.Sscan(rest, &at, &n, &count); err != nil {
			return nil, fmt.Errorf("%s: %q: expected FILE:FROM,TO STATEMENTS COUNT", profile, lines.Text())
		}
		b := block{file, at}
		statements[b], reached[b] = n, reached[b] || count > 0
	}
	out, generated := map[string]covered{}, map[string]bool{}
	for b, n := range statements {
		skip, known := generated[b.file]
		if !known {
			skip = isGenerated(filepath.Join(root, strings.TrimPrefix(b.file, module+"/")))
			generated[b.file] = skip
		}
		if skip {
			continue
		}
		pkg := b.file[:strings.LastIndex(b.file, "/")]
		c := out[pkg]
		if c.all += n; reached[b] {
			c.reached += n
		}
		out[pkg] = c
	}
	return out, nil
}

func isGenerated(file string) bool {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
	return err == nil && ast.IsGenerated(f)
}
