package plots

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/bidi"
)

// visual puts the letters of a text into the order in which they stand from left to right: those of Hebrew words the
// other way round.
func visual(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x590 }) {
		return text
	}
	var p bidi.Paragraph
	if _, err := p.SetString(text); err != nil {
		return text
	}
	order, err := p.Order()
	if err != nil {
		return text
	}
	var b strings.Builder
	for k := range order.NumRuns() {
		run := order.Run(k)
		if run.Direction() == bidi.RightToLeft {
			b.WriteString(bidi.ReverseString(run.String()))
		} else {
			b.WriteString(run.String())
		}
	}
	return b.String()
}

// mostLetters is the number of missing letters that a note names, at most.
const mostLetters = 8

// unwritten is a note about letters that the font of figures lacks, if a chart's texts have any.
func (c *Chart) unwritten() []string {
	texts := slices.Concat([]string{c.Title, c.X.Label, c.Y.Label, c.By}, c.Names, c.X.Categories, c.Y.Categories,
		c.Notes)
	for _, p := range c.Panels {
		texts = append(texts, p.Title)
		for _, r := range p.References {
			texts = append(texts, r.Name)
		}
		for _, s := range p.Shapes {
			texts = append(texts, s.Text)
		}
	}
	face := style{printSize, false}.face().Face
	var buffer sfnt.Buffer
	var missing []string
	for _, text := range texts {
		for _, r := range text {
			if k, err := face.GlyphIndex(&buffer, r); (err != nil || k == 0) && r >= ' ' &&
				!slices.Contains(missing, string(r)) {
				missing = append(missing, string(r))
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	codes := make([]string, 0, mostLetters)
	for _, r := range missing[:min(len(missing), mostLetters)] {
		codes = append(codes, fmt.Sprintf("U+%04X", []rune(r)[0]))
	}
	if more := len(missing) - len(codes); more > 0 {
		codes = append(codes, fmt.Sprintf("%d more", more))
	}
	return []string{fmt.Sprintf("The font of figures lacks %s; PDF and PNG show a box or a gap instead.",
		strings.Join(codes, ", "))}
}
