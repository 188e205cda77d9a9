// Package discrete has two task families of discrete actions: the Bernoulli bandits that RL² begins with (Duan et al.
// 2016) and the grid world that VariBAD begins with (Zintgraf et al. 2020). It also computes what an agent can reach
// in them at best, and has the policies with which bandits are usually compared.
//
//	family                                task                        reward             observation
//	bandit-5, -10, -50; :100, :500        each arm's probability      1 or 0             a constant 0
//	grid                                  the goal, one of 21 cells   1 on it, or −0.1   the cell's coordinates
//	grid:one-hot                          the same                    the same           both coordinates one-hot
//
// An action has a 1 at the choice and otherwise 0. A bandit's episode is 10 pulls, or the number at the end of its
// name. One in the grid world has 15 steps; VariBAD's trials have four episodes.
//
//	bandit, err := sim.Lookup("bandit-5:100") // 5 arms, 100 pulls
//	policy, err := sim.ReferencePolicy(bandit, "gittins", episodes)
//	fmt.Println(discrete.BestBandit(5, 10)) // the Bayes-optimal mean return of 10 pulls of 5 arms
//	fmt.Println(discrete.BestGrid(4))       // of each of 4 episodes in the grid world
package discrete

import (
	"fmt"

	"nacre/sim"
)

func init() {
	for _, arms := range []int{5, 10, 50} {
		for _, pulls := range []int{10, 100, 500} {
			sim.Builtin(bandit{arms, pulls})
		}
	}
	sim.Builtin(grid{}, grid{oneHot: true})
}

// negative returns an error if a number of tasks is.
func negative(name string, nTrain, nTest, ownTrain, ownTest int) error {
	if nTrain >= 0 && nTest >= 0 {
		return nil
	}
	return fmt.Errorf("sim: %s: %d train and %d test tasks; expected at least 1, or 0 for %d and %d", name, nTrain,
		nTest, ownTrain, ownTest)
}
