package display

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/draw"

	"nacre/sim/recording"
	"nacre/sim/render"
)

// animated bounds the episodes that an animation shows side by side.
const animated = 4

// animation shows the pictures that environments drew of themselves, of some episodes side by side.
func (r Rollout) animation() (map[string]any, error) {
	episodes := r.Episodes[:min(len(r.Episodes), animated)]
	var size image.Point
	steps := 0
	text := "rollout of " + cmp.Or(r.Title, r.Episodes[0].Family)
	for i, e := range r.Episodes {
		text += fmt.Sprintf("\nepisode %d: %d steps, return %.6g", i+1, len(e.Act), e.Return())
		if e.Succeeded() {
			text += ", success"
		}
		if i < len(episodes) && len(e.Pictures) > 0 {
			size = image.Pt(max(size.X, e.Pictures[0].Rect.Dx()), max(size.Y, e.Pictures[0].Rect.Dy()))
			steps = max(steps, len(e.Pictures))
		}
	}
	frames := make([]*image.RGBA, steps)
	for t := range frames {
		frames[t] = beside(episodes, t, size)
	}
	var b bytes.Buffer
	if err := render.EncodeGIF(&b, frames, min(max(episodes[0].FPS, 1), 50)); err != nil {
		return nil, err
	}
	if err := fitsOutput("animation", b.Len()); err != nil {
		return nil, err
	}
	return Bundle{"image/gif": b.Bytes(), "text/plain": text}, nil
}

// beside is picture t of every episode, or its last one, in one row.
func beside(episodes []recording.Recording, t int, size image.Point) *image.RGBA {
	const gap = 4
	out := image.NewRGBA(image.Rect(0, 0, len(episodes)*(size.X+gap)-gap, size.Y))
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	for i, e := range episodes {
		if len(e.Pictures) > 0 {
			p := e.Pictures[min(t, len(e.Pictures)-1)]
			draw.Draw(out, p.Rect.Add(image.Pt(i*(size.X+gap), 0)), p, image.Point{}, draw.Src)
		}
	}
	return out
}
