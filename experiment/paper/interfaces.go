package paper

import (
	"slices"
	"strings"
)

// redrawn lists the environments whose cells of Table1 come from Meta-World's older interface, of April 2020. It draws
// object and goal anew in every episode, so there is no task to infer. The authors' public logs of these environments
// give both cells to the rounding. They have a column NumTrajs, garage's name for it while it was built on that
// interface; the logs of the other 25 have NumEpisodes. docs/table1.md says what follows from this.
var redrawn = strings.Fields(`basketball box-close button-press button-press-topdown button-press-topdown-wall coffee-pull
	coffee-push disassemble door-open door-unlock drawer-open faucet-close faucet-open hammer handle-press
	handle-pull-side lever-pull peg-insert-side plate-slide-back plate-slide-side push-wall soccer stick-pull stick-push
	window-close`)

// Redrawn reports whether an environment's cells of Table1 come from Meta-World's older interface, in which object and
// goal are drawn again in every episode, so that there are no tasks.
func Redrawn(environment string) bool { return slices.Contains(redrawn, environment) }

// Environment returns the paper's name of a family's environment: "push" for ml1/push and ml1-2020/push, "" for a
// family that is not of ML1. The result `same` is true if the family is exactly the paper's environment: a family of
// 2020, with the interface from which the environment's cells of Table1 come.
func Environment(family string) (name string, same bool) {
	if name, ok := strings.CutPrefix(family, "ml1-2020/"); ok {
		name, older := strings.CutSuffix(name, ":redrawn")
		return name, older == Redrawn(name)
	}
	name, ok := strings.CutPrefix(family, "ml1/")
	if !ok {
		return "", false
	}
	return name, false
}
