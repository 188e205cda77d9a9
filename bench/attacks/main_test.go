package main

import (
	"slices"
	"strings"
	"testing"
)

// Events as go test -json prints them, with what a test logs about a failure and with lines of others.
const events = `{"Action":"run","Test":"TestAttacks/D10_a_pipe"}
{"Action":"output","Test":"TestAttacks/D10_a_pipe","Output":"=== RUN   TestAttacks/D10_a_pipe\n"}
{"Action":"output","Test":"TestAttacks/D10_a_pipe","Output":"    attacks_linux_test.go:12: it hangs\n"}
{"Action":"output","Test":"TestAttacks/D10_a_pipe","Output":"    attacks_linux_test.go:13: for good\n"}
{"Action":"fail","Test":"TestAttacks/D10_a_pipe"}
{"Action":"pass","Test":"TestAttacks/D2_cookies"}
{"Action":"fail","Test":"TestAttacks/D4_a_panic"}
{"Action":"fail","Test":"TestAttacks"}
`

func TestRead(t *testing.T) {
	got, err := read(strings.NewReader(events))
	want := []verdict{{"D2 cookies", held}, {"D4 a panic", "the test ended early"}, {"D10 a pipe", "it hangs"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := read(strings.NewReader(`{"Action":"skip","Test":"TestAttacks/D1_x"}`)); err == nil {
		t.Error("an attack that was not tried counts")
	}
}

func TestOlderProgramIsNeeded(t *testing.T) {
	for _, old := range []string{"", "no/such/program"} {
		if err := compare(old, nil); err == nil || !strings.Contains(err.Error(), "-old") {
			t.Errorf("%q: %v", old, err)
		}
	}
}
