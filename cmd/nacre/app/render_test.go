package app

import (
	"bytes"
	"context"
	"errors"
	"image/gif"
	"image/png"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/experiment/progress"
	"nacre/sim/playback"
)

func quiet(out io.Writer) *Env {
	return &Env{Out: out, Err: io.Discard, Progress: progress.Silent(), Log: slog.New(slog.DiscardHandler)}
}

// One episode, run, recorded and drawn in every form; the recording gives the same picture as the episode itself.
func TestRender(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	draw := func(o RenderOptions, name string) []byte {
		t.Helper()
		o.Out = filepath.Join(dir, name)
		if err := Render(t.Context(), quiet(&out), o); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(o.Out)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	point := RenderOptions{What: "point-goal", Policy: "scripted", Seed: 5, At: 3, Size: "64x48"}
	still := draw(point, "deep/still.png")
	img, err := png.Decode(bytes.NewReader(still))
	if err != nil || img.Bounds().Dx() != 64 || img.Bounds().Dy() != 48 {
		t.Fatalf("still: %v, %v", img, err)
	}
	if want := "point-goal, policy: scripted, 20 steps, return "; !strings.HasPrefix(out.String(), want) {
		t.Errorf("printed %q, want %s", out.String(), want)
	}
	recording := filepath.Join(dir, "episode.npz")
	roll := RolloutOptions{Family: "point-goal", Policy: "scripted", Seed: 5, Episodes: 1, Out: recording}
	if err := Rollout(t.Context(), quiet(io.Discard), roll); err != nil {
		t.Fatal(err)
	}
	recorded := point
	recorded.What, recorded.Policy = recording, ""
	if !bytes.Equal(draw(recorded, "again.png"), still) {
		t.Error("the recording gives another picture than the episode")
	}
	turned := point
	turned.Camera = "10,,5"
	if bytes.Equal(draw(turned, "turned.png"), still) {
		t.Error("another camera gives the same picture")
	}
	strip := point
	strip.Strip = 3
	if img, err = png.Decode(bytes.NewReader(draw(strip, "strip.png"))); err != nil || img.Bounds().Dx() != 3*64+2*4 {
		t.Errorf("strip: %v, %v", img.Bounds(), err)
	}
	g, err := gif.DecodeAll(bytes.NewReader(draw(point, "a.gif")))
	if err != nil || len(g.Image) != 21 || g.Delay[0] != 10 {
		t.Errorf("animation: %v", err)
	}
	d, err := playback.Read(bytes.NewReader(draw(turned, "a.json")))
	if err != nil {
		t.Fatal(err)
	}
	film := d.Episodes[0].Film
	if film.Frames() != 21 || film.Scene.View.Azimuth != 10 || film.Scene.View.Distance != 5 ||
		len(d.Episodes[0].Reward) != 20 {
		t.Errorf("%d frames, seen from %+v", film.Frames(), film.Scene.View)
	}
	beside := point
	beside.Beside = []string{recording}
	if d, err = playback.Read(bytes.NewReader(draw(beside, "both.json"))); err != nil {
		t.Fatal(err)
	}
	if len(d.Episodes) != 2 || d.Episodes[0].Label != "point-goal" || d.Episodes[1].Label != "episode" {
		t.Errorf("%d episodes: %+v", len(d.Episodes), d.Episodes)
	}
}

func TestRenderSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "a.png")
	for want, o := range map[string]RenderOptions{
		"--out a.jpg: expected a name that ends in .png, .gif or .json": {What: "point-goal", Out: "a.jpg"},
		"--size 12: expected WIDTHxHEIGHT":                              {What: "point-goal", Out: out, Size: "12"},
		"--size 0x9: expected WIDTHxHEIGHT":                             {What: "point-goal", Out: out, Size: "0x9"},
		"--camera 1,2,3,4: expected AZIMUTH": {What: "point-goal", Out: out,
			Camera: "1,2,3,4"},
		"--camera ,95: expected AZIMUTH":    {What: "point-goal", Out: out, Camera: ",95"},
		"--camera x: expected AZIMUTH":      {What: "point-goal", Out: out, Camera: "x"},
		"--at 21: the episode has 20 steps": {What: "point-goal", Out: out, At: 21},
		"--strip 3: a strip is a .png": {What: "point-goal",
			Out: filepath.Join(dir, "a.gif"), Strip: 3},
		"several episodes go into a .json": {What: "point-goal",
			Beside: []string{"point-goal"}, Out: out},
		"--policy random: in " + dir: {What: dir, Out: out, Policy: "random"},
		"is not a run folder":        {What: dir, Out: out},
		"no such file":               {What: filepath.Join(dir, "no.npz"), Out: out},
		`unknown family "point-gaol"; did you mean "point-goal"?`: {What: "point-gaol", Out: out},
		"--task 10: the family has 10 test tasks, counted from 0": {What: "point-goal", Out: out, Task: 10},
	} {
		if err := Render(t.Context(), quiet(io.Discard), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(ErrInterrupted)
	if err := Render(ctx, quiet(io.Discard), RenderOptions{What: "point-goal", Out: out}); !errors.Is(err,
		ErrInterrupted) {
		t.Errorf("interrupted, it returned %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("failures left %v behind, %v", files, err)
	}
}
