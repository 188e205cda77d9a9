// Command steps measures how many control steps of task families a processor makes in a second: natively, or, compiled
// for the browser, in Node. Both roll out the same episodes with random actions, sixteen at a time.
//
//	go run -tags mujoco ./bench/steps
//	wasm/build.sh program ./bench/steps out && node --require ./wasm/mujoco.cjs out/wasm_exec_node.js out/steps.wasm
package main

import (
	"context"
	"fmt"
	"os"

	"nacre/internal/quiet"
	"nacre/internal/usage"
	"nacre/sim"
	_ "nacre/sim/families"
)

func main() {
	defer quiet.Measure()()
	names := os.Args[1:]
	if len(names) == 0 {
		names = []string{"cheetah-vel", "ant-dir", "humanoid-dir", "walker-rand-params", "ml1/push"}
	}
	for _, name := range names {
		if err := measure(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func measure(name string) error {
	family, err := sim.Lookup(name)
	if err != nil {
		return err
	}
	pool, err := sim.NewPool(family, 1, 16)
	if err != nil {
		return err
	}
	defer pool.Close()
	_, tasks, err := family.Tasks(1, 0, 0)
	if err != nil {
		return err
	}
	run := func(n int, seed uint64) (steps int, err error) {
		episodes := make([]sim.Episode, n)
		for i := range episodes {
			episodes[i] = sim.Episode{Task: tasks[i%min(4, len(tasks))], Seed: seed + uint64(i)}
		}
		made, err := pool.Rollout(context.Background(), episodes, sim.RandomPolicy(family, episodes),
			200)
		for _, t := range made {
			steps += t.Len
		}
		return steps, err
	}
	if _, err := run(16, 1); err != nil { // what is made once
		return err
	}
	start := usage.CPU()
	steps, err := run(64, 100)
	if err != nil {
		return err
	}
	fmt.Printf("%s, %s: %.0f control steps per processor second\n", name, family.Spec().Source,
		float64(steps)/(usage.CPU()-start))
	return nil
}
