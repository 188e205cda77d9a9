// Package families is the list of packages whose task families a program has. A program, a test or the browser's kernel
// imports it for the list alone; a new family is a line here.
//
//	import _ "nacre/sim/families"
//
//	for _, spec := range sim.Families() {
//		_, err := sim.Lookup(spec.Name)
//		fmt.Println(spec.Name, err)
//	}
//
// The list is the same everywhere. What a build or a machine cannot run it has too, and sim.Lookup says what is
// missing. Without MuJoCo only the point robot can be stepped, recorded and drawn; of the others sim.Families gives the
// specs. In the browser's kernel all are stepped, in MuJoCo's own WebAssembly.
package families

import (
	_ "nacre/sim"           // the point robot: point-goal, point-goal-sparse
	_ "nacre/sim/controls"  // PEARL's six controls on MuJoCo
	_ "nacre/sim/metaworld" // Meta-World's fifty ML1 families
)
