package breathe_test

import (
	"fmt"

	"nacre/internal/breathe"
)

func Example() {
	sum := 0
	for i := range 10 {
		breathe.Now()
		sum += i
	}
	fmt.Println(sum)
	// Output: 45
}
