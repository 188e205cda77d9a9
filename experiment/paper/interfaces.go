package paper

import (
	"slices"
	"strings"
)

// redrawn are the environments whose cells of Table1 are of Meta-World's older interface, of April 2020, which draws
// object and goal anew in every episode: there is no task to infer. The authors' public logs give both their cells to
// the rounding, and have a column NumTrajs, as garage called it while it was built on that interface; the logs of the
// other 25 have NumEpisodes. docs/table1.md has what follows.
var redrawn = strings.Fields(`basketball box-close button-press button-press-topdown button-press-topdown-wall coffee-pull
	coffee-push disassemble door-open door-unlock drawer-open faucet-close faucet-open hammer handle-press
	handle-pull-side lever-pull peg-insert-side plate-slide-back plate-slide-side push-wall soccer stick-pull stick-push
	window-close`)

// Redrawn reports whether an environment's cells of Table1 are of the interface without tasks.
func Redrawn(environment string) bool { return slices.Contains(redrawn, environment) }

// Environment is the paper's name of the environment that a family is: "push" for ml1/push and ml1-2020/push, "" where
// it is none of ML1. same reports whether it is the paper's own: of 2020, and of the interface that its cells of Table1
// are of.
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
