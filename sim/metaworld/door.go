package metaworld

import "math"

func doorRows() []*row {
	return []*row{doorOpen(), boxClose()}
}

// doorOpen: pull a door open by its handle.
func doorOpen() *row {
	success := func(e *env) bool { return math.Abs(e.object()[0]-e.target[0]) <= 0.08 }
	return &row{
		name: "door-open", scene: "sawyer_door_pull",
		low: []float64{0, 0.85, 0.15}, high: []float64{0.1, 0.95, 0.15},
		start: middle,
		first: geomPart("handle"),
		reset: func(e *env, v []float64) {
			e.object0 = point(v)
			e.target = e.object0.add(vec3{-0.3, -0.45, 0})
			e.placeBody("door", e.object0)
			e.placeSite("goal", e.target)
			e.setHinge("doorjoint", 0)
			e.span = distanceXY(e.geom("handle"), e.target)
		},
		v1: func(e *env) (float64, bool) {
			return touch(e, e.tcp(), inPlane(e)), success(e)
		},
		v2: func(e *env) (float64, bool) {
			if success(e) {
				return 10, true
			}
			grab := (clamp(e.act[3], -1, 1) + 1) / 2
			ready, open := doorOpenParts(e)
			return 2*both(ready, grab) + 8*open, false
		},
	}
}

// doorOpenParts say how ready the hand is to pull the handle, and how far the door is open. The hand should come from
// above a floor that falls towards the handle.
func doorOpenParts(e *env) (ready, open float64) {
	hand, door, angle := e.handAt(), e.object().add(vec3{-0.05, 0, 0}), e.joint("doorjoint")
	floor := 0.0
	if radius := distanceXY(hand, door); radius > 0.12 {
		floor = 0.04*math.Log(radius-0.12) + 0.4
	}
	above := 1.0
	if hand[2] < floor {
		above = within(floor-hand[2], 0.01, floor/2)
	}
	near := within(hand.sub(door).sub(vec3{0.05, 0.03, -0.01}).norm(), 0.12/2, 0.5)
	// The hinge turns towards negative angles.
	open = 0.2*bonus(angle < -math.Pi/90) + 0.8*within(math.Pi/2+math.Pi/6+angle, 0.5, math.Pi/3)
	return both(above, near), open
}
