package csvtable_test

import (
	"fmt"
	"strings"
	"testing"

	"nacre/internal/csvtable"
)

func Example() {
	for _, first := range []string{"x, y,task", "0.5,1e3,2", "0,1,2"} {
		names, header := csvtable.Names(strings.Split(first, ","))
		fmt.Println(names, header)
	}
	// Output:
	// [x y task] true
	// [0 1 2] false
	// [0 1 2] true
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		first, names string
		header       bool
	}{
		{"0", "0", true},
		{"1", "0", false},
		{"0,0,0,0", "0|1|2|3", false},
		{"1,2,3", "0|1|2", false},
		{"3, -1.5,task", "3|-1.5|task", true},
		{"1,,3", "1||3", true},
		{" 7 ,NaN", "0|1", false},
	} {
		names, header := csvtable.Names(strings.Split(c.first, ","))
		if got := strings.Join(names, "|"); got != c.names || header != c.header {
			t.Errorf("%q: %s, header %v; want %s, %v", c.first, got, header, c.names, c.header)
		}
	}
}
