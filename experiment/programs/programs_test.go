package programs_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"nacre/rl"
)

// The script that checks a GPU runs the programs of every algorithm: it names them, as each part is to run at once.
func TestGPUCheckRunsEveryAlgorithm(t *testing.T) {
	script, err := os.ReadFile("../../bench/gpu-check.sh")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(script), "algos=both enough=6\n\tprograms='")
	list, _, found := strings.Cut(list, "'")
	if !found {
		t.Fatal("bench/gpu-check.sh has no list of programs")
	}
	for _, name := range rl.Names() {
		if !slices.ContainsFunc(strings.Fields(list), func(of string) bool {
			return of == name || strings.HasPrefix(of, name+"$")
		}) {
			t.Errorf("bench/gpu-check.sh does not run the programs of %s", name)
		}
	}
}
