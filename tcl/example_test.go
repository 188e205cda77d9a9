package tcl_test

import (
	"fmt"

	"nacre/pearl"
	"nacre/tcl"
)

func Example() {
	config, metaBatch := pearl.Default(), 16
	networks := pearl.NewNetworks(config, 20, 6) // observations and actions of the half-cheetah

	aux, err := tcl.New(tcl.Default(), networks.Encoder, metaBatch)
	if err != nil {
		fmt.Println(err)
		return
	}
	program, err := pearl.UpdateProgram(config, networks, aux) // TCL-PEARL's update
	fmt.Println(len(aux.Params()), "parameters of the key encoder,", program.Outputs["tcl_loss"] > 0, err)
	// Output: 8 parameters of the key encoder, true <nil>
}
