package experiment

// These are the algorithms of every program that runs experiments, one line each. They register themselves.
import (
	_ "nacre/pearl"
	_ "nacre/pearl/focal"
	_ "nacre/rl/contrabar"
	_ "nacre/rl/maml"
	_ "nacre/rl/mql"
	_ "nacre/rl/oracle"
	_ "nacre/rl/rl2"
	_ "nacre/rl/varibad"
	_ "nacre/tcl/tclpearl"
)
