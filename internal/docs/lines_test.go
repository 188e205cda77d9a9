package main

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// tab is the number of columns that a tab takes where code is read.
const tab = 4

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// sources calls visit with the path, from the root, and the text of every Go file that was written by hand.
func sources(t *testing.T, visit func(name string, text []byte)) {
	t.Helper()
	root, found := rootOf(t), 0
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := e.Name()
		if e.IsDir() && path != root &&
			(strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata" || name == "out") {
			return filepath.SkipDir
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || generated.Match(text) {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		found++
		visit(filepath.ToSlash(relative), text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 1000 {
		t.Fatalf("only %d Go files found below %s", found, root)
	}
}

// columns is the width of a line of code.
func columns(line string) int {
	return utf8.RuneCountInString(line) + (tab-1)*strings.Count(line, "\t")
}

// overlong returns the numbers of the lines with more than width columns. Lines that cannot be broken without changing
// what they say are left out: raw strings (programs, JSON, tags of fields) and the output of examples.
func overlong(text []byte) (numbers []int) {
	raw, output := rawStrings(text), false
	for i, line := range strings.Split(string(text), "\n") {
		comment := strings.HasPrefix(strings.TrimSpace(line), "//")
		output = comment && (output || strings.HasSuffix(line, "// Output:"))
		if columns(strings.TrimSuffix(line, "\r")) > width && !raw[i+1] && !output {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

// rawStrings holds the numbers of the lines in which a raw string that begins within the width goes beyond it.
func rawStrings(text []byte) map[int]bool {
	beyond := map[int]bool{}
	file := token.NewFileSet().AddFile("", 1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	lines := strings.Split(string(text), "\n")
	for p, kind, literal := s.Scan(); kind != token.EOF; p, kind, literal = s.Scan() {
		if kind != token.STRING || literal[0] != '`' {
			continue
		}
		at := file.Position(p)
		before := columns(lines[at.Line-1][:at.Column-1])
		for i, part := range strings.Split(literal, "\n") {
			if before < width && before+columns(part) > width {
				beyond[at.Line+i] = true
			}
			before = 0
		}
	}
	return beyond
}

// TestCodeIsNarrow keeps lines of Go code to the width of pages.
func TestCodeIsNarrow(t *testing.T) {
	sources(t, func(name string, text []byte) {
		for _, n := range overlong(text) {
			t.Errorf("%s:%d has %d columns, with %d for a tab; %d are allowed: break it", name, n,
				columns(strings.Split(string(text), "\n")[n-1]), tab, width)
		}
	})
}

func TestOverlong(t *testing.T) {
	long := strings.Repeat("x", width)
	text := "package p\n// " + long + "\nvar a = `" + long + "\n" + long + "y`\n\tvar b = 1 // " + long[:width-16] +
		"\n\tvar c = 1 // " + long[:width-17] + "\nvar d = f(`a`, \"" + long +
		"\")\nvar e = f(\"" + long + "\", `a`)\n" +
		"\t// Output:\n\t// " + long + "\n\n// " + long + "\n"
	want := []int{2, 5, 7, 8, 12}
	if got := overlong([]byte(text)); !slices.Equal(got, want) {
		t.Errorf("lines %v are too long, expected %v", got, want)
	}
}
