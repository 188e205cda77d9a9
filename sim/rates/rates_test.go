package rates_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"nacre/sim"
	_ "nacre/sim/families"
	"nacre/sim/mujoco"
	"nacre/sim/rates"
)

// available skips t where this build lacks what family needs.
func available(t testing.TB, family string) {
	t.Helper()
	if _, err := sim.Lookup(family); errors.Is(err, sim.ErrUnavailable) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
}

func TestMeasure(t *testing.T) {
	for _, name := range []string{"cheetah-vel", "ant-goal", "humanoid-dir", "walker-rand-params", "ml1/push",
		"ml1/door-lock:v2"} {
		t.Run(name, func(t *testing.T) {
			available(t, name)
			r, err := rates.Measure(name, 2, 2, 10, 2)
			if err != nil {
				t.Fatal(err)
			}
			if !(r.PlainC > 0 && r.Batch > 0 && r.Ratio > 0) || r.Workers != 2 || r.Envs != 2 || r.Family != name {
				t.Errorf("rates %+v", r)
			}
		})
	}
	for name, want := range map[string]string{"point-goal": "no plain loop", "ant-gaol": `"ant-goal"`} {
		if _, err := rates.Measure(name, 1, 1, 1, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := rates.Measure("cheetah-vel", 1, 0, 1, 1); err == nil {
		t.Error("no environments were accepted")
	}
}

func reportRates(b *testing.B, family string, workers, envs, steps, rounds int) {
	for b.Loop() {
		r, err := rates.Measure(family, workers, envs, steps, rounds)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(r.PlainC, "C-steps/cpu-s")
		b.ReportMetric(r.Batch, "batch-steps/cpu-s")
		b.ReportMetric(r.Ratio, "batch/C")
	}
}

func BenchmarkMeasure(b *testing.B) {
	available(b, "cheetah-vel")
	for _, c := range []struct{ workers, envs int }{{1, 1}, {1, 4}, {1, 16}, {1, 64}, {2, 2}, {2, 16}, {2, 64}} {
		b.Run(fmt.Sprintf("workers=%d/envs=%d", c.workers, c.envs), func(b *testing.B) {
			reportRates(b, "cheetah-vel", c.workers, c.envs, 3200/c.envs, 11)
		})
	}
}

// BenchmarkFamilies compares every family with its plain C loop, 16 environments for one worker. Variants of a family
// that only differ in horizon or reward are left out.
func BenchmarkFamilies(b *testing.B) {
	for _, s := range sim.Families() {
		if strings.Contains(s.Name, ":") || strings.HasPrefix(s.Name, "point-") {
			continue
		}
		b.Run(s.Name, func(b *testing.B) {
			available(b, s.Name)
			reportRates(b, s.Name, 1, 16, 50, 7)
		})
	}
}

// BenchmarkRollout includes everything: observations, records, and a policy of random numbers.
func BenchmarkRollout(b *testing.B) {
	available(b, "cheetah-vel")
	f, err := sim.Lookup("cheetah-vel")
	if err != nil {
		b.Fatal(err)
	}
	eps := make([]sim.Episode, 64)
	for i := range eps {
		eps[i] = sim.Episode{Task: sim.Task{Params: []float64{1}}, Seed: uint64(i)}
	}
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			p, err := sim.NewPool(f, workers, 0)
			if err != nil {
				b.Fatal(err)
			}
			defer p.Close()
			begin := mujoco.CPUSeconds()
			for b.Loop() {
				if _, err := p.Rollout(context.Background(), eps, sim.RandomPolicy(f, eps),
					0); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*len(eps)*200)/(mujoco.CPUSeconds()-begin), "steps/cpu-s")
			b.ReportMetric(float64(b.N*len(eps)*200)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}
