package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headLook, renderCommand) }

func renderCommand(env *app.Env) *cobra.Command {
	var o app.RenderOptions
	cmd := &cobra.Command{
		Use:   "render FAMILY|RECORDING.npz|FOLDER...",
		Short: "Draw an episode: a picture, a film strip or an animated GIF",
		Long: `Render draws an episode of a family, one recorded by "nacre rollout", or one of the agent of a run folder after
it has adapted to the task. The end of the name of --out says what is made: .png is a still or, with --strip, some
moments side by side; .gif is an animation; .json is for playback in three dimensions on the page rollout.html
(docs/playback.md) and may hold several episodes, to be watched side by side. No display, graphics driver or system
library is needed.`,
		Example: `  nacre render point-goal -o point.gif
  nacre render cheetah-vel --strip 5 -o cheetah.png
  nacre render runs/cheetah --task 3 --camera ,20 -o cheetah.gif
  nacre render runs/pearl runs/tcl -o both.json`,
		Args: someArgs("a family, a recording or a run folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.What = args[0]
			o.Beside = append(o.Beside, args[1:]...)
			if o.Strip == 1 {
				return app.Usagef("--strip 1: expected at least 2 pictures, or 0 for a still")
			}
			if !(o.FPS >= 0 && o.FPS <= 50) {
				return app.Usagef("--fps %v: expected at most 50, or 0 for the episode's own rate up to 20", o.FPS)
			}
			return do(cmd.Context(), env, app.Render, o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Out, "out", "o", "episode.png", "`file` to write, .png, .gif or .json")
	word(f, &o.Policy, "policy,p", "", "random or scripted (default scripted where the family knows how)",
		"random", "scripted")
	number(f, &o.Task, "task", 0, 0, maxCount, "task, counted from 0 among the test tasks")
	f.BoolVar(&o.Train, "train-tasks", false, "take a train task instead of a test task")
	number(f, &o.Steps, "steps", 0, 0, maxCount, "longest episode, 0 for the family's horizon")
	f.StringVar(&o.Size, "size", "",
		"`WIDTHxHEIGHT` of a picture in pixels (default 720x480; 400x280 in a GIF, 320x320 in a strip)")
	f.Float64Var(&o.FPS, "fps", 0, "pictures per second of a GIF, 0 for the episode's own rate up to 20")
	number(f, &o.At, "at", -1, -1, maxCount, "step that a still shows, -1 for the middle of the episode")
	number(f, &o.Strip, "strip", 0, 0, 100, "`number` of moments side by side in a .png")
	f.StringVar(&o.Camera, "camera", "",
		"`AZIMUTH,ELEVATION,DISTANCE` in degrees and metres; what is left empty is the family's own")
	seedFlag(cmd, &o.Seed, 0, "seed of the tasks, the initial state and the policy")
	jsonFlag(cmd, env)
	return cmd
}
