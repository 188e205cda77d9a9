package rl_test

import (
	"fmt"

	"nacre/core/ref"
	"nacre/rl"
	"nacre/rl/oracle"
	"nacre/sim"
)

// Every algorithm checks its configuration and the tasks by the setup it is given.
func Example() {
	family, err := sim.Lookup("point-goal")
	if err != nil {
		fmt.Println(err)
	}
	setup := rl.Setup{Spec: family.Spec(), Device: ref.Device, Workers: 1, Envs: 4}
	_, err = oracle.New(oracle.Default(), setup)
	fmt.Println(err)
	config := oracle.Default()
	config.Discount = 2
	fmt.Println(setup.Check(config))
	// Output:
	// no train tasks of family point-goal, want at least 1
	// discount = 2: expected a value in [0,1]
}
