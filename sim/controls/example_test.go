//go:build mujoco && cgo

package controls_test

import (
	"fmt"
	"log"

	"nacre/sim"
	_ "nacre/sim/controls"
)

func Example() {
	for _, s := range sim.Families() {
		fmt.Println(s.Name, s.ObsDim, s.ActDim, s.Horizon)
	}
	family, err := sim.Lookup("cheetah-vel")
	if err != nil {
		log.Fatal(err)
	}
	train, test, err := family.Tasks(0, 0, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("train and test tasks:", len(train), len(test))
	// Output:
	// ant-dir 27 8 200
	// ant-dir-zero-contact 27 8 200
	// ant-goal 113 8 200
	// ant-goal-zero-contact 113 8 200
	// cheetah-dir 20 6 200
	// cheetah-vel 20 6 200
	// humanoid-dir 376 17 200
	// humanoid-dir-zero-contact 376 17 200
	// point-goal 2 2 20
	// point-goal-sparse 2 2 20
	// walker-rand-params 17 6 200
	// train and test tasks: 100 30
}
