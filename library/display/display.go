// Package display shows outputs in a notebook: pictures, formatted text, tables, curves that grow during training, and
// embeddings to explore. A cell shows a value of this package that is its last expression. Show shows a value at once,
// from any place of a cell.
//
//	display.Show(display.Markdown("**Return** of the last run"))
//	h := display.Updating(display.Text("starting"))
//	for k := range 100 {
//		h.Update(display.Text(fmt.Sprint(k, " %")))
//	}
//
// Every output also has a text form. If it has a form that only this notebook can show, it also has a picture, so that
// other programs that open the notebook show something. A program outside a notebook prints the text.
package display

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"strings"

	"nacre/library/cell"
)

// Renderer is a value that returns its own forms by MIME type. Forms are strings, []byte for binary types, or any value
// that encoding/json encodes for types that end in "json". A type declared in a cell may implement it too.
type Renderer interface {
	MIMEBundle() (map[string]any, error)
}

// Bundle is an output in several forms, by MIME type.
type Bundle map[string]any

// MIMEBundle returns b.
func (b Bundle) MIMEBundle() (map[string]any, error) { return b, nil }

// Text is plain text.
func Text(s string) Bundle { return Bundle{"text/plain": s} }

// HTML is a fragment of HTML. The front end removes scripts from it.
func HTML(s string) Bundle { return Bundle{"text/html": s, "text/plain": s} }

// Markdown is Markdown, with LaTeX between dollar signs.
func Markdown(s string) Bundle { return Bundle{"text/markdown": s, "text/plain": s} }

// LaTeX is a formula. Without dollar signs or an environment of its own it is set on a line of its own.
func LaTeX(s string) Bundle {
	if !strings.HasPrefix(s, "$") && !strings.HasPrefix(s, `\begin`) && !strings.HasPrefix(s, `\[`) {
		s = "$$" + s + "$$"
	}
	return Bundle{"text/latex": s, "text/plain": s}
}

// PNG is a picture in PNG format.
func PNG(data []byte) Bundle {
	return Bundle{"image/png": data, "text/plain": fmt.Sprintf("PNG picture, %d bytes", len(data))}
}

// JPEG is a picture in JPEG format.
func JPEG(data []byte) Bundle {
	return Bundle{"image/jpeg": data, "text/plain": fmt.Sprintf("JPEG picture, %d bytes", len(data))}
}

// SVG is a drawing in SVG.
func SVG(s string) Bundle { return Bundle{"image/svg+xml": s, "text/plain": "SVG drawing"} }

// JSON is a value shown as a tree. encoding/json must be able to encode it.
func JSON(v any) Bundle { return Bundle{"application/json": v, "text/plain": fmt.Sprint(v)} }

// Image is a picture.
func Image(m image.Image) Renderer { return picture{m} }

type picture struct{ image.Image }

func (p picture) MIMEBundle() (map[string]any, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, p.Image); err != nil {
		return nil, fmt.Errorf("display: %w", err)
	}
	s := p.Bounds().Size()
	return Bundle{"image/png": b.Bytes(), "text/plain": fmt.Sprintf("picture of %d×%d pixels", s.X, s.Y)}, nil
}

// Show shows values at once, one below the other, each as the last expression of a cell would be shown. It stops at the
// first value that cannot be shown, such as the table of a failed Sort, and returns its error. A cell that does not
// handle the error ends there.
func Show(values ...any) error {
	for _, v := range values {
		if err := show(cell.Current(), v, "", false); err != nil {
			return err
		}
	}
	return nil
}

func show(c cell.Cell, v any, id string, update bool) error {
	if c != nil {
		return c.Show(v, id, update)
	}
	b, _, err := Render(v)
	if err != nil {
		return err
	}
	fmt.Println(b["text/plain"])
	return nil
}

// Handle is an output that can be replaced.
type Handle struct {
	id   string
	cell cell.Cell // that made it, for updates from goroutines that belong to none
}

// Updating shows v and returns a handle. The handle replaces v in its place, from this cell or a later one.
func Updating(v any) *Handle {
	var b [8]byte
	rand.Read(b[:])
	h := &Handle{hex.EncodeToString(b[:]), cell.Current()}
	h.show(h.cell, v, false)
	return h
}

// Update replaces what the handle shows.
func (h *Handle) Update(v any) {
	c := cell.Current()
	if c == nil {
		c = h.cell
	}
	h.show(c, v, true)
}

// show shows v in the handle's place, or its error: what is replaced from a goroutine has no cell to end.
func (h *Handle) show(c cell.Cell, v any, update bool) {
	if err := show(c, v, h.id, update); err != nil && c == nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// Clear removes what the cell has shown so far. If wait is true, it does so only when the cell shows something again.
func Clear(wait bool) {
	if c := cell.Current(); c != nil {
		c.Clear(wait)
	}
}

// Input asks the user for a line of text. It fails if there is no user to ask.
func Input(prompt string) (string, error) { return input(prompt, false) }

// Password asks for a line that is not shown while it is typed.
func Password(prompt string) (string, error) { return input(prompt, true) }

func input(prompt string, password bool) (string, error) {
	c := cell.Current()
	if c == nil {
		return "", errors.New("display: there is no notebook to ask")
	}
	return c.Input(prompt, password)
}
