package controls

import "sync"

// WalkerXML returns the MJCF text of the walker: nine degrees of freedom in the x-z plane (rootx, rootz, rooty, then
// thigh, leg and foot of the right and the left side) and six motors, integrated by Runge-Kutta in steps of 0.004 s.
// The numbers are those of the published model, which today's MuJoCo cannot read. Nothing else of it was copied.
var WalkerXML = sync.OnceValue(func() string {
	torso := part{
		name: "torso", pos: vec{0, 0, 1.25},
		roots: []string{
			`name="rootx" type="slide" axis="1 0 0" armature="0" damping="0"`,
			`name="rootz" type="slide" axis="0 0 1" ref="1.25" armature="0" damping="0"`,
			`name="rooty" type="hinge" axis="0 1 0" armature="0" damping="0"`,
		},
		solids: []solid{{name: "torso", from: vec{0, 0, 0.2}, to: vec{0, 0, -0.2}, radius: 0.05}},
		parts:  []part{walkerLeg("", ""), walkerLeg("_left", `friction="1.9"`)},
	}
	var w writer
	w.open(`<mujoco model="nacre walker">`)
	w.line(`<compiler angle="degree" inertiafromgeom="true"/>`)
	w.line(`<option timestep="0.004" gravity="0 0 -9.81" integrator="RK4"/>`)
	w.line(`<default><geom contype="1" conaffinity="0" condim="3" density="1000" friction="0.9 0.1 0.1"/></default>`)
	w.open(`<worldbody>`)
	w.line(`<geom name="floor" type="plane" size="40 40 40" conaffinity="1" friction="0.7 0.1 0.1"/>`)
	w.part(torso)
	w.close("worldbody")
	w.motors(1, []motor{{"thigh", 100}, {"leg", 100}, {"foot", 100}, {"thigh_left", 100}, {"leg_left", 100},
		{"foot_left", 100}})
	w.close("mujoco")
	return w.text.String()
})

// walkerLeg is a leg whose names end in side; soles are the contact attributes of its foot.
func walkerLeg(side, soles string) part {
	joint := func(name string, pos vec, lower, upper float64) []hinge {
		return []hinge{{name + side, vec{0, -1, 0}, pos, lower, upper, 0.1, 0, 0.01}}
	}
	foot := part{
		name: "foot" + side, pos: vec{0.1, 0, -0.25}, hinges: joint("foot", vec{-0.1, 0, 0}, -45, 45),
		solids: []solid{{name: "foot" + side, from: vec{-0.1, 0, 0}, to: vec{0.1, 0, 0}, radius: 0.06, contact: soles}},
	}
	leg := part{
		name: "leg" + side, pos: vec{0, 0, -0.7}, hinges: joint("leg", vec{0, 0, 0.25}, -150, 0),
		solids: []solid{{name: "leg" + side, from: vec{0, 0, 0.25}, to: vec{0, 0, -0.25}, radius: 0.04}},
		parts:  []part{foot},
	}
	return part{
		name: "thigh" + side, pos: vec{0, 0, -0.2}, hinges: joint("thigh", vec{}, -150, 0),
		solids: []solid{{name: "thigh" + side, to: vec{0, 0, -0.45}, radius: 0.05}},
		parts:  []part{leg},
	}
}
