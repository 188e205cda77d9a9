package controls

import (
	"fmt"
	"strings"
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

// The two legs of the half-cheetah, each limb the parent of the next. The figures are those of the model published
// with rllab and Gym (Wawrzyński 2007 in MuJoCo form); only the figures are taken.
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
	var x strings.Builder
	line := func(depth int, format string, a ...any) {
		x.WriteString(strings.Repeat(" ", 2*depth))
		fmt.Fprintf(&x, format, a...)
		x.WriteByte('\n')
	}
	capsule := func(depth int, name, place string, half float64) {
		size := fmt.Sprint(cheetahRadius)
		if half > 0 {
			size += fmt.Sprintf(" %v", half)
		}
		line(depth, `<geom name="%s" type="capsule" size="%s" %s conaffinity="0" %s/>`, name, size, place, cheetahContact)
	}
	line(0, `<mujoco model="nacre half-cheetah">`)
	line(1, `<compiler angle="radian" inertiafromgeom="true" settotalmass="%v"/>`, cheetahMass)
	line(1, `<option timestep="0.01" gravity="0 0 -9.81" integrator="Euler"/>`)
	line(1, `<worldbody>`)
	line(2, `<geom name="floor" type="plane" size="40 40 40" conaffinity="1" %s/>`, cheetahContact)
	line(2, `<body name="torso" pos="0 0 %v">`, cheetahHeight)
	for _, root := range [][3]string{{"rootx", "slide", "1 0 0"}, {"rootz", "slide", "0 0 1"}, {"rooty", "hinge", "0 1 0"}} {
		line(3, `<joint name="%s" type="%s" axis="%s" limited="false" %s/>`, root[0], root[1], root[2], cheetahLimit)
	}
	capsule(3, "torso", `fromto="-0.5 0 0 0.5 0 0"`, 0)
	capsule(3, "head", `pos="0.6 0 0.1" axisangle="0 1 0 0.87"`, 0.15)
	for _, leg := range cheetahLegs {
		for i, l := range leg {
			line(3+i, `<body name="%s" pos="%v 0 %v">`, l.name, l.x, l.z)
			line(4+i, `<joint name="%s" type="hinge" axis="0 1 0" range="%v %v" damping="%v" stiffness="%v" armature="0.1" limited="true" %s/>`,
				l.name, l.lower, l.upper, l.damping, l.stiffness, cheetahLimit)
			capsule(4+i, l.name, fmt.Sprintf(`pos="%v 0 %v" axisangle="0 1 0 %v"`, l.cx, l.cz, l.tilt), l.half)
		}
		for i := range leg {
			line(5-i, `</body>`)
		}
	}
	line(2, `</body>`)
	line(1, `</worldbody>`)
	line(1, `<actuator>`)
	for _, leg := range cheetahLegs {
		for _, l := range leg {
			line(2, `<motor name="%s" joint="%s" gear="%v" ctrllimited="true" ctrlrange="-1 1"/>`, l.name, l.name, l.gear)
		}
	}
	line(1, `</actuator>`)
	line(0, `</mujoco>`)
	return x.String()
})

// What all contacts and all limited joints share: soft constraints of time constant 0.02 s, critically damped.
const (
	cheetahContact = `contype="1" condim="3" friction="0.4 0.1 0.1" solref="0.02 1" solimp="0 0.8 0.01"`
	cheetahLimit   = `solreflimit="0.02 1" solimplimit="0 0.8 0.03"`
)
