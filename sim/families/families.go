// Package families imports all packages with task families. A program, a test or the browser's kernel that imports it
// has these families. For a new family, add a line here.
//
//	import _ "nacre/sim/families"
//
//	for _, spec := range sim.Families() {
//		_, err := sim.Lookup(spec.Name)
//		fmt.Println(spec.Name, err)
//	}
//
// The list is the same everywhere. It also has families that a build or a machine cannot run; sim.Lookup then says what
// is missing. Without MuJoCo only the point robot can be stepped, recorded and drawn; for the other families
// sim.Families still gives the specs. In the browser's kernel all families can be stepped, with MuJoCo's own
// WebAssembly.
package families

import (
	_ "nacre/sim"           // the point robot: point-goal, point-goal-sparse
	_ "nacre/sim/controls"  // PEARL's six controls on MuJoCo
	_ "nacre/sim/discrete"  // RL²'s bandits and VariBAD's grid world
	_ "nacre/sim/metaworld" // Meta-World's fifty ML1 families
	_ "nacre/sim/pyfamily"  // classes in Python: py:point.py:Point
)
