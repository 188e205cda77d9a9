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
	"path/filepath"
	"strconv"
	"strings"

	"nacre/internal/atomicfile"
	"nacre/internal/plainfile"
	"nacre/sim"
	"nacre/sim/playback"
	"nacre/sim/recording"
	"nacre/sim/render"
	"nacre/sim/scene"
)

// RenderOptions are the flags of nacre render.
type RenderOptions struct {
	What   string   // a family, a recording (.npz) or a run folder
	Beside []string // further ones, shown beside it in a .json
	Out    string   // .png, .gif, or .json for playback
	Policy string   // "random", "scripted"; if empty, scripted for a family with a controller. Not used with a run
	Task   int      // index into the test tasks, or the train tasks with Train
	Train  bool
	Steps  int // length of the longest episode; 0: the family's horizon
	Seed   uint64
	Size   string  // WIDTHxHEIGHT of a picture; if empty, the default of the kind of file
	FPS    float64 // pictures per second of an animation; 0: the episode's own rate, at most 20
	At     int     // step that a still shows; -1: the middle of the episode
	Strip  int     // number of pictures side by side in a .png; 0: one
	Camera string  // azimuth,elevation,distance; an empty part keeps the family's value
}

// RenderReport is the output of nacre render.
type RenderReport struct {
	Family   string  `json:"family"`           // this field and those down to Success are about the first episode
	Policy   string  `json:"policy,omitempty"` // unknown for a recording
	Steps    int     `json:"steps"`
	Return   float64 `json:"return"`
	Success  bool    `json:"success"`
	Episodes int     `json:"episodes"`
	Pictures int     `json:"pictures"`
	File     string  `json:"file"`
	Bytes    int     `json:"bytes"`
}

// Render draws a new episode of a family or of a run's agent, or a recorded episode.
func Render(ctx context.Context, env *Env, o RenderOptions) error {
	draw, ok := map[string]func(context.Context, io.Writer, []playback.Episode, render.Options) (int, error){
		".png": o.still, ".gif": animate, ".json": writePlayback,
	}[filepath.Ext(o.Out)]
	if !ok {
		return Usagef("--out %s: expected a name that ends in .png, .gif or .json", o.Out)
	}
	if o.Strip != 0 && filepath.Ext(o.Out) != ".png" {
		return Usagef("--strip %d: a strip is a .png, not %s", o.Strip, o.Out)
	}
	if len(o.Beside) > 0 && filepath.Ext(o.Out) != ".json" {
		return Usagef("--out %s: several episodes go into a .json for playback; draw one after the other", o.Out)
	}
	width, height, err := o.size()
	if err != nil {
		return err
	}
	for _, what := range append([]string{o.What}, o.Beside...) {
		if _, err := scripted(what); err != nil {
			return err
		}
	}
	stage := env.Progress.Stage("episode", 0)
	defer func() { stage.Done() }()
	r := RenderReport{File: o.Out, Episodes: 1 + len(o.Beside)}
	var episodes []playback.Episode
	for _, what := range append([]string{o.What}, o.Beside...) {
		rec, policy, err := o.episode(ctx, what)
		if err != nil {
			return err
		}
		e, err := o.staged(env, rec)
		if err != nil {
			return err
		}
		if len(o.Beside) > 0 {
			e.Label = strings.TrimSuffix(filepath.Base(what), ".npz")
		}
		if len(episodes) == 0 {
			r.Family, r.Policy, r.Steps, r.Return, r.Success = rec.Family, policy, len(rec.Act), rec.Return(),
				rec.Succeeded()
		}
		episodes = append(episodes, e)
	}
	stage.Done()
	options := render.Options{Width: width, Height: height, FPS: o.FPS}
	options.Drawn = func(done, of int) {
		if done == 1 {
			stage = env.Progress.Stage("drawing", of)
		}
		stage.Add(1)
	}
	var file bytes.Buffer
	if r.Pictures, err = draw(ctx, &file, episodes, options); err != nil {
		return err
	}
	if err := makeParent(o.Out); err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(o.Out, file.Bytes()); err != nil {
		return err
	}
	stage.Done()
	r.Bytes = file.Len()
	return env.Print(r, r.WriteText)
}

// WriteText prints the report as text.
func (r RenderReport) WriteText(w io.Writer) error {
	policy := ""
	if r.Policy != "" {
		policy = ", policy: " + r.Policy
	}
	if r.Episodes > 1 {
		_, err := fmt.Fprintf(w, "%d episodes: %s (%d kB)\n", r.Episodes, r.File, (r.Bytes+999)/1000)
		return err
	}
	_, err := fmt.Fprintf(w, "%s%s, %d steps, return %.4g: %s (%d kB)\n", r.Family, policy, r.Steps, r.Return, r.File,
		(r.Bytes+999)/1000)
	return err
}

// staged returns the film of a recording, seen as the camera flag asks.
func (o RenderOptions) staged(env *Env, rec *recording.Recording) (playback.Episode, error) {
	e, err := playback.Of(rec)
	if err != nil {
		return e, err
	}
	s := e.Film.Scene
	if len(s.Omitted) > 0 {
		env.Notice(fmt.Sprintf("not drawn, because a scene cannot hold their kind: %s", strings.Join(s.Omitted, ", ")))
	}
	s.View, err = o.view(s.View)
	return e, err
}

// episode loads or runs the episode to draw and returns it with the name of the actor.
func (o RenderOptions) episode(ctx context.Context, what string) (*recording.Recording, string, error) {
	if filepath.Ext(what) == ".npz" {
		r, err := recording.Load(what)
		return r, "", err
	}
	play := RolloutOptions{Policy: o.Policy, Task: o.Task, Train: o.Train, Episodes: 1, Steps: o.Steps, Seed: o.Seed}
	if info, err := plainfile.Stat(what); err == nil && info.IsDir() {
		if o.Policy != "" {
			return nil, "", Usagef("--policy %s: in %s the run's agent acts", o.Policy, what)
		}
		play.Run = what
	} else {
		knows, err := scripted(what)
		if err != nil {
			return nil, "", err
		}
		play.Family = what
		if play.Policy == "" {
			play.Policy = "random"
			if knows {
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

// size returns the size of one picture in pixels.
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

// view returns the scene's view with the changes of the camera flag.
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
	return Usagef("--camera %s: expected AZIMUTH,ELEVATION,DISTANCE: degrees, degrees in [-90,90], metres; parts may "+
		"be empty", o.Camera)
}

// still draws one picture or a strip.
func (o RenderOptions) still(ctx context.Context, w io.Writer, episodes []playback.Episode,
	r render.Options) (int, error) {
	f := episodes[0].Film
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

func animate(ctx context.Context, w io.Writer, episodes []playback.Episode, r render.Options) (int, error) {
	pictures, fps, err := render.Animate(ctx, episodes[0].Film, r)
	if err != nil {
		return 0, err
	}
	return len(pictures), render.EncodeGIF(w, pictures, fps)
}

// writePlayback writes poses instead of pictures.
func writePlayback(_ context.Context, w io.Writer, episodes []playback.Episode, _ render.Options) (int, error) {
	frames := 0
	for _, e := range episodes {
		frames += e.Film.Frames()
	}
	d := playback.Document{Title: episodes[0].Film.Scene.Name, Episodes: episodes}
	return frames, d.Write(w)
}

func encodePNG(w io.Writer, img image.Image) error {
	e := png.Encoder{CompressionLevel: png.BestCompression}
	return e.Encode(w, img)
}

// scripted reports whether what names a family with a controller. If what is neither a family nor a file or folder,
// that is an error.
func scripted(what string) (bool, error) {
	if _, err := plainfile.Stat(what); err == nil || filepath.Ext(what) == ".npz" {
		return false, nil
	}
	f, err := sim.Lookup(what)
	if err != nil && !errors.Is(err, sim.ErrUnavailable) {
		err = fmt.Errorf("%s is no run folder and no recording, and %w", what, err)
	}
	_, knows := f.(sim.Controller)
	return knows, err
}
