package fidelity

import (
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/tools/txtar"
)

var declaration = regexp.MustCompile(`^(type |const |func (\(\w+ |\(\*?\w+\) |\w))`)

// Parse reads a program of the corpus. It is a txtar archive with a file for each cell, whose pieces are separated by
// blank lines. A further file "out" has the output of the compiled program and how it ends.
func Parse(name string, data []byte) (*Case, Result, error) {
	p := &Case{Name: name}
	var want Result
	var decls, body strings.Builder
	for _, f := range txtar.Parse(data).Files {
		text := string(f.Data)
		if f.Name == "out" {
			if at := strings.LastIndex("\n"+text, "\npanic: "); at >= 0 {
				want.End = strings.TrimSuffix(text[at:], "\n")
				text = text[:at]
			}
			want.Output = text
			continue
		}
		p.Cells = append(p.Cells, text)
		for _, piece := range strings.Split(strings.TrimSpace(text), "\n\n") {
			switch piece = strings.Trim(piece, "\n"); {
			case strings.HasPrefix(piece, "import ") || strings.HasPrefix(piece, "package "):
			case declaration.MatchString(piece):
				decls.WriteString("\n" + piece + "\n")
			default:
				body.WriteString(piece + "\n")
			}
		}
	}
	text := decls.String()
	if !strings.Contains(text, "func main()") {
		text += "\nfunc main() {\n" + body.String() + "}\n"
	}
	source, err := withImports(text)
	if err != nil {
		return nil, want, fmt.Errorf("%s: %w", name, err)
	}
	p.Source = source
	header, _, _ := strings.Cut(strings.TrimPrefix(source, "package main\n\n"), "\n\n")
	if len(p.Cells) > 0 && !strings.Contains(p.Cells[0], "import ") && strings.HasPrefix(header, "import ") {
		p.Cells[0] = header + "\n\n" + p.Cells[0]
	}
	return p, want, nil
}

// Format writes a program in the form that Parse reads.
func Format(p *Case, want Result, comment string) []byte {
	a := &txtar.Archive{Comment: []byte(comment)}
	for k, cell := range p.Cells {
		text := strings.Trim(cell, "\n")
		for strings.Contains(text, "\n\n\n") {
			text = strings.ReplaceAll(text, "\n\n\n", "\n\n")
		}
		a.Files = append(a.Files, txtar.File{Name: fmt.Sprint("cell ", k+1), Data: []byte(text + "\n")})
	}
	out := want.Output
	if want.End != "" {
		out += want.End + "\n"
	}
	a.Files = append(a.Files, txtar.File{Name: "out", Data: []byte(out)})
	return txtar.Format(a)
}
