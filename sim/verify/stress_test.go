package verify_test

import (
	"bytes"
	"context"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"nacre/internal/rng"
	"nacre/sim"
)

// TestMemoryStaysWhereItIs makes as many environment steps as NACRE_STRESS says, nearly all of the half-cheetah and the
// rest with changing tasks of the walker, whose parameters are written into the model, and of Meta-World, whose starts
// are kept. make stress-sim makes ten million.
func TestMemoryStaysWhereItIs(t *testing.T) {
	total, err := strconv.Atoi(os.Getenv("NACRE_STRESS"))
	if err != nil || total < 100_000 {
		t.Skip("NACRE_STRESS is not set to a number of steps from 100000; make stress-sim sets it")
	}
	if resident(t) == 0 {
		t.Skip("this system does not say how much memory a process has")
	}
	for _, part := range []struct {
		family string
		share  float64
	}{{"cheetah-vel", 0.94}, {"walker-rand-params", 0.04}, {"ml1/push", 0.02}} {
		stress(t, part.family, int(part.share*float64(total)))
	}
}

func stress(t *testing.T, name string, total int) {
	family := lookup(t, name)
	pool, err := sim.NewPool(family, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var start, largest, steps int
	for round := 0; steps < total; round++ {
		train, _, err := family.Tasks(uint64(round%4), 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		episodes := make([]sim.Episode, 64)
		for i := range episodes {
			episodes[i] = sim.Episode{Task: train[i%len(train)], Seed: rng.New(uint64(round), uint64(i)).Uint64()}
		}
		trajectories, err := pool.Rollout(context.Background(), episodes,
			sim.RandomPolicy(family, episodes), 0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range trajectories {
			steps += trajectories[i].Len
		}
		trajectories = nil
		if round%4 == 3 || steps >= total {
			debug.FreeOSMemory()
			now := resident(t)
			if start == 0 && (round >= 3 || steps >= total) {
				start = now
			}
			largest = max(largest, now)
		}
	}
	debug.FreeOSMemory()
	end := resident(t)
	t.Logf("%s: %d steps; resident memory %.1f MB after the first rounds, %.1f MB at the end, at most %.1f MB between",
		name, steps, float64(start)/1e6, float64(end)/1e6, float64(largest)/1e6)
	if end-start > 8e6 {
		t.Errorf("%s: memory grew by %.1f MB", name, float64(end-start)/1e6)
	}
}

// resident is the process's resident memory in bytes, 0 where it is not known.
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(text, []byte("VmRSS:"))
	kb, err := strconv.Atoi(strings.Fields(string(after))[0])
	if err != nil {
		t.Fatal(err)
	}
	return 1000 * kb
}
