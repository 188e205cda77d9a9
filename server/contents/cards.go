package contents

import (
	"encoding/base64"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"

	"nacre/server/nbformat"
)

// Card is what a start page shows of a notebook.
type Card struct {
	Path     string `json:"path"`
	Title    string `json:"title"`   // its first heading, or else its name
	Text     string `json:"text"`    // its first paragraph, without marks
	Pictured bool   `json:"picture"` // whether an output has a picture; Picture returns the one of most bytes

	picture string // PNG in base64
}

// card is a card that is kept, with the file's time and size when it was made.
type card struct {
	Card
	time time.Time
	size int64
}

// maxPicture is the size of the largest picture that a card has, in base64.
const maxPicture = 1 << 20

// maxCards is the largest number of notebooks of a folder that have cards.
const maxCards = 24

// Cards returns the cards of the notebooks in a folder, by name. A notebook that cannot be read has none: opening it
// says why.
func (s *Store) Cards(folder string) ([]Card, error) {
	m, err := s.Get(folder, GetOptions{Type: "directory", Content: true})
	if err != nil {
		return nil, err
	}
	out := []Card{}
	list, _ := m.Content.([]*Model)
	for _, entry := range list {
		if entry.Type != "notebook" || len(out) == maxCards {
			continue
		}
		if c, err := s.card(entry.Path); err == nil {
			out = append(out, c)
		}
	}
	return out, nil
}

// Picture returns the picture of a notebook's card as PNG.
func (s *Store) Picture(notebook string) ([]byte, error) {
	c, err := s.card(notebook)
	if err != nil {
		return nil, err
	}
	if !c.Pictured {
		return nil, fail(http.StatusNotFound, "%s has no picture", notebook)
	}
	return base64.StdEncoding.DecodeString(c.picture)
}

// card reads a notebook's card, if the file is another than the one it was read from last.
func (s *Store) card(p string) (Card, error) {
	p, err := clean(p)
	if err != nil {
		return Card{}, err
	}
	info, err := s.stat(p)
	if err != nil {
		return Card{}, err
	}
	if v, ok := s.cards.Load(p); ok {
		if c := v.(card); c.time.Equal(info.ModTime()) && c.size == info.Size() {
			return c.Card, nil
		}
	}
	b, err := s.read(p)
	if err != nil {
		return Card{}, err
	}
	nb, err := nbformat.Parse(b)
	if err != nil {
		return Card{}, err
	}
	c := describeCard(p, nb)
	s.cards.Store(p, card{c, info.ModTime(), info.Size()})
	return c, nil
}

func describeCard(p string, nb *nbformat.Notebook) Card {
	c := Card{Path: p, Title: strings.TrimSuffix(path.Base(p), path.Ext(p))}
	headed := false
	for _, cell := range nb.Cells() {
		if cell.Type() == "markdown" {
			for line := range strings.SplitSeq(cell.Source()+"\n", "\n\n") {
				heading, rest, _ := strings.Cut(strings.TrimSpace(line), "\n")
				if title, is := strings.CutPrefix(heading, "# "); is && !headed {
					c.Title, headed = unmarked(title), true
					heading = ""
				}
				if text := unmarked(heading + " " + rest); c.Text == "" && text != "" && !strings.HasPrefix(text, "#") {
					c.Text = text
				}
			}
		}
		for _, bundle := range cell.Bundles() {
			if png := joined(bundle["image/png"]); len(png) > len(c.picture) && len(png) <= maxPicture {
				c.picture, c.Pictured = png, true
			}
		}
	}
	return c
}

// joined is a value of a bundle, which may be a list of lines.
func joined(v any) string {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "\n", "")
	case []any:
		out := ""
		for _, line := range v {
			out += joined(line)
		}
		return out
	}
	return ""
}

var (
	links = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	marks = regexp.MustCompile("[*_`$]{1,3}|<[^>]*>")
)

// unmarked is a paragraph of Markdown without its marks.
func unmarked(text string) string {
	text = links.ReplaceAllString(text, "$1")
	return strings.Join(strings.Fields(marks.ReplaceAllString(text, "")), " ")
}
