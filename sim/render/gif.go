package render

import (
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"math"
)

// EncodeGIF writes pictures of equal size as an endlessly repeated animation of fps pictures per second. All pictures
// share one palette chosen from their colours. Each picture is stored as its difference from the picture before.
// Viewers show at most 50 pictures per second. Delays are in hundredths of a second; they are rounded so that their sum
// is right.
func EncodeGIF(w io.Writer, pictures []*image.RGBA, fps float64) error {
	if len(pictures) == 0 {
		return fmt.Errorf("render: an animation of no pictures")
	}
	if !(fps > 0 && fps <= 50) {
		return fmt.Errorf("render: %v pictures per second; expected more than 0 and at most 50", fps)
	}
	size := pictures[0].Rect
	for i, p := range pictures {
		if p.Rect != size {
			return fmt.Errorf("render: picture %d of the animation is of size %v and the first of %v", i, p.Rect.Size(),
				size.Size())
		}
	}
	colours := newPalette(pictures)
	out := &gif.GIF{Config: image.Config{ColorModel: colours.model, Width: size.Dx(), Height: size.Dy()}}
	shown := image.NewPaletted(size, colours.model)
	at := func(i int) int { return int(math.Round(float64(i) * 100 / fps)) }
	for i, p := range pictures {
		next := colours.apply(p)
		frame := next
		if i > 0 {
			frame = difference(shown, next)
		}
		shown = next
		out.Image = append(out.Image, frame)
		out.Delay = append(out.Delay, at(i+1)-at(i))
		out.Disposal = append(out.Disposal, gif.DisposalNone)
	}
	return gif.EncodeAll(w, out)
}

// transparent is the palette's entry for pixels that stay as they are.
const transparent = 255

// difference is the smallest rectangle of next that differs from shown, transparent where it does not.
func difference(shown, next *image.Paletted) *image.Paletted {
	var box image.Rectangle
	for y := next.Rect.Min.Y; y < next.Rect.Max.Y; y++ {
		for x := next.Rect.Min.X; x < next.Rect.Max.X; x++ {
			if next.ColorIndexAt(x, y) != shown.ColorIndexAt(x, y) {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if box.Empty() {
		box = image.Rect(0, 0, 1, 1)
	}
	out := image.NewPaletted(box, next.Palette)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if v := next.ColorIndexAt(x, y); v != shown.ColorIndexAt(x, y) {
				out.SetColorIndex(x, y, v)
			} else {
				out.SetColorIndex(x, y, transparent)
			}
		}
	}
	return out
}

// palette is up to 255 colours and, for each cell of a grid over all colours, the nearest of them.
type palette struct {
	model   color.Palette
	nearest []int16 // nearest colour of each cell; -1 if not computed yet
}

// bits is the resolution of colours, in bits per channel.
const bits = 6

func cellOf(p []uint8) int {
	return int(p[0])>>(8-bits)<<(2*bits) | int(p[1])>>(8-bits)<<bits | int(p[2])>>(8-bits)
}

// cluster is a set of cells that one colour stands for.
type cluster struct {
	cells []tone
	axis  int     // along which it varies most
	error float64 // squared distances from its mean along that axis, times pixels
}

// tone is the mean colour of the pixels of a cell.
type tone struct {
	colour [3]float64
	pixels float64
}

// newPalette halves the colours' clusters where their variance is largest until there are 255.
func newPalette(pictures []*image.RGBA) *palette {
	sums := make([]tone, 1<<(3*bits))
	for _, p := range pictures {
		for i := 0; i < len(p.Pix); i += 4 {
			t := &sums[cellOf(p.Pix[i:])]
			t.pixels++
			for k := range 3 {
				t.colour[k] += float64(p.Pix[i+k])
			}
		}
	}
	var used []tone
	for _, t := range sums {
		if t.pixels > 0 {
			// The root of the count leaves colours to small things beside a large floor.
			used = append(used, tone{vecOf(t.colour).mul(1 / t.pixels).list(), math.Sqrt(t.pixels)})
		}
	}
	clusters := []cluster{measure(used)}
	for len(clusters) < transparent {
		worst := 0
		for i, c := range clusters {
			if c.error > clusters[worst].error {
				worst = i
			}
		}
		if clusters[worst].error == 0 {
			break
		}
		a, b := clusters[worst].split()
		clusters[worst] = a
		clusters = append(clusters, b)
	}
	p := &palette{nearest: make([]int16, 1<<(3*bits))}
	for i := range p.nearest {
		p.nearest[i] = -1
	}
	for _, c := range clusters {
		m := c.mean().list()
		p.model = append(p.model, color.RGBA{uint8(m[0] + 0.5), uint8(m[1] + 0.5), uint8(m[2] + 0.5), 255})
	}
	for len(p.model) < transparent {
		p.model = append(p.model, p.model[0])
	}
	p.model = append(p.model, color.RGBA{})
	return p
}

func (c cluster) mean() vec {
	var sum vec
	n := 0.
	for _, t := range c.cells {
		sum, n = sum.add(vecOf(t.colour).mul(t.pixels)), n+t.pixels
	}
	return sum.mul(1 / n)
}

func measure(cells []tone) cluster {
	c := cluster{cells: cells}
	m := c.mean()
	var errors vec
	for _, t := range cells {
		d := vecOf(t.colour).sub(m)
		errors = errors.add(d.times(d).mul(t.pixels))
	}
	for k, v := range errors.list() {
		if v > c.error {
			c.axis, c.error = k, v
		}
	}
	return c
}

// split parts a cluster at its mean; both sides have cells because its error is not zero.
func (c cluster) split() (a, b cluster) {
	middle := c.mean().list()[c.axis]
	var low, high []tone
	for _, t := range c.cells {
		if t.colour[c.axis] < middle {
			low = append(low, t)
		} else {
			high = append(high, t)
		}
	}
	return measure(low), measure(high)
}

// apply gives every pixel the nearest colour of the palette.
func (p *palette) apply(img *image.RGBA) *image.Paletted {
	out := image.NewPaletted(img.Rect, p.model)
	for i := range out.Pix {
		c := img.Pix[4*i : 4*i+3]
		cell := cellOf(c)
		if p.nearest[cell] < 0 {
			p.nearest[cell] = int16(p.model[:transparent].Index(color.RGBA{c[0], c[1], c[2], 255}))
		}
		out.Pix[i] = uint8(p.nearest[cell])
	}
	return out
}
