package render

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"

	"nacre/sim/scene"
)

// Options say how a film is drawn.
type Options struct {
	Width, Height int     // size of one picture in pixels
	FPS           float64 // pictures per second of the film's time; 0 is the film's own rate, but at most 20
	// View replaces the scene's view unless it is nil.
	View *scene.View
	// Drawn is called after each picture with the numbers of pictures drawn and planned.
	Drawn func(done, of int)
}

// Animate draws the film for EncodeGIF at a constant frame rate and at its original speed. It returns the rate.
func Animate(ctx context.Context, f *scene.Film, o Options) (pictures []*image.RGBA, fps float64, err error) {
	fps = cmp.Or(o.FPS, min(20, 1/f.Scene.Interval))
	if !(fps > 0 && fps <= 50) {
		return nil, 0, fmt.Errorf("render: %v pictures per second; expected more than 0 and at most 50", fps)
	}
	var frames []int
	for i := 0; ; i++ {
		t := int(math.Round(float64(i) / fps / f.Scene.Interval))
		if t >= f.Frames() {
			break
		}
		frames = append(frames, t)
	}
	pictures, err = stills(ctx, f, frames, o)
	return pictures, fps, err
}

// Still draws one frame of the film.
func Still(f *scene.Film, frame int, o Options) (*image.RGBA, error) {
	if frame < 0 || frame >= f.Frames() {
		return nil, fmt.Errorf("render: frame %d; the film has frames 0 to %d", frame, f.Frames()-1)
	}
	p, err := stills(context.Background(), f, []int{frame}, o)
	if err != nil {
		return nil, err
	}
	return p[0], nil
}

// Strip draws n frames side by side, at even times from the first frame to the last.
func Strip(ctx context.Context, f *scene.Film, n int, o Options) (*image.RGBA, error) {
	const gap = 4
	if n < 2 || f.Frames() < 2 || n > maxPixels/max(o.Width+gap, 1) {
		return nil, fmt.Errorf("render: a strip of %d pictures of a film of %d frames; expected at least 2 of each",
			n, f.Frames())
	}
	frames := make([]int, n)
	for i := range frames {
		frames[i] = int(math.Round(float64(i) * float64(f.Frames()-1) / float64(n-1)))
	}
	pictures, err := stills(ctx, f, frames, o)
	if err != nil {
		return nil, err
	}
	out := image.NewRGBA(image.Rect(0, 0, n*o.Width+(n-1)*gap, o.Height))
	draw.Draw(out, out.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	for i, p := range pictures {
		draw.Draw(out, p.Rect.Add(image.Pt(i*(o.Width+gap), 0)), p, image.Point{}, draw.Src)
	}
	return out, nil
}

// stills draws some frames of the film.
func stills(ctx context.Context, f *scene.Film, frames []int, o Options) ([]*image.RGBA, error) {
	p, err := New(f.Scene, o.Width, o.Height)
	if err != nil {
		return nil, err
	}
	view := f.Scene.View
	if o.View != nil {
		view = *o.View
	}
	views := follow(f, view)
	var out []*image.RGBA
	for i, t := range frames {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		picture, err := p.Draw(f.Frame(t), views[t])
		if err != nil {
			return nil, err
		}
		out = append(out, picture)
		if o.Drawn != nil {
			o.Drawn(i+1, len(frames))
		}
	}
	return out, nil
}
