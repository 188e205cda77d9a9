package controls

import (
	"sync"
)

// The four legs of the ant: where they point, the axis of the ankle and its range in degrees. The numbers are those of
// the model published with rllab and Gym (Schulman et al. 2016). Nothing else of it was copied.
var antLegs = []struct {
	name         string
	x, y         float64
	axis         vec
	lower, upper float64
}{
	{"front_left", 1, 1, vec{-1, 1, 0}, 30, 70},
	{"front_right", -1, 1, vec{1, 1, 0}, -70, -30},
	{"back_left", -1, -1, vec{-1, 1, 0}, -70, -30},
	{"back_right", 1, -1, vec{1, 1, 0}, 30, 70},
}

// AntXML returns the MJCF text of the ant: a free torso and four legs of a hip and an ankle, eight motors, integrated
// by Runge-Kutta in steps of 0.01 s. The motors' order is back right, front left, front right, back left.
var AntXML = sync.OnceValue(func() string {
	torso := part{
		name: "torso", pos: vec{0, 0, 0.75},
		roots:  []string{`name="root" type="free" armature="0" damping="0" margin="0.01"`},
		solids: []solid{{name: "torso", radius: 0.25}},
	}
	motors := make([]motor, 0, 8)
	for _, l := range antLegs {
		along := func(length float64) vec { return vec{l.x * length, l.y * length, 0} }
		capsule := func(name string, length float64) []solid {
			return []solid{{name: l.name + name, to: along(length), radius: 0.08}}
		}
		hip := hinge{l.name + "_hip", vec{0, 0, 1}, vec{}, -30, 30, 1, 0, 1}
		ankle := hinge{l.name + "_ankle", l.axis, vec{}, l.lower, l.upper, 1, 0, 1}
		foot := part{name: l.name + "_foot", pos: along(0.2), hinges: []hinge{ankle}, solids: capsule("_foot", 0.4)}
		leg := part{name: l.name + "_leg", pos: along(0.2), hinges: []hinge{hip}, solids: capsule("_leg", 0.2),
			parts: []part{foot}}
		torso.parts = append(torso.parts, part{name: l.name, solids: capsule("", 0.2), parts: []part{leg}})
		motors = append(motors, motor{hip.name, 150}, motor{ankle.name, 150})
	}
	var w writer
	w.open(`<mujoco model="nacre ant">`)
	w.line(`<compiler angle="degree" inertiafromgeom="true"/>`)
	w.line(`<option timestep="0.01" gravity="0 0 -9.81" integrator="RK4"/>`)
	w.line(`<default><geom contype="1" conaffinity="0" condim="3" density="5" friction="1 0.5 0.5" margin="0.01"/></default>`)
	w.open(`<worldbody>`)
	w.line(`<geom name="floor" type="plane" size="40 40 40" conaffinity="1"/>`)
	w.part(torso)
	w.close("worldbody")
	w.motors(1, append(motors[6:8:8], motors[:6]...))
	w.close("mujoco")
	return w.text.String()
})
