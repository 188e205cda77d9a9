package pyfamily

import (
	"fmt"
	"image"

	"nacre/sim"
)

// NewFilmed implements sim.Filmer. Its environments are made with render_mode="rgb_array".
func (f *Family) NewFilmed(n int) (sim.Batch, error) {
	b, err := f.unbegun(n)
	if err != nil {
		return nil, err
	}
	b.filmed = true
	return b, b.begin()
}

// picture is an answer of worker.py: rows of pixels of three bytes each.
type picture struct {
	Width, Height int
	Pixels        []byte
	FPS           float64
}

// Picture implements sim.Pictured.
func (b *batch) Picture(i int) (*image.RGBA, float64, error) {
	var p picture
	if b.w == nil || !b.live[i] {
		return nil, 0, sim.NewError(b.spec.Name, b.task[i], i, errNotReset)
	}
	if err := b.w.ask(request{Op: "picture", I: i}, &p); err != nil {
		return nil, 0, sim.NewError(b.spec.Name, b.task[i], i, b.failed(err))
	}
	if len(p.Pixels) != 3*p.Width*p.Height {
		return nil, 0, sim.NewError(b.spec.Name, b.task[i], i, fmt.Errorf("a picture of %d by %d pixels has %d bytes",
			p.Width, p.Height, len(p.Pixels)))
	}
	m := image.NewRGBA(image.Rect(0, 0, p.Width, p.Height))
	for k := range p.Width * p.Height {
		copy(m.Pix[4*k:], p.Pixels[3*k:3*k+3])
		m.Pix[4*k+3] = 255
	}
	return m, p.FPS, nil
}
