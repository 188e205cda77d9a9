package render_test

import (
	"context"
	"fmt"
	"io"

	"nacre/sim"
	"nacre/sim/recording"
	"nacre/sim/render"
)

// An episode of the point robot as an animation.
func Example() {
	family, err := sim.Lookup("point-goal")
	if err != nil {
		fmt.Println(err)
		return
	}
	train, _, _ := family.Tasks(1, 0, 0)
	episodes := []sim.Episode{{Task: train[0], Seed: 1}}
	policy, _ := sim.GoalPolicy(family, episodes)
	recorder := recording.Recorder{Family: family}
	defer recorder.Close()
	if _, err := recorder.Rollout(context.Background(), episodes, policy, 0); err != nil {
		fmt.Println(err)
		return
	}
	film, err := recorder.Recordings[0].Film()
	if err != nil {
		fmt.Println(err)
		return
	}
	pictures, fps, err := render.Animate(context.Background(), film, render.Options{Width: 80, Height: 56})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = render.EncodeGIF(io.Discard, pictures, fps)
	fmt.Println(len(pictures), pictures[0].Rect.Size(), fps, err)
	// Output: 21 (80,56) 10 <nil>
}
