package frame_test

import (
	"fmt"

	"nacre/analysis/frame"
)

func Example() {
	type result struct {
		Arm    string
		Seed   int
		Return float64
	}
	f, err := frame.Of([]result{
		{"PEARL", 1, -12.5}, {"TCL-PEARL", 1, -9.25}, {"PEARL", 2, -11.5}, {"TCL-PEARL", 2, -10.75},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Group("Arm").Mean("Return").Sort("-Return"))
	fmt.Println(f.Pivot("Seed", "Arm", "Return"))
	fmt.Println(f.Sort("Retrun"))
	// Output:
	// Arm        Return  Return_lo  Return_hi  Return_n
	// TCL-PEARL     -10   -19.5297   -0.47035         2
	// PEARL         -12   -18.3531   -5.64690         2
	// 2 rows of 5 columns
	// Seed  PEARL  TCL-PEARL
	//    1  -12.5      -9.25
	//    2  -11.5     -10.75
	// 2 rows of 3 columns
	// frame: there is no column "Retrun"; did you mean "Return"? (known: Arm, Return, Seed)
}
