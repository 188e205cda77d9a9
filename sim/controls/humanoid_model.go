package controls

import "sync"

const (
	humanoidTimestep = 0.003 // seconds
	humanoidControl  = 0.4   // largest control of a motor
)

// HumanoidXML returns the MJCF text of the humanoid: a free torso, abdomen, two legs and two arms, 17 hinges and as
// many motors, integrated by Runge-Kutta in steps of 0.003 s with 50 iterations of projected Gauss-Seidel. The numbers
// (sizes, masses, gears) are those of the model published with Gym (Tassa, Erez and Todorov 2012). Nothing else of it
// was copied. Its two tendons, which exert no force, are left out.
var HumanoidXML = sync.OnceValue(func() string {
	const bent = "1 0 -0.002 0" // a slight bow of waist and pelvis
	pelvis := part{
		name: "pelvis", pos: vec{0, 0, -0.165}, quat: bent,
		hinges: []hinge{{"abdomen_x", vec{1, 0, 0}, vec{0, 0, 0.1}, -35, 35, 5, 10, 0.02}},
		solids: []solid{{name: "butt", from: vec{-0.02, -0.07, 0}, to: vec{-0.02, 0.07, 0}, radius: 0.09}},
		parts:  []part{humanoidLeg(-1), humanoidLeg(1)},
	}
	waist := part{
		name: "lwaist", pos: vec{-0.01, 0, -0.26}, quat: bent,
		hinges: []hinge{
			{"abdomen_z", vec{0, 0, 1}, vec{0, 0, 0.065}, -45, 45, 5, 20, 0.02},
			{"abdomen_y", vec{0, 1, 0}, vec{0, 0, 0.065}, -75, 30, 5, 10, 0.02},
		},
		solids: []solid{{name: "lwaist", from: vec{0, -0.06, 0}, to: vec{0, 0.06, 0}, radius: 0.06}},
		parts:  []part{pelvis},
	}
	torso := part{
		name: "torso", pos: vec{0, 0, 1.4},
		roots: []string{`name="root" type="free" armature="0" damping="0"`},
		solids: []solid{
			{name: "torso", from: vec{0, -0.07, 0}, to: vec{0, 0.07, 0}, radius: 0.07},
			{name: "head", from: vec{0, 0, 0.19}, to: vec{0, 0, 0.19}, radius: 0.09},
			{name: "uwaist", from: vec{-0.01, -0.06, -0.12}, to: vec{-0.01, 0.06, -0.12}, radius: 0.06},
		},
		parts: []part{waist, humanoidArm(-1), humanoidArm(1)},
	}
	var w writer
	w.open(`<mujoco model="nacre humanoid">`)
	w.line(`<compiler angle="degree" inertiafromgeom="true"/>`)
	w.line(`<option timestep="%v" gravity="0 0 -9.81" integrator="RK4" solver="PGS" iterations="50"/>`,
		humanoidTimestep)
	w.line(`<default><geom contype="1" conaffinity="1" condim="1" margin="0.001"/></default>`)
	w.open(`<worldbody>`)
	w.line(`<geom name="floor" type="plane" size="20 20 0.125" condim="3" friction="1 0.1 0.1"/>`)
	w.part(torso)
	w.close("worldbody")
	w.motors(humanoidControl, humanoidMotors())
	w.close("mujoco")
	return w.text.String()
})

func humanoidMotors() []motor {
	motors := []motor{{"abdomen_y", 100}, {"abdomen_z", 100}, {"abdomen_x", 100}}
	for _, side := range []string{"right", "left"} {
		motors = append(motors, motor{side + "_hip_x", 100}, motor{side + "_hip_z", 100}, motor{side + "_hip_y", 300},
			motor{side + "_knee", 200})
	}
	for _, side := range []string{"right", "left"} {
		motors = append(motors, motor{side + "_shoulder1", 25}, motor{side + "_shoulder2", 25},
			motor{side + "_elbow", 25})
	}
	return motors
}

// humanoidLeg is the right leg (side -1) or the left leg (side 1). They are mirrored, except for two numbers that
// differ in the original.
func humanoidLeg(side float64) part {
	name, hipArmature, kneeStiffness := "right", 0.008, 0.
	if side > 0 {
		name, hipArmature, kneeStiffness = "left", 0.01, 1
	}
	ankle := vec{0, 0, 0.1}
	foot := part{name: name + "_foot", pos: vec{0, 0, -0.45},
		solids: []solid{{name: name + "_foot", from: ankle, to: ankle, radius: 0.075}}}
	shin := part{
		name: name + "_shin", pos: vec{0, -side * 0.01, -0.403},
		hinges: []hinge{{name + "_knee", vec{0, -1, 0}, vec{0, 0, 0.02}, -160, -2, 1, kneeStiffness, 0.006}},
		solids: []solid{{name: name + "_shin", to: vec{0, 0, -0.3}, radius: 0.049}},
		parts:  []part{foot},
	}
	return part{
		name: name + "_thigh", pos: vec{0, side * 0.1, -0.04},
		hinges: []hinge{
			{name + "_hip_x", vec{-side, 0, 0}, vec{}, -25, 5, 5, 10, 0.01},
			{name + "_hip_z", vec{0, 0, -side}, vec{}, -60, 35, 5, 10, 0.01},
			{name + "_hip_y", vec{0, 1, 0}, vec{}, -110, 20, 5, 20, hipArmature},
		},
		solids: []solid{{name: name + "_thigh", to: vec{0, -side * 0.01, -0.34}, radius: 0.06}},
		parts:  []part{shin},
	}
}

// humanoidArm is the right arm (side -1) or the left (1).
func humanoidArm(side float64) part {
	name, lower, upper := "right", -85., 60.
	if side > 0 {
		name, lower, upper = "left", -60, 85
	}
	hand := vec{0.18, -side * 0.18, 0.18}
	forearm := part{
		name: name + "_lower_arm", pos: vec{0.18, side * 0.18, -0.18},
		hinges: []hinge{{name + "_elbow", vec{0, -1, -side}, vec{}, -90, 50, 1, 0, 0.0028}},
		solids: []solid{
			{name: name + "_lower_arm", from: vec{0.01, -side * 0.01, 0.01}, to: vec{0.17, -side * 0.17, 0.17},
				radius: 0.031},
			{name: name + "_hand", from: hand, to: hand, radius: 0.04},
		},
	}
	return part{
		name: name + "_upper_arm", pos: vec{0, side * 0.17, 0.06},
		hinges: []hinge{
			{name + "_shoulder1", vec{2, -side, 1}, vec{}, lower, upper, 1, 1, 0.0068},
			{name + "_shoulder2", vec{0, side, 1}, vec{}, lower, upper, 1, 1, 0.0051},
		},
		solids: []solid{{name: name + "_upper_arm", to: vec{0.16, side * 0.16, -0.16}, radius: 0.04}},
		parts:  []part{forearm},
	}
}
