//go:build (linux || darwin) && (amd64 || arm64) && !nogpu

package programs_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"nacre/internal/heavy"
	"nacre/internal/testpage"
)

// The same tests as a program in a worker of a page: drawing and two algorithms' programs. All of it, with the
// benchmarks at full size, takes long; core/webgpu has the command.
func TestInBrowser(t *testing.T) {
	heavy.Skip(t, "it takes building the tests for the browser")
	// the whole run has all
	tests := []string{"TestNormals", "TestPrograms", "TestPrograms/tcl-pearl", "TestPrograms/rl2"}
	pattern, env, limit := "^Test(Normals|Programs)$/^(tcl-pearl|rl2)?$", map[string]string{}, 8*time.Minute
	if os.Getenv(wholeVariable) != "" {
		pattern, limit = ".", time.Hour
		env[wholeVariable] = "1"
		tests = append(tests, "TestFeedDrawsAsReplayDoes", "TestBenchmarksInFull")
	}
	said := testpage.Tests(t, "../..", "./experiment/programs", pattern, env, limit)
	for _, name := range tests {
		if !strings.Contains(said, "--- PASS: "+name+" ") {
			t.Errorf("%s does not pass in the browser", name)
		}
	}
	if t.Failed() || len(env) > 0 {
		t.Log(said)
	}
}
