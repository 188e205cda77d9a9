// Command docs writes the generated parts of the documentation: tables of measurements from docs/measurements, the
// index of packages from their comments, the picture of the layers of packages ("the house") from the imports, and the
// table of inner loops with vector instructions from the code. Each stands in a page between two comments,
//
//	<!-- table: update-2026-11-22 -->
//	<!-- end -->
//
// and is written anew by
//
//	go run ./internal/docs
//
// Its tests fail in these cases:
//
//   - such a part of a page differs from its sources;
//   - a package imports one from a floor above its own (docs/architecture.md);
//   - a link leads nowhere;
//   - a line is longer than 120 characters;
//   - a page uses a word that docs/glossary.md forbids.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	root, err := findRoot()
	if err == nil {
		err = update(root)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
}

// findRoot is the nearest folder above the working directory that holds the module. It is no link, which WalkDir would
// not enter.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod here or above: run it in a checkout of nacre")
		}
	}
}

// update rewrites every page whose generated blocks have changed.
func update(root string) error {
	names, err := pages(root)
	if err != nil {
		return err
	}
	for _, name := range names {
		old, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		text, err := fill(root, name, string(old))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if text == string(old) {
			continue
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
		fmt.Println(strings.TrimPrefix(name, root+string(filepath.Separator)))
	}
	return nil
}
