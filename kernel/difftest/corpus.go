package difftest

import (
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/tools/txtar"
)

var declaration = regexp.MustCompile(`^(type |func (\(\w+ |\(\*?\w+\) |\w))`)

// Parse reads a program of the corpus: a txtar archive with a file for each cell, whose pieces are set apart by blank
// lines, and a file "out" with what it prints compiled and how it ends.
func Parse(data []byte) (*Program, Result, error) {
	a := txtar.Parse(data)
	p := &Program{}
	var want Result
	for _, f := range a.Files {
		text := string(f.Data)
		if f.Name == "out" {
			if at := strings.LastIndex("\n"+text, "\npanic: "); at >= 0 {
				want.End = strings.TrimSuffix(text[at:], "\n")
				text = text[:at]
			}
			want.Output = text
			continue
		}
		if len(p.Pieces) > 0 {
			p.Cuts = append(p.Cuts, len(p.Pieces))
		}
		for _, piece := range strings.Split(strings.TrimSpace(text), "\n\n") {
			piece = strings.Trim(piece, "\n")
			p.Pieces = append(p.Pieces, Piece{piece, declaration.MatchString(piece)})
		}
	}
	return p, want, p.setImports()
}

// Format writes a program as Parse reads it.
func Format(p *Program, want Result, comment string) []byte {
	a := &txtar.Archive{Comment: []byte(comment)}
	cell := func(from, to int) {
		var texts []string
		for _, piece := range p.Pieces[from:to] {
			texts = append(texts, strings.Trim(strings.ReplaceAll(piece.Text, "\n\n", "\n"), "\n"))
		}
		text := strings.Join(texts, "\n\n") + "\n"
		a.Files = append(a.Files, txtar.File{Name: fmt.Sprintf("cell %d", len(a.Files)+1), Data: []byte(text)})
	}
	from := 0
	for _, cut := range p.Cuts {
		if cut > from && cut < len(p.Pieces) {
			cell(from, cut)
			from = cut
		}
	}
	cell(from, len(p.Pieces))
	out := want.Output
	if want.End != "" {
		out += want.End + "\n"
	}
	a.Files = append(a.Files, txtar.File{Name: "out", Data: []byte(out)})
	return txtar.Format(a)
}
