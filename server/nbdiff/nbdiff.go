// Package nbdiff shows for people what two notebooks differ in: cells that were added, deleted, moved or changed, with
// their texts line by line, and their outputs and metadata in a line each. It also writes a notebook as a text that git
// can compare. It applies nothing: its results are no patches.
//
//	text := nbdiff.Diff(nbdiff.Side{"a.ipynb", a}, nbdiff.Side{"b.ipynb", b}, nbdiff.Options{Context: 3})
package nbdiff

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"nacre/server/nbformat"
)

// Options say what is compared and how it is shown.
type Options struct {
	Sources bool // compare the texts of cells only
	Whole   bool // show outputs and metadata line by line
	Context int  // number of lines around a change that are shown
	Colour  bool // use a terminal's colours
}

// Side is one of the two notebooks that are compared.
type Side struct {
	Name     string
	Notebook *nbformat.Notebook // nil if there is none, as before git added it
}

// colours of the lines, by how they begin.
const (
	bold, red, green, yellow, cyan = "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m"
	plain                          = "\x1b[m"
)

// Diff describes what differs between two notebooks. It is empty if nothing does.
func Diff(a, b Side, o Options) string {
	p := &printer{Options: o}
	as, bs := cellsOf(a.Notebook), cellsOf(b.Notebook)
	for _, at := range match(a.Notebook, b.Notebook) {
		switch {
		case at.b < 0:
			p.cell(fmt.Sprintf("cell %d (%s), deleted", at.a+1, as[at.a].Type()), as[at.a], nil, "", true)
		case at.a < 0:
			p.cell(fmt.Sprintf("cell %d (%s), added", at.b+1, bs[at.b].Type()), nil, bs[at.b], "", true)
		default:
			old, now, id := as[at.a], bs[at.b], ""
			if a.Notebook.HasID(old) && b.Notebook.HasID(now) && old.ID() != now.ID() {
				id = arrow(old.ID(), now.ID())
			}
			head := fmt.Sprintf("cell %s (%s)", arrow(at.a+1, at.b+1), arrow(old.Type(), now.Type()))
			if at.moved {
				head += ", moved"
			}
			p.cell(head, old, now, id, at.moved || old.Type() != now.Type())
		}
	}
	if !o.Sources {
		p.notebook(a.Notebook, b.Notebook)
	}
	if p.b.Len() == 0 {
		return ""
	}
	return heading(a.Name, b.Name, o) + p.b.String()
}

// Texts describes what differs between two files that are compared as text. The argument reason says why they are not
// compared as notebooks.
func Texts(aName, a, bName, b, reason string, o Options) string {
	p := &printer{Options: o}
	p.line(yellow, "~ compared as text: "+reason)
	if !p.hunks(a, b) {
		return ""
	}
	return heading(aName, bName, o) + p.b.String()
}

func heading(a, b string, o Options) string {
	p := &printer{Options: o}
	p.line(bold, "--- "+a)
	p.line(bold, "+++ "+b)
	return p.b.String()
}

// Text is a notebook as a text, with a line for the outputs and one for the metadata of each cell.
func Text(nb *nbformat.Notebook, o Options) string {
	p := &printer{Options: o}
	for _, c := range nb.Cells() {
		name := "~ " + c.Type() + " cell"
		if nb.HasID(c) {
			name += " " + c.ID()
		}
		p.line(bold, name)
		p.put("", "", c.Source())
		if o.Sources {
			continue
		}
		if meta := others(c); len(meta) > 0 {
			p.told("metadata", meta, cut(nbformat.JSON(meta, "")), nbformat.JSON(meta, " "))
		}
		if n := c["execution_count"]; n != nil {
			p.line(yellow, "~ execution count: "+nbformat.JSON(n, ""))
		}
		if list := outputsOf(c); len(list) > 0 {
			p.told("outputs", list, summary(list), wholeOutputs(list))
		}
	}
	if !o.Sources {
		p.told("notebook", nb.Metadata(), about(nb), nbformat.JSON(nb.Metadata(), " "))
	}
	return p.b.String()
}

// about names the kind of a notebook.
func about(nb *nbformat.Notebook) string {
	spec, _ := nb.Metadata()["kernelspec"].(map[string]any)
	text := "format " + format(nb)
	if name, ok := spec["name"].(string); ok {
		text += ", kernel " + name
	}
	return text
}

func format(nb *nbformat.Notebook) string {
	if nb.Major() < nbformat.Major {
		return fmt.Sprint(nb.Major())
	}
	return fmt.Sprintf("%d.%d", nb.Major(), nb.Minor())
}

type printer struct {
	Options
	b strings.Builder
}

// line writes a line, without what a terminal would obey.
func (p *printer) line(colour, text string) {
	text = visible(text)
	if p.Colour && colour != "" {
		text = colour + text + plain
	}
	p.b.WriteString(text + "\n")
}

// put writes a text with a sign before each line.
func (p *printer) put(colour, sign, text string) {
	for line := range strings.Lines(text) {
		p.line(colour, sign+strings.TrimSuffix(line, "\n"))
	}
}

// told writes what a cell has besides its text: in a line with a digest, or whole.
func (p *printer) told(what string, v any, short, whole string) {
	if !p.Whole {
		p.line(yellow, fmt.Sprintf("~ %s: %s (%s)", what, short, digest(v)))
		return
	}
	p.line(yellow, fmt.Sprintf("~ %s:", what))
	p.put("", "  ", whole)
}

// cell writes what differs in a pair of cells, of which one may be nil, under a heading that is written if anything
// differs, or in any case.
func (p *printer) cell(head string, old, now nbformat.Cell, id string, always bool) {
	body := &printer{Options: p.Options}
	body.hunks(ended(old.Source()), ended(now.Source()))
	if !p.Sources {
		body.beside(old, now)
		if id != "" {
			body.line(yellow, "~ id: "+id)
		}
	}
	if body.b.Len() > 0 || always {
		p.line(bold, head)
		p.b.WriteString(body.b.String())
	}
}

// arrow is a value, or two if they differ.
func arrow[T comparable](a, b T) string {
	if a == b {
		return fmt.Sprint(a)
	}
	return fmt.Sprintf("%v → %v", a, b)
}

// ended is a text whose last line ends, so that one added below it does not change it.
func ended(s string) string {
	if s == "" {
		return ""
	}
	return s + "\n"
}

// beside writes what differs besides the text.
func (p *printer) beside(old, now nbformat.Cell) {
	p.compared("outputs", wholeOutputs(outputsOf(old)), wholeOutputs(outputsOf(now)), func() string {
		a, b := outputsOf(old), outputsOf(now)
		if nbformat.JSON(a, "") == nbformat.JSON(b, "") || len(a)+len(b) == 0 {
			return ""
		}
		from, to := summary(a), summary(b)
		if from == to {
			return from + ", other content"
		}
		return from + " → " + to
	}())
	if a, b := nbformat.JSON(old["execution_count"], ""), nbformat.JSON(now["execution_count"], ""); a != b {
		p.line(yellow, "~ execution count: "+a+" → "+b)
	}
	a, b := others(old), others(now)
	p.compared("metadata", ended(nbformat.JSON(a, " ")), ended(nbformat.JSON(b, " ")), changes(a, b))
}

// compared writes a difference that a line tells of; whole, if that is asked for and is more.
func (p *printer) compared(what, was, is, told string) {
	if told == "" {
		return
	}
	if !p.Whole || was == is {
		p.line(yellow, "~ "+what+": "+told)
		return
	}
	p.line(yellow, "~ "+what+":")
	p.hunks(was, is)
}

// hunks writes what differs between two texts, and reports whether anything does.
func (p *printer) hunks(was, is string) bool {
	edits := udiff.Lines(was, is)
	if len(edits) == 0 {
		return false
	}
	u, err := udiff.ToUnifiedDiff("", "", was, edits, p.Context)
	if err != nil { // of edits that do not fit the text, which Lines does not make
		panic(err)
	}
	for _, h := range u.Hunks {
		p.line(cyan, "@@ -"+lines(h, udiff.Insert)+" +"+lines(h, udiff.Delete)+" @@")
		for _, l := range h.Lines {
			colour := map[udiff.OpKind]string{udiff.Delete: red, udiff.Insert: green}[l.Kind]
			text, ended := strings.CutSuffix(l.Content, "\n")
			p.line(colour, map[udiff.OpKind]string{udiff.Delete: "-", udiff.Insert: "+", udiff.Equal: " "}[l.Kind]+text)
			if !ended {
				p.line("", `\ No newline at end of file`)
			}
		}
	}
	return true
}

// lines are the first line and the number of lines of a hunk in one of two texts, the one without lines of a kind, as
// GNU diff writes them.
func lines(h *udiff.Hunk, without udiff.OpKind) string {
	n, first := 0, h.FromLine
	if without == udiff.Delete {
		first = h.ToLine
	}
	for _, l := range h.Lines {
		if l.Kind != without {
			n++
		}
	}
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", first-1)
	case 1:
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d,%d", first, n)
}

// notebook writes what differs outside the cells.
func (p *printer) notebook(a, b *nbformat.Notebook) {
	body := &printer{Options: p.Options}
	switch {
	case a == nil && b == nil:
	case a == nil:
		body.line(yellow, "~ added: "+about(b))
	case b == nil:
		body.line(yellow, "~ deleted: "+about(a))
	default:
		if was, is := format(a), format(b); was != is {
			body.line(yellow, "~ format: "+arrow(was, is))
		}
		if was, is := ids(a), ids(b); was != is && was != "" && is != "" {
			body.line(yellow, "~ ids: "+arrow(was, is))
		}
		was, is := a.Metadata(), b.Metadata()
		body.compared("metadata", ended(nbformat.JSON(was, " ")), ended(nbformat.JSON(is, " ")), changes(was, is))
	}
	if body.b.Len() > 0 {
		p.line(bold, "notebook")
		p.b.WriteString(body.b.String())
	}
}

// ids says whether the cells of a notebook's file have identifiers; it is empty if there is no cell.
func ids(nb *nbformat.Notebook) string {
	n, cells := 0, nb.Cells()
	for _, c := range cells {
		if nb.HasID(c) {
			n++
		}
	}
	switch {
	case len(cells) == 0:
		return ""
	case n == 0:
		return "none"
	case n == len(cells):
		return "all"
	}
	return fmt.Sprintf("%d of %d", n, len(cells))
}

// visible writes out what a terminal would obey and what cannot be seen.
func visible(s string) string {
	hidden := func(r rune) bool {
		return r != '\t' && r != '\u200c' && r != '\u200d' &&
			unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
	}
	if utf8.ValidString(s) && strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\r':
			b.WriteString(`\r`)
		case hidden(r) && r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}
