package display

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"image/draw"
	"image/png"

	"nacre/sim/playback"
	"nacre/sim/recording"
	"nacre/sim/render"
	"nacre/sim/scene"
)

// RolloutMIME is the type of rollouts that the front end plays back in three dimensions.
const RolloutMIME = "application/vnd.nacre.rollout+json"

var rolloutType = Type{"rollout", RolloutMIME, "image/png", func() Renderer {
	r := recording.Recording{Family: "point-goal", Params: []float64{1, 0}, QPos: [][]float64{{0, 0}}}
	for k := range 10 {
		r.QPos = append(r.QPos, []float64{0.1 * float64(k+1), 0})
		r.Act, r.Reward = append(r.Act, []float64{0.1, 0}), append(r.Reward, 0.1*float64(k+1)-1)
	}
	return Rollout{Title: "to the goal", Episodes: []recording.Recording{r}}
}}

// RolloutLimit bounds the size of a rollout in a notebook, in bytes of JSON. Files have no limit.
const RolloutLimit = 8 << 20

// Rollout shows recorded episodes, side by side if there are several. They may be of different families.
type Rollout struct {
	Title    string // title of the rollout; empty means the family's name
	Episodes []recording.Recording
	Labels   []string // one label per episode; nil means their tasks
	Link     string   // name shared by outputs that select the same labels; an empty Link shares no selection
}

// MIMEBundle returns the episodes for this notebook's front end, a picture and text, or the pictures that environments
// drew of themselves (sim.Filmer) as an animation. It fails for families that cannot be drawn and above RolloutLimit.
func (r Rollout) MIMEBundle() (map[string]any, error) {
	if len(r.Episodes) > 0 && len(r.Episodes[0].Pictures) > 0 {
		return r.animation()
	}
	for _, e := range r.Episodes {
		if e.Unseen != "" {
			return nil, fmt.Errorf("display: no picture of %s: %s", e.Family, e.Unseen)
		}
	}
	b, d, text, err := r.data()
	if err != nil {
		return nil, err
	}
	if err := fitsOutput("rollout", len(b)); err != nil {
		return nil, err
	}
	picture, err := poster(d.Episodes)
	if err != nil {
		return nil, err
	}
	return Bundle{RolloutMIME: b, "image/png": picture, "text/plain": text}, nil
}

// data are the episodes for this notebook's front end, as they are drawn, and as text.
func (r Rollout) data() (json.RawMessage, playback.Document, string, error) {
	d := playback.Document{Title: r.Title, Link: r.Link}
	switch {
	case len(r.Episodes) == 0:
		return nil, d, "", fmt.Errorf("display: a rollout without episodes; expected at least one recording")
	case r.Labels != nil && len(r.Labels) != len(r.Episodes):
		return nil, d, "", fmt.Errorf("display: %d labels for %d episodes", len(r.Labels), len(r.Episodes))
	}
	d.Title = cmp.Or(d.Title, r.Episodes[0].Family)
	text := "rollout of " + d.Title
	for i := range r.Episodes {
		rec := &r.Episodes[i]
		e, err := playback.Of(rec)
		if err != nil {
			return nil, d, "", fmt.Errorf("display: episode %d: %w", i+1, err)
		}
		if r.Labels != nil {
			e.Label = r.Labels[i]
		}
		d.Episodes = append(d.Episodes, e)
		text += fmt.Sprintf("\n%s: %d steps of %g s, return %.6g", e.Label, len(rec.Act), e.Film.Scene.Interval,
			rec.Return())
		if rec.Succeeded() {
			text += ", success"
		}
	}
	b, err := d.MarshalJSON()
	return b, d, text, err
}

// fitsOutput returns an error if there are too many bytes of JSON for an output.
func fitsOutput(what string, bytes int) error {
	if bytes <= RolloutLimit {
		return nil
	}
	return fmt.Errorf("display: the %s takes %.1f MB and a notebook's output may take %.1f MB: show fewer or shorter "+
		"episodes, or write a file with nacre render -o episode.json",
		what, float64(bytes)/1e6, float64(RolloutLimit)/1e6)
}

// poster shows three moments of one episode, or the middle of each of up to four episodes.
func poster(episodes []playback.Episode) ([]byte, error) {
	const width, height, gap = 320, 240, 4
	type moment struct {
		film *scene.Film
		at   int
	}
	var moments []moment
	if len(episodes) == 1 {
		f := episodes[0].Film
		for k := range 3 {
			moments = append(moments, moment{f, k * (f.Frames() - 1) / 2})
		}
	} else {
		for _, e := range episodes[:min(len(episodes), 4)] {
			moments = append(moments, moment{e.Film, (e.Film.Frames() - 1) / 2})
		}
	}
	out := image.NewRGBA(image.Rect(0, 0, len(moments)*(width+gap)-gap, height))
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	for i, m := range moments {
		p, err := render.Still(m.film, m.at, render.Options{Width: width, Height: height})
		if err != nil {
			return nil, err
		}
		draw.Draw(out, p.Rect.Add(image.Pt(i*(width+gap), 0)), p, image.Point{}, draw.Src)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, out); err != nil {
		return nil, fmt.Errorf("display: %w", err)
	}
	return b.Bytes(), nil
}
