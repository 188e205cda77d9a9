package metaworld

import (
	"math"
	"strings"
)

func fixtureRows2020() []*row {
	return []*row{
		button2020("button-press", []float64{-0.1, 0.8, 0.05}, []float64{0.1, 0.9, 0.05}, vec3{0, -0.12, 0.07}, 1),
		button2020("button-press-wall", []float64{-0.05, 0.85, 0.05}, []float64{0.05, 0.9, 0.05},
			vec3{0, -0.06, 0.07}, 1),
		topdown2020("button-press-topdown", []float64{-0.1, 0.8, 0.05}, []float64{0.1, 0.9, 0.05},
			vec3{0, 0.08, 0.07 - 0.02}),
		topdown2020("button-press-topdown-wall", []float64{-0.05, 0.8, 0.05}, []float64{0.05, 0.9, 0.05},
			vec3{0, 0.08, 0.07}),
		coffeeButton2020(),
		doorOpen2020(), doorClose2020(), doorLock2020(), doorUnlock2020(), drawerOpen2020(), drawerClose2020(),
		faucet2020("faucet-open", "handleStartOpen", []float64{-0.05, 0.8, 0.05}, []float64{0.05, 0.85, 0.05}, 0.1),
		faucet2020("faucet-close", "handleStartClose", []float64{-0.1, 0.8, 0.05}, []float64{0.1, 0.85, 0.05}, -0.1),
		window2020("window-open", "handleOpenStart", []float64{-0.1, 0.7, 0.16}, []float64{0.1, 0.9, 0.16},
			0.18, 0.1, 0.2),
		window2020("window-close", "handleCloseStart", []float64{0, 0.75, 0.15}, []float64{0, 0.9, 0.15},
			-0.18, -0.1, 0),
		handle2020("handle-press", "goalPress", 0), handle2020("handle-pull", "goalPull", -0.12),
		handleSide2020("handle-press-side", "goalPress", 0), handleSide2020("handle-pull-side", "goalPull", -0.12),
		dialTurn2020(), leverPull2020(), pegUnplugSide2020(),
	}
}

// seenAt shows the position of a site, and seenGeom that of a geom.
func seenAt(site string) part   { return part{at: func(e *env) vec3 { return e.site(site) }} }
func seenGeom(geom string) part { return part{at: func(e *env) vec3 { return e.geom(geom) }} }

// button2020: press a button, which is `from` its box, along an axis.
func button2020(name string, low, high []float64, from vec3, axis int) *row {
	return &row{
		name: name, scene: "sawyer_" + strings.ReplaceAll(name, "-", "_"),
		low: low, high: high, start: single(middle), first: seenAt("buttonStart"),
		reset: func(e *env, v []float64) {
			e.object0 = point(v)
			e.placeBody("box", e.object0)
			e.placeBody("button", e.object0.add(from))
			e.setSlide(0)
			e.aim("hole", "buttonStart", axis)
		},
		v1: touching((*env).left, along(1), 0.02),
	}
}

// aim takes a site for the target, and its distance from another along an axis for the way.
func (e *env) aim(target, from string, axis int) {
	e.target = e.site(target)
	e.span = math.Abs(e.site(from)[axis] - e.target[axis])
}

// topdown2020: press it from above.
func topdown2020(name string, low, high []float64, from vec3) *row {
	w := button2020(name, low, high, from, 2)
	w.floating = "button"
	w.v1 = touching((*env).tcp, along(2), 0.02)
	return w
}

// coffeeButton2020: press the button of a coffee machine.
func coffeeButton2020() *row {
	return &row{
		name: "coffee-button", scene: "sawyer_coffee",
		low: []float64{-0.1, 0.8, 0.28}, high: []float64{0.1, 0.9, 0.28},
		start: middle, first: seenAt("buttonStart"),
		reset: func(e *env, v []float64) {
			e.object0 = point(v)
			e.placeCoffeeMachine(e.object0)
			e.setObject(e.object0.add(vec3{0, -0.1, -0.28}))
			e.aim("coffee_goal", "buttonStart", 1)
		},
		v1: touching((*env).left, along(1), 0.02),
	}
}

// door2020 is a door on a hinge, which begins at an angle; its handle should come to a point that is `to` the door.
func door2020(name string, start, to vec3, angle float64) *row {
	return &row{
		name: name, scene: "sawyer_door_pull",
		low: []float64{0, 0.85, 0.1}, high: []float64{0.1, 0.95, 0.1},
		start: start, first: seenGeom("handle"),
		reset: func(e *env, v []float64) {
			e.object0 = point(v)
			e.target = e.object0.add(to)
			e.placeBody("door", e.object0)
			e.placeSite("goal", e.target)
			e.setHinge("doorjoint", angle)
			e.span = distanceXY(e.geom("handle"), e.target)
		},
		v1: touching((*env).tcp, inPlane, 0.08),
	}
}

// doorOpen2020: pull a door open by its handle.
func doorOpen2020() *row { return door2020("door-open", middle, vec3{-0.3, -0.25, 0.05}, 0) }

// doorClose2020: push an open door shut.
func doorClose2020() *row {
	return door2020("door-close", single(middle), vec3{0.1, -0.15, 0.05}, -1.5708)
}

// lock2020 is a lock on a door, which should come to a point that is `to` the door.
func lock2020(name, site string, to vec3, set func(e *env)) *row {
	return &row{
		name: name, scene: "sawyer_door_lock",
		low: []float64{-0.1, 0.8, 0.1}, high: []float64{0.1, 0.85, 0.1},
		start: single(middle), handLow: below(-0.15), first: seenAt(site),
		reset: func(e *env, v []float64) {
			e.object0 = point(v)
			e.target = e.object0.add(to)
			e.placeBody("door", e.object0)
			e.placeBody("lock", e.object0)
			set(e)
			e.span = distance(e.target, e.geom("lockGeom"))
		},
		v1: touching((*env).tcp, inSpace, 0.05),
	}
}

// doorLock2020: turn the lock down. The scene takes five steps of the physics once the door is placed.
func doorLock2020() *row {
	return lock2020("door-lock", "lockStartLock", vec3{0, -0.04, -0.03}, func(e *env) { e.advance(substeps) })
}

// doorUnlock2020: push the lock to the right.
func doorUnlock2020() *row {
	return lock2020("door-unlock", "lockStartUnlock", vec3{0.1, -0.04, 0.07}, func(e *env) { e.setSlide(1.5708) })
}

// drawer2020 is a drawer whose handle should come to y metres before where the drawer is placed.
func drawer2020(name string, y, limit float64, set func(e *env)) *row {
	return &row{
		name: name, scene: "sawyer_drawer",
		low: []float64{-0.1, 0.9, 0.04}, high: []float64{0.1, 0.9, 0.04},
		start: single(middle), first: seenGeom("handle"),
		reset: func(e *env, v []float64) {
			e.object0 = point(v)
			e.target = e.object0.add(vec3{0, -y, 0})
			e.placeBody("drawer", e.object0)
			e.placeBody("drawer_cover", e.object0.add(vec3{0, 0, -0.02}))
			e.placeSite("goal", e.target)
			set(e)
		},
		v1: touching((*env).tcp, along(1), limit),
	}
}

// drawerOpen2020: pull a drawer open by its handle.
func drawerOpen2020() *row {
	return drawer2020("drawer-open", 0.35, 0.08, func(e *env) { e.span = 0.2 })
}

// drawerClose2020: push an open drawer shut. It is opened without stopping it.
func drawerClose2020() *row {
	return drawer2020("drawer-close", 0.2, 0.06, func(e *env) {
		e.qpos[9] = -0.2
		e.forward()
		e.span = math.Abs(e.geom("handle")[1] - e.target[1])
	})
}

// faucet2020: turn a faucet's handle, to a point that is so far to the right of its base.
func faucet2020(name, handle string, low, high []float64, right float64) *row {
	return &row{
		name: name, scene: "sawyer_faucet", low: low, high: high, start: middle, handLow: below(-0.15),
		first: seenAt(handle),
		reset: func(e *env, v []float64) {
			e.object0 = point(v)
			e.target = e.object0.add(vec3{right, -0.015, 0.065})
			e.placeBody("faucet", e.object0)
			e.placeBody("faucetBase", e.object0)
			e.span = distance(e.target, e.object0)
		},
		v1: touching((*env).tcp, inSpace, 0.05),
	}
}

// window2020: slide a window by its handle so far to the right. Its wall and its other wing are right of it.
func window2020(name, site string, low, high []float64, right, wall, other float64) *row {
	w := window(name, site)
	w.low, w.high, w.start = low, high, single(middle)
	w.reset = func(e *env, v []float64) {
		e.object0, e.span = point(v), 0.2
		e.target = e.object0.add(vec3{right, 0, 0})
		e.placeBody("window", e.object0)
		e.placeBody("window_another", e.object0.add(vec3{other, 0.03, 0}))
		e.placeBody("wall", e.object0.add(vec3{wall, 0, -0.12}))
		e.placeSite("goal", e.target)
	}
	return w
}

// handle2020: press a handle down to a site, or pull it up to one, from where its slide begins.
func handle2020(name, goal string, slide float64) *row {
	return handleOn(name, "sawyer_handle_press", []float64{-0.1, 0.8, 0.05}, []float64{0.1, 0.9, 0.05},
		vec3{0, -0.1, 0.09}, goal, slide)
}

// handleSide2020: the same on the left of the table.
func handleSide2020(name, goal string, slide float64) *row {
	return handleOn(name, "sawyer_handle_press_sideway", []float64{-0.35, 0.65, 0.05}, []float64{-0.25, 0.75, 0.05},
		vec3{0.1, 0, 0.09}, goal, slide)
}

// handleOn is a handle that is `from` its box.
func handleOn(name, file string, low, high []float64, from vec3, goal string, slide float64) *row {
	return &row{
		name: name, scene: file, low: low, high: high, start: middle, first: seenAt("handleStart"),
		reset: func(e *env, v []float64) {
			e.object0 = point(v)
			e.placeBody("box", e.object0)
			e.placeBody("handle", e.object0.add(from))
			e.setSlide(slide)
			e.aim(goal, "handleStart", 2)
		},
		v1: touching((*env).left, along(2), 0.04),
	}
}

// dialTurn2020: turn a dial by a point on its rim.
func dialTurn2020() *row {
	return &row{
		name: "dial-turn", scene: "sawyer_dial",
		low: []float64{-0.1, 0.7, 0.05}, high: []float64{0.1, 0.8, 0.05},
		start: single(middle), first: seenAt("dialStart"),
		reset: func(e *env, v []float64) {
			e.object0 = point(v)
			e.target = e.object0.add(vec3{0, 0.03, 0.03})
			e.placeBody("dial", e.object0)
			e.span = math.Abs(e.target[1] - e.object0[1])
		},
		v1: func(e *env) (float64, bool) { return dialV1(e, 0.03) },
	}
}

// leverPull2020: pull a lever down.
func leverPull2020() *row {
	return &row{
		name: "lever-pull", scene: "sawyer_lever_pull",
		low: []float64{-0.1, 0.7, 0.05}, high: []float64{0.1, 0.8, 0.05},
		start: single(middle), handLow: below(-0.15), first: seenAt("leverStart"),
		reset: func(e *env, v []float64) {
			e.object0 = point(v)
			e.target = e.object0.add(vec3{0, 0.05, -0.17})
			e.placeBody("lever", e.object0)
			e.span = distance(e.target, e.object0)
		},
		v1: touching((*env).tcp, inSpace, 0.05),
	}
}

// pegUnplugSide2020: pull a peg out of a hole to the side, along its slide.
func pegUnplugSide2020() *row {
	return &row{
		name: "peg-unplug-side", scene: "sawyer_peg_unplug_side",
		low: []float64{-0.25, 0.6, 0.05}, high: []float64{-0.15, 0.8, 0.05},
		start: middle, first: seenAt("pegEnd"),
		reset: func(e *env, v []float64) {
			box := point(v)
			e.placeBody("box", box)
			e.object0 = e.siteOffset("hole").add(box)
			e.target = vec3{e.object0[0] + 0.2, e.object0[1], e.object0[2]}
			e.placeBody("peg", e.object0)
			e.setSlide(0)
			e.span = distance(e.target, e.body("peg"))
		},
		v1: dragV1,
	}
}
