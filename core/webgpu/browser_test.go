//go:build (linux || darwin) && (amd64 || arm64) && !nogpu

package webgpu_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"nacre/internal/heavy"
	"nacre/internal/testpage"
)

// wholeVariable asks for what takes many minutes: everything in the browser too.
const wholeVariable = "NACRE_WEBGPU_WHOLE"

// The same tests as a program in a worker of a page, on the adapter that Chromium has without a GPU: the contract, the
// benchmark, and a device that the page destroys. All of the contract takes long:
//
//	NACRE_WEBGPU_WHOLE=1 go test ./core/webgpu ./experiment/programs -run InBrowser -v -timeout 1h
func TestInBrowser(t *testing.T) {
	heavy.Skip(t, "it takes building the tests for the browser")
	pattern, env, limit := "^Test(Contract|Benchmark|Lost)$/^(update|same_bits|nothing_left|close)?$",
		map[string]string{}, 8*time.Minute
	if os.Getenv(wholeVariable) != "" {
		pattern, limit = ".", time.Hour
		env[wholeVariable] = "1"
	}
	said := testpage.Tests(t, "../..", "./core/webgpu", pattern, env, limit)
	for _, name := range []string{"TestContract", "TestBenchmark", "TestLost"} {
		if !strings.Contains(said, "--- PASS: "+name+" ") {
			t.Errorf("%s does not pass in the browser", name)
		}
	}
	if t.Failed() || len(env) > 0 {
		t.Log(said)
	}
}
