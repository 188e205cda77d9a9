package cell_test

import (
	"fmt"

	"nacre/library/cell"
)

func ExampleContext() {
	// Outside a notebook nothing interrupts.
	fmt.Println(cell.Context().Err())
	// Output: <nil>
}
