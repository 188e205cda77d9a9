package table

import (
	"fmt"
	"strings"
	"testing"
)

// The first line is names unless all of it are numbers, but for 0, 1, 2, … as pandas writes.
func TestHeader(t *testing.T) {
	for first, names := range map[string]string{
		"x, y,task": "x|y|task", "0.5,1e3,2": "0|1|2", "0,1,2": "0|1|2", "0,0,0,0": "0|1|2|3",
		"3, -1.5,task": "3|-1.5|task", "1,,3": "0|1|2",
		" 7 ,NaN": "0|1", ",0,1": "index|0|1", "a,,b": "a|column 2|b", "x,x,x": "x|x_2|x_3", "2019,2020": "0|1",
	} {
		f, err := Read("a.csv", []byte(first+"\n"+strings.Repeat("1,", strings.Count(first, ","))+"1\n"), Options{})
		if err != nil {
			t.Errorf("%q: %v", first, err)
			continue
		}
		if got := strings.Join(f.Names(), "|"); got != names {
			t.Errorf("%q: %s, want %s (%v)", first, got, names, fmt.Sprint(f.Notes))
		}
	}
}
