// Package bundle lists the files of the scenes of Meta-World's families, and makes them small, for programs that fetch
// them one by one, such as a page in a browser. It reads the folder that nacre setup has fetched.
//
//	b, err := bundle.New()
//	for scene, files := range b.Scenes {
//		for _, file := range files {
//			data, err := b.Read(file)
//		}
//	}
package bundle

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"

	"nacre/sim/metaworld"
)

// Bundle lists the files of the families' scenes.
type Bundle struct {
	// Scenes lists the files that each scene needs, its model first. Paths are relative to the scenes' folder.
	Scenes map[string][]string
	folder string
}

// New reads which files the families' scenes name. If there are no scenes, it returns the error of metaworld.Scenes.
func New() (*Bundle, error) {
	models, err := metaworld.Scenes()
	if err != nil {
		return nil, err
	}
	b := &Bundle{Scenes: map[string][]string{}, folder: filepath.Dir(models)}
	for _, scene := range metaworld.SceneNames() {
		name := path.Join(filepath.Base(models), scene+".xml")
		files, err := b.named(nil, name, path.Dir(name))
		if err != nil {
			return nil, fmt.Errorf("the scene %s of Meta-World: %w", scene, err)
		}
		b.Scenes[name] = files
	}
	return b, nil
}

// named appends a model file and the files it names, which MuJoCo looks for from the folder of the scene, to known.
func (b *Bundle) named(known []string, file, from string) ([]string, error) {
	if slices.Contains(known, file) {
		return known, nil
	}
	known = append(known, file)
	text, err := os.Open(b.path(file))
	if err != nil {
		return nil, err
	}
	defer text.Close()
	for d := xml.NewDecoder(text); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return known, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range element.Attr {
			if a.Name.Local != "file" {
				continue
			}
			name := path.Join(from, a.Value)
			if element.Name.Local != "include" {
				if !slices.Contains(known, name) {
					known = append(known, name)
				}
			} else if known, err = b.named(known, name, from); err != nil {
				return nil, err
			}
		}
	}
}

func (b *Bundle) path(file string) string { return filepath.Join(b.folder, filepath.FromSlash(file)) }

// Read returns the content of a file. A texture is replaced by one pixel of its mean colour, because textures are most
// of the bytes and physics does not read them.
func (b *Bundle) Read(file string) ([]byte, error) {
	data, err := os.ReadFile(b.path(file))
	if err != nil || path.Ext(file) != ".png" {
		return data, err
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the texture %s of Meta-World: %w", file, err)
	}
	pixel := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	pixel.Set(0, 0, mean(picture))
	var out bytes.Buffer
	err = png.Encode(&out, pixel)
	return out.Bytes(), err
}

// mean returns the mean colour of a picture, by channels.
func mean(picture image.Image) color.Color {
	var sum [3]uint64
	box := picture.Bounds()
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			r, g, b, _ := picture.At(x, y).RGBA()
			sum[0], sum[1], sum[2] = sum[0]+uint64(r), sum[1]+uint64(g), sum[2]+uint64(b)
		}
	}
	n := uint64(box.Dx() * box.Dy())
	of := func(k int) uint8 { return uint8((sum[k] + n*0x101/2) / (n * 0x101)) }
	return color.NRGBA{of(0), of(1), of(2), 255}
}
