//go:build mujoco && cgo

package mujoco_test

import (
	"fmt"
	"log"

	"nacre/sim/mujoco"
)

// A mass of 1 kg pushed with 2 N for one second moves 1 m, and h·v/2 = 0.01 m more with this integrator.
func Example() {
	model, err := mujoco.LoadXML(`<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody>
		<body><joint name="x" type="slide" axis="1 0 0"/><geom type="sphere" size="0.1" mass="1"/></body>
		</worldbody><actuator><motor joint="x" gear="2"/></actuator></mujoco>`)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	chunk, err := model.NewChunk(1)
	if err != nil {
		log.Fatal(err)
	}
	defer chunk.Close()
	if err := chunk.Step([]bool{true}, []float64{1}, 100); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("moved %.2f m\n", chunk.QPos(0)[0])
	// Output: moved 1.01 m
}
