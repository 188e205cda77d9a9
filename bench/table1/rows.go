package main

import "strings"

// older are the rows whose cells the authors' public logs give, and which are of the older interface: those logs have a
// column NumTrajs, as garage called it while it was built on that interface. The logs of the other rows have NumEpisodes.
var older = strings.Fields(`basketball box-close button-press button-press-topdown button-press-topdown-wall coffee-pull
	coffee-push disassemble door-open door-unlock drawer-open faucet-close faucet-open hammer handle-press
	handle-pull-side lever-pull peg-insert-side plate-slide-back plate-slide-side push-wall soccer stick-pull stick-push
	window-close`)

// newer are the other rows, which are those of the paper's table 2.
var newer = strings.Fields(`assembly bin-picking button-press-wall coffee-button dial-turn door-close door-lock
	drawer-close hand-insert handle-press-side handle-pull peg-unplug-side pick-out-of-hole pick-place pick-place-wall
	plate-slide plate-slide-back-side push push-back reach reach-wall shelf-place sweep sweep-into window-open`)

// rate turns returns into the paper's thousands.
const rate = 1e-3
