package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"nacre/internal/atomicfile"
	"nacre/render"
	"nacre/sim"
	"nacre/sim/recording"
	"nacre/sim/scene"
)

// RenderOptions are the flags of nacre render.
type RenderOptions struct {
	What   string // a family, a recording (.npz) or a run folder
	Out    string // .png, .gif, or .json for playback
	Policy string // "random", "scripted"; empty is scripted where the family knows how. Not used with a run
	Task   int    // index into the test tasks, or the train tasks with Train
	Train  bool
	Steps  int // longest episode, 0 is the family's horizon
	Seed   uint64
	Size   string  // WIDTHxHEIGHT of a picture; empty is the default of the kind of file
	FPS    float64 // of an animation; 0 is the episode's own rate, at most 20
	At     int     // step that a still shows, -1 is the middle of the episode
	Strip  int     // pictures side by side in a .png; 0 is one picture
	Camera string  // azimuth,elevation,distance; parts left empty are the family's
}

// RenderReport is what nacre render prints.
type RenderReport struct {
	Family   string  `json:"family"`
	Policy   string  `json:"policy,omitempty"` // unknown for a recording
	Steps    int     `json:"steps"`
	Return   float64 `json:"return"`
	Success  bool    `json:"success"`
	Pictures int     `json:"pictures"`
	File     string  `json:"file"`
	Bytes    int     `json:"bytes"`
}

// Render draws an episode: a new one of a family or of a run's agent, or a recorded one.
func Render(ctx context.Context, env *Env, o RenderOptions) error {
	draw, ok := map[string]func(context.Context, io.Writer, *scene.Film, render.Options) (int, error){
		".png": o.still, ".gif": animate, ".json": writeFilm,
	}[filepath.Ext(o.Out)]
	if !ok {
		return Usagef("--out %s: expected a name that ends in .png, .gif or .json", o.Out)
	}
	if o.Strip != 0 && filepath.Ext(o.Out) != ".png" {
		return Usagef("--strip %d: a strip is a .png, not %s", o.Strip, o.Out)
	}
	width, height, err := o.size()
	if err != nil {
		return err
	}
	stage := env.Progress.Stage("episode", 0)
	defer func() { stage.Done() }()
	episode, policy, err := o.episode(ctx)
	if err != nil {
		return err
	}
	film, err := episode.Film()
	if err != nil {
		return err
	}
	if len(film.Scene.Omitted) > 0 {
		env.Notice(fmt.Sprintf("not drawn, because a scene cannot hold their kind: %s", strings.Join(film.Scene.Omitted, ", ")))
	}
	view, err := o.view(film.Scene.View)
	if err != nil {
		return err
	}
	stage.Done()
	options := render.Options{Width: width, Height: height, FPS: o.FPS, View: &view}
	options.Drawn = func(done, of int) {
		if done == 1 {
			stage = env.Progress.Stage("drawing", of)
		}
		stage.Add(1)
	}
	var file bytes.Buffer
	pictures, err := draw(ctx, &file, film, options)
	if err != nil {
		return err
	}
	if err := makeParent(o.Out); err != nil {
		return err
	}
	err = atomicfile.Write(o.Out, func(w io.Writer) error {
		_, err := w.Write(file.Bytes())
		return err
	})
	if err != nil {
		return err
	}
	stage.Done()
	r := RenderReport{
		Family: episode.Family, Policy: policy, Steps: len(episode.Act), Return: episode.Return(), Success: episode.Succeeded(),
		Pictures: pictures, File: o.Out, Bytes: file.Len(),
	}
	return env.Print(r, r.WriteText)
}

// WriteText prints the report for a person.
func (r RenderReport) WriteText(w io.Writer) error {
	policy := ""
	if r.Policy != "" {
		policy = ", policy: " + r.Policy
	}
	_, err := fmt.Fprintf(w, "%s%s, %d steps, return %.4g: %s (%d kB)\n", r.Family, policy, r.Steps, r.Return, r.File, (r.Bytes+999)/1000)
	return err
}

// episode loads or runs what is to be drawn, and names who acted.
func (o RenderOptions) episode(ctx context.Context) (*recording.Recording, string, error) {
	if filepath.Ext(o.What) == ".npz" {
		r, err := recording.Load(o.What)
		return r, "", err
	}
	play := RolloutOptions{Policy: o.Policy, Task: o.Task, Train: o.Train, Episodes: 1, Steps: o.Steps, Seed: o.Seed}
	if info, err := os.Stat(o.What); err == nil && info.IsDir() {
		if o.Policy != "" {
			return nil, "", Usagef("--policy %s: in %s the run's agent acts", o.Policy, o.What)
		}
		play.Run = o.What
	} else {
		f, err := sim.Lookup(o.What)
		if errors.Is(err, sim.ErrUnavailable) {
			return nil, "", err
		}
		if err != nil {
			return nil, "", fmt.Errorf("%s is no run folder and no recording, and %w", o.What, err)
		}
		play.Family = o.What
		if play.Policy == "" {
			play.Policy = "random"
			if _, ok := f.(sim.Controller); ok {
				play.Policy = "scripted"
			}
		}
	}
	var rec recording.Recorder
	defer func() { rec.Close() }()
	_, policy, err := play.record(ctx, &rec)
	if err != nil {
		return nil, "", err
	}
	return &rec.Recordings[0], policy, nil
}

// size is that of one picture in pixels.
func (o RenderOptions) size() (width, height int, err error) {
	switch {
	case o.Size != "":
		w, h, found := strings.Cut(o.Size, "x")
		width, err1 := strconv.Atoi(w)
		height, err2 := strconv.Atoi(h)
		if !found || errors.Join(err1, err2) != nil || width < 16 || height < 16 || width > 8192 || height > 8192 {
			return 0, 0, Usagef("--size %s: expected WIDTHxHEIGHT in pixels, 16 to 8192 each, such as 640x420", o.Size)
		}
		return width, height, nil
	case filepath.Ext(o.Out) == ".gif":
		return 400, 280, nil
	case o.Strip > 0:
		return 320, 320, nil
	}
	return 720, 480, nil
}

// view is the scene's, changed by the camera flag.
func (o RenderOptions) view(v scene.View) (scene.View, error) {
	if o.Camera == "" {
		return v, nil
	}
	parts := strings.Split(o.Camera, ",")
	for i, to := range []*float64{&v.Azimuth, &v.Elevation, &v.Distance} {
		if i >= len(parts) || parts[i] == "" {
			continue
		}
		n, err := strconv.ParseFloat(parts[i], 64)
		if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
			return v, o.badCamera()
		}
		*to = n
	}
	if len(parts) > 3 || v.Elevation < -90 || v.Elevation > 90 || v.Distance <= 0 {
		return v, o.badCamera()
	}
	return v, nil
}

func (o RenderOptions) badCamera() error {
	return Usagef("--camera %s: expected AZIMUTH,ELEVATION,DISTANCE: degrees, degrees in [-90,90], metres; parts may be empty", o.Camera)
}

// still draws one picture or a strip.
func (o RenderOptions) still(ctx context.Context, w io.Writer, f *scene.Film, r render.Options) (int, error) {
	if o.Strip > 0 {
		img, err := render.Strip(ctx, f, o.Strip, r)
		if err != nil {
			return 0, err
		}
		return o.Strip, encodePNG(w, img)
	}
	at := o.At
	if at < 0 {
		at = (f.Frames() - 1) / 2
	}
	if at >= f.Frames() {
		return 0, Usagef("--at %d: the episode has %d steps", at, f.Frames()-1)
	}
	img, err := render.Still(f, at, r)
	if err != nil {
		return 0, err
	}
	return 1, encodePNG(w, img)
}

func animate(ctx context.Context, w io.Writer, f *scene.Film, r render.Options) (int, error) {
	pictures, fps, err := render.Animate(ctx, f, r)
	if err != nil {
		return 0, err
	}
	return len(pictures), render.EncodeGIF(w, pictures, fps)
}

// writeFilm writes the poses instead of pictures; sizes do not matter, the camera does.
func writeFilm(_ context.Context, w io.Writer, f *scene.Film, r render.Options) (int, error) {
	f.Scene.View = *r.View
	return f.Frames(), f.Write(w)
}

func encodePNG(w io.Writer, img image.Image) error {
	e := png.Encoder{CompressionLevel: png.BestCompression}
	return e.Encode(w, img)
}
