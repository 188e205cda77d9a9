package controls

import (
	"fmt"
	"sync"
)

// limb is a body of one hinge and one capsule, hanging from its parent. Lengths are in metres, angles in radians,
// in the x-z plane; the hinge turns about y at the body's origin.
type limb struct {
	name         string
	x, z         float64 // origin in the parent's frame
	lower, upper float64 // joint range
	damping      float64 // N·m·s
	stiffness    float64 // N·m per radian
	gear         float64 // N·m at a control of 1
	tilt         float64 // of the capsule, from the vertical, about y
	cx, cz       float64 // centre of the capsule
	half         float64 // half its length, without the caps
}

// The two legs of the half-cheetah, each limb the parent of the next. The numbers are those of the model published with
// rllab and Gym (Wawrzyński 2007 in MuJoCo form). Nothing else of it was copied.
var cheetahLegs = [2][3]limb{
	{
		{"bthigh", -.5, 0, -.52, 1.05, 6, 240, 120, -3.8, .1, -.13, .145},
		{"bshin", .16, -.25, -.785, .785, 4.5, 180, 90, -2.03, -.14, -.07, .15},
		{"bfoot", -.28, -.14, -.4, .785, 3, 120, 60, -.27, .03, -.097, .094},
	},
	{
		{"fthigh", .5, 0, -1, .7, 4.5, 180, 120, .52, -.07, -.12, .133},
		{"fshin", -.14, -.24, -1.2, .87, 3, 120, 60, -.6, .065, -.09, .106},
		{"ffoot", .13, -.18, -.5, .5, 1.5, 60, 30, -.6, .045, -.07, .07},
	},
}

const (
	cheetahMass   = 14    // kg, all bodies together
	cheetahRadius = 0.046 // of every capsule
	cheetahHeight = 0.7   // of the torso at qpos0
)

// HalfCheetahXML returns the MJCF text of the half-cheetah: nine degrees of freedom in the x-z plane (rootx, rootz,
// rooty, then back and front thigh, shin and foot) and six motors. Only the feet, limbs and torso touch the floor,
// not each other.
var HalfCheetahXML = sync.OnceValue(func() string {
	var w writer
	capsule := func(name, place string, half float64) {
		size := fmt.Sprint(cheetahRadius)
		if half > 0 {
			size += fmt.Sprintf(" %v", half)
		}
		w.line(`<geom name="%s" type="capsule" size="%s" %s conaffinity="0" %s/>`, name, size, place, cheetahContact)
	}
	w.open(`<mujoco model="nacre half-cheetah">`)
	w.line(`<compiler angle="radian" inertiafromgeom="true" settotalmass="%v"/>`, cheetahMass)
	w.line(`<option timestep="0.01" gravity="0 0 -9.81" integrator="Euler"/>`)
	w.open(`<worldbody>`)
	w.line(`<geom name="floor" type="plane" size="40 40 40" conaffinity="1" %s/>`, cheetahContact)
	w.open(`<body name="torso" pos="0 0 %v">`, cheetahHeight)
	for _, root := range [][3]string{{"rootx", "slide", "1 0 0"}, {"rootz", "slide", "0 0 1"},
		{"rooty", "hinge", "0 1 0"}} {
		w.line(`<joint name="%s" type="%s" axis="%s" limited="false" %s/>`, root[0], root[1], root[2], cheetahLimit)
	}
	capsule("torso", `fromto="-0.5 0 0 0.5 0 0"`, 0)
	capsule("head", `pos="0.6 0 0.1" axisangle="0 1 0 0.87"`, 0.15)
	var motors []motor
	for _, leg := range cheetahLegs {
		for _, l := range leg {
			w.open(`<body name="%s" pos="%v 0 %v">`, l.name, l.x, l.z)
			w.line(`<joint name="%s" type="hinge" axis="0 1 0" range="%v %v" damping="%v" stiffness="%v" armature="0.1" limited="true" %s/>`,
				l.name, l.lower, l.upper, l.damping, l.stiffness, cheetahLimit)
			capsule(l.name, fmt.Sprintf(`pos="%v 0 %v" axisangle="0 1 0 %v"`, l.cx, l.cz, l.tilt), l.half)
			motors = append(motors, motor{l.name, l.gear})
		}
		for range leg {
			w.close("body")
		}
	}
	w.close("body")
	w.close("worldbody")
	w.motors(1, motors)
	w.close("mujoco")
	return w.text.String()
})

// What all contacts and all limited joints share: soft constraints of time constant 0.02 s, critically damped.
const (
	cheetahContact = `contype="1" condim="3" friction="0.4 0.1 0.1" solref="0.02 1" solimp="0 0.8 0.01"`
	cheetahLimit   = `solreflimit="0.02 1" solimplimit="0 0.8 0.03"`
)
