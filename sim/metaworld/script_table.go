package metaworld

import "math"

// scripts are the controllers of the fifty families, by name: written anew after what the scripted policies of the
// Python package do, whose actions they repeat (TestScripts). What looks odd is the package's: handle-pull, for one,
// goes towards a point whose three coordinates are one height.
var scripts = map[string]*script{
	"reach": {gain: 5, grip: always(0), goal: drawn, to: func(s *seen) vec3 { return s.goal }},
	"reach-wall": {gain: 5, grip: always(0), goal: drawn, to: func(s *seen) vec3 {
		h := s.hand
		if inside(h[0], -0.1, 0.3) && inside(h[1], 0.6, 0.8) && h[2] < 0.25 {
			return up(s.goal, 1) // over the wall
		}
		return s.goal
	}},

	// Pushed or dragged over the table.
	"push": {gain: 10, grip: grasp(vec3{}, 0.02, 0.1, 0, 0.6), goal: drawnAt(cylinderRests), to: func(s *seen) vec3 {
		return s.descend(s.object.add(vec3{-0.005}), descent{0.02, 0.2, 0.04, 0.03}, s.goal)
	}},
	"push-wall": {gain: 10, grip: grasp(vec3{}, 0.02, 0.1, 0, 0.6), goal: drawnAt(cylinderRests),
		to: func(s *seen) vec3 {
			o, then := s.object.add(vec3{-0.005}), s.goal
			switch {
			case inside(o[0], -0.1, 0.3) && inside(o[1], 0.65, 0.75):
				then = s.hand.add(vec3{-1}) // to the left of the wall
			case (o[0] > -0.15 && o[0] < 0.05 || o[0] > 0.15 && o[0] < 0.35) && inside(o[1], 0.695, 0.755):
				then = s.hand.add(vec3{0, 1}) // past it
			}
			return s.descend(o, descent{0.02, 0.2, 0.04, 0.03}, then)
		}},
	"push-back": {gain: 10, grip: grasp(vec3{}, 0.04, 0.05, 0, 0.9), goal: drawnAt(blockRests), to: func(s *seen) vec3 {
		return s.descend(s.object, descent{0.04, 0.3, 0.055, 0}, up(s.goal, s.hand[2]))
	}},
	"sweep": {gain: 25, goal: func(v []float64) vec3 { return vec3{0.5, v[1], 0.01} }, shown: true,
		grip: func(s *seen) float64 {
			if s.object[0] >= 0.4 {
				return -1
			}
			return grasp(vec3{}, 0.04, 0.15, -1, 0.7)(s)
		},
		to: func(s *seen) vec3 {
			then := up(s.goal, 0.1)
			if s.hand[0] >= 0.2 {
				return then
			}
			return s.descend(up(s.object, 0.015), descent{0.04, 0.3, 0.04, 0}, then)
		}},
	"sweep-into": {gain: 25, grip: grasp(vec3{}, 0.04, 0.15, -1, 0.7), goal: fixed(tableHole), shown: true,
		to: func(s *seen) vec3 {
			return s.descend(s.object.add(vec3{-0.005, 0, 0.01}), descent{0.04, 0.3, 0.04, 0}, s.goal)
		}},
	"soccer": {gain: 25, grip: always(1), goal: drawn, to: func(s *seen) vec3 {
		ball, kick := up(s.object, 0.03), vec3{0, -0.03}
		if aside := ball[0] - s.goal[0]; math.Abs(aside) > 0.05 {
			kick = vec3{math.Copysign(0.03, aside)} // from the side that is away from the goal
		}
		from := ball.add(kick)
		from[2] = 0.03
		if s.off(ball) < 0.02 {
			from[2] = 0.1
		}
		if distance(s.hand, from) > 0.01 {
			return from
		}
		return ball
	}},
	"plate-slide": {gain: 10, grip: always(-1), goal: drawn, to: func(s *seen) vec3 {
		p := s.object.add(vec3{0, -0.055, 0.03})
		return s.descend(p, descent{0.03, 0.1, 0.04, 0}, vec3{s.goal[0], 0.9, p[2]})
	}},
	"plate-slide-side": {gain: 25, grip: always(1), to: func(s *seen) vec3 {
		p := s.object.add(vec3{0.07, 0, -0.005})
		then := p.add(vec3{-0.1})
		if s.hand[0] > -0.2 {
			then = vec3{s.hand[0] - 0.1, 0.6, s.hand[2]}
		}
		return s.descend(p, descent{0.04, 0.1, 0.04, 0}, then)
	}},
	"plate-slide-back": {gain: 10, grip: always(-1), to: func(s *seen) vec3 {
		then := vec3{s.hand[0] - 0.1, 0.55, s.hand[2]}
		if s.hand[1] > 0.7 {
			then = s.hand.add(vec3{0, -0.1})
		} else if s.hand[1] > 0.6 {
			then = vec3{0.15, 0.55, s.hand[2]}
		}
		return s.descend(s.object.add(vec3{0, -0.065, 0.025}), descent{0.01, 0.1, 0.04, 0}, then)
	}},
	"plate-slide-back-side": {gain: 10, grip: always(1), to: func(s *seen) vec3 {
		return s.descend(s.object.add(vec3{0.023, 0, 0.025}), descent{0.01, 0.07, 0.04, 0},
			vec3{s.hand[0] + 0.1, 0.6, s.hand[2]})
	}},
	"coffee-push": {gain: 10, grip: grasp(vec3{0.01, 0, 0.05}, 0.06, 0.1, -1, 0.5), goal: drawn,
		to: func(s *seen) vec3 {
			return s.descend(s.object.add(vec3{0.01, 0, 0.05}), descent{0.06, 0.2, 0.02, 0},
				vec3{s.goal[0], s.goal[1], 0.1})
		}},
	"coffee-pull": {gain: 10, grip: grasp(vec3{0.01, 0, 0.05}, 0.06, 0.1, -1, 0.7), goal: drawn,
		to: func(s *seen) vec3 {
			return s.descend(s.object.add(vec3{-0.005, 0, 0.05}), descent{0.06, 0.15, 0.02, 0}, s.goal)
		}},

	// Lifted and carried.
	"pick-place": {gain: 10, goal: drawn,
		grip: func(s *seen) float64 {
			if distance(s.hand, s.object) < 0.07 {
				return 1
			}
			return 0
		},
		to: func(s *seen) vec3 {
			o, then := s.object.add(vec3{-0.005}), s.goal
			if s.opening > 0.73 {
				then = s.hand // until the fingers hold it
			}
			return s.descendTo(o, descent{0.02, 0.1, 0.05, 0.03}, 0.04, then)
		}},
	"pick-place-wall": {gain: 10, grip: grasp(vec3{}, 0.015, 0.1, 0, 0.9), goal: drawn, to: func(s *seen) vec3 {
		h, then := s.hand, s.goal
		atWall := inside(h[0], -0.15, 0.35) && inside(h[1], 0.6, 0.8)
		switch {
		case atWall && h[2] < 0.25:
			then = up(h, 1)
		case atWall && h[2] < 0.35:
			then = vec3{s.goal[0], s.goal[1], h[2]}
		case s.height(s.goal) > 0.01:
			then = s.level(s.goal[2])
		}
		return s.descendTo(s.object.add(vec3{-0.005}), descent{0.015, 0.1, 0.04, 0.03}, 0.03, then)
	}},
	"pick-out-of-hole": {gain: 25, grip: grasp(vec3{0, 0, 0.02}, 0.02, 0.15, 0, 0.1), goal: drawn,
		to: func(s *seen) vec3 {
			return s.descend(up(s.object, 0.02), descent{0.02, 0.15, 0.01, 0}, s.lift(s.goal, 0.04))
		}},
	"shelf-place": {gain: 25, grip: grasp(vec3{}, 0.04, 0.15, -1, 0.7), goal: drawn, to: func(s *seen) vec3 {
		then := s.hand.add(vec3{0, 0.05})
		if math.Abs(s.hand[0]-s.goal[0]) > 0.02 {
			then = vec3{s.goal[0], s.hand[1], 0.3}
		} else if s.hand[2] < 0.3 {
			then = up(s.hand, 0.3)
		}
		return s.descend(s.object.add(vec3{-0.005, 0, 0.015}), descent{0.04, 0.3, 0.04, 0}, then)
	}},
	"basketball": {gain: 25, grip: grasp(vec3{}, 0.04, 0.15, -1, 0.6), goal: drawn, to: func(s *seen) vec3 {
		ball := up(s.object, 0.01)
		hoop := vec3{s.goal[0], 0.875, 0.35}
		then := hoop
		if math.Abs(ball[2]-hoop[2]) > 0.025 {
			then = s.level(hoop[2])
		}
		return s.descend(ball, descent{0.04, 0.3, 0.025, 0}, then)
	}},
	"bin-picking": {gain: 25,
		grip: func(s *seen) float64 {
			if c := cubeInBin(s); s.off(c) > 0.02 || s.height(c) > 0.02 {
				return -1
			}
			return 0.6
		},
		to: func(s *seen) vec3 {
			bin := vec3{0.12, 0.7, 0.02}
			then := bin
			if s.off(bin) > 0.02 {
				then = vec3{bin[0], bin[1], 0.18}
				if s.hand[2] < 0.15 {
					then = up(s.hand, 0.1)
				}
			}
			return s.descend(cubeInBin(s), descent{0.02, 0.15, 0.01, 0}, then)
		}},
	"hand-insert": {gain: 10, grip: grasp(vec3{}, 0.02, 0.1, 0, 0.65), goal: drawn, to: func(s *seen) vec3 {
		then := s.goal
		if s.off(s.goal) > 0.04 {
			then[2] = s.hand[2]
		}
		return s.descend(s.object, descent{0.02, 0.1, 0.05, 0.03}, then)
	}},
	"box-close": {gain: 25, grip: grasp(vec3{0, 0, 0.02}, 0.01, 0.13, 0.5, 1), goal: drawn, to: func(s *seen) vec3 {
		lid := up(s.object, 0.02)
		return s.descend(lid, descent{0.01, 0.2 - lid[2], 0.05, 0}, s.lift(vec3{s.goal[0], s.goal[1], 0.15}, 0.04))
	}},
	"assembly": {gain: 10, grip: grasp(vec3{-0.02}, 0.02, 0.12, 0, 0.6), goal: drawn, to: func(s *seen) vec3 {
		nut, peg := s.object.add(vec3{-0.02}), s.goal.add(vec3{0.12, 0, 0.14})
		if s.off(nut) <= 0.02 && s.off(peg) <= 0.02 {
			return up(peg, -0.2) // drop it
		}
		return s.descend(nut, descent{0.02, 0.1, 0.05, 0.03}, s.lift(peg, 0.04))
	}},
	"disassemble": {gain: 10, grip: grasp(vec3{-0.02, 0, 0.01}, 0.02, 0.07, 0, 0.8), to: func(s *seen) vec3 {
		return s.descend(s.object.add(vec3{-0.02, 0, 0.01}), descent{0.02, 0.1, 0.03, 0}, up(s.hand, 0.1))
	}},
	"peg-insert-side": {gain: 25, grip: grasp(vec3{}, 0.04, 0.15, -1, 0.6), goal: drawn, to: func(s *seen) vec3 {
		hole := vec3{-0.35, s.goal[1], 0.16}
		then := hole
		if d := s.object.sub(hole); math.Hypot(d[1], d[2]) > 0.03 {
			then = hole.add(vec3{0.4}) // line up in front of it
		}
		return s.descend(s.object, descent{0.04, 0.3, 0.025, 0}, then)
	}},
	"peg-unplug-side": {gain: 25, grip: grasp(vec3{-0.02, 0, 0.035}, 0.04, 0.15, -1, 0.1), to: func(s *seen) vec3 {
		p := s.object.add(vec3{-0.02, 0, 0.035})
		switch {
		case s.off(p) > 0.04:
			return up(p, 0.2)
		case math.Abs(s.hand[2]-0.15) > 0.02:
			return vec3{p[0], p[1], 0.15}
		}
		return s.hand.add(vec3{0.01})
	}},
	"hammer": {gain: 10, grip: grasp(vec3{-0.04, 0, -0.01}, 0.04, 0.1, 0, 0.8), to: func(s *seen) vec3 {
		nail := vec3{0.24 - 0.19, 0.71, 0.11 + 0.05}
		then := nail
		if distanceXZ(s.hand, nail) > 0.02 {
			then[1] = s.hand[1]
		}
		return s.descendTo(s.object.add(vec3{-0.04, 0, -0.01}), descent{0.04, 0.1, 0.05, 0.03}, 0.03, then)
	}},
	"stick-push": {gain: 10, grip: grasp(vec3{0.015, 0, 0.03}, 0.02, 0.1, -1, 0.7), goal: drawnAt(insertionHeight),
		to: func(s *seen) vec3 {
			return s.byStick(s.object.add(vec3{0.015, 0, 0.03}), s.other, up(s.goal, 0.132))
		}},
	"stick-pull": {gain: 25, grip: grasp(vec3{-0.015, 0, 0.03}, 0.02, 0.1, -1, 0.7), goal: drawnAt(0.02),
		to: func(s *seen) vec3 {
			return s.byStick(s.object.add(vec3{-0.015, 0, 0.03}), s.other.add(vec3{-0.015, 0, 0.03}),
				s.goal.add(vec3{-0.05}))
		}},

	// Pressed, turned, opened and shut: what moves is seen, and no goal is read but door-close's.
	"button-press": {gain: 25, grip: always(0), to: func(s *seen) vec3 {
		b := up(s.object, -0.07)
		if !isClose(s.hand[0], b[0]) || !isClose(s.hand[2], b[2]) {
			return vec3{b[0], s.hand[1] - 0.1, b[2]}
		}
		return b.add(vec3{0, 0.02})
	}},
	"button-press-wall": {gain: 15,
		grip: func(s *seen) float64 {
			if b := up(s.object, 0.04); math.Abs(s.hand[0]-b[0]) > 0.02 || b[1]-s.hand[1] > 0.09 || s.height(b) > 0.02 {
				return 1
			}
			return -1
		},
		to: func(s *seen) vec3 {
			b := up(s.object, 0.04)
			switch {
			case math.Abs(s.hand[0]-b[0]) > 0.02:
				return vec3{b[0], s.hand[1], 0.3}
			case b[1]-s.hand[1] > 0.09:
				return vec3{b[0], b[1], 0.3}
			case s.height(b) > 0.02:
				return b.add(vec3{0, -0.05})
			}
			return b.add(vec3{0, -0.02})
		}},
	"button-press-topdown":      pressDown(1, vec3{}),
	"button-press-topdown-wall": pressDown(-1, vec3{0, -0.06}),
	"coffee-button": {gain: 10, grip: always(-1), to: func(s *seen) vec3 {
		b := up(s.object, -0.07)
		if distanceXZ(s.hand, b) > 0.02 {
			return vec3{b[0], s.hand[1], b[2]}
		}
		return b.add(vec3{0, 0.2})
	}},
	"dial-turn": {gain: 10, grip: always(1), to: func(s *seen) vec3 {
		d := s.object.add(vec3{0.05, 0.02, 0.09})
		return s.descend(d, descent{0.02, 0.2 - d[2], 0.02, 0}, d.add(vec3{-0.05, 0.005}))
	}},
	"door-open": {gain: 25, grip: always(1), to: func(s *seen) vec3 {
		d := s.object.add(vec3{-0.05})
		beside := d.add(vec3{0.06, 0.02})
		switch {
		case s.off(d) > 0.12:
			return up(beside, 0.2)
		case s.height(d) > 0.04:
			return beside
		}
		return d
	}},
	"door-close": {gain: 25, grip: always(1), shown: true,
		goal: func(v []float64) vec3 { return point(v).add(vec3{0.2, -0.2}) },
		to: func(s *seen) vec3 {
			d := s.object.add(vec3{0.05, 0.12, 0.1})
			switch {
			case s.hand[0] > d[0] && s.hand[2] < d[2]+0.2:
				return s.level(d[2] + 0.25)
			case s.hand[0] > d[0]:
				return vec3{d[0] - 0.02, d[1], s.hand[2]}
			case s.height(d) > 0.04:
				return d.add(vec3{-0.02})
			}
			return s.goal
		}},
	"door-lock": {gain: 25, grip: always(-1), to: func(s *seen) vec3 {
		l := s.object.add(vec3{-0.02, -0.02})
		if s.off(l) > 0.02 && s.hand[2] < 0.25 {
			return s.hand.add(vec3{0, -0.1, 0.1})
		}
		return s.descend(l, descent{0.02, 0.3, 0.02, 0}, l.add(vec3{-0.1, 0, -0.1}))
	}},
	"door-unlock": {gain: 25, grip: always(1), to: func(s *seen) vec3 {
		l := s.object.add(vec3{-0.04, -0.02, -0.03})
		switch {
		case s.off(l) <= 0.02:
			return l.add(vec3{0.1, 0, 0.01})
		case s.hand[2] > 0.15:
			return s.hand.add(vec3{0, -0.1, -0.1})
		}
		return l
	}},
	"drawer-open": {gain: 4, grip: always(-1), to: func(s *seen) vec3 {
		d := up(s.object, -0.02)
		pull := d.add(vec3{0, -0.06}).sub(s.hand).times(vec3{12.5, 12.5, 12.5}) // at a gain of 50
		return s.descend(d, descent{0.06, 0.3, 0.04, 0}, s.hand.add(pull))
	}},
	"drawer-close": {gain: 25, grip: always(1), to: func(s *seen) vec3 {
		d := up(s.object, -0.02)
		front := d.add(vec3{0, -0.075})
		switch {
		case s.hand[1] > d[1] && s.hand[2] < d[2]+0.23:
			return s.level(d[2] + 0.5)
		case s.hand[1] > d[1]:
			return up(front, 0.23)
		case s.height(d) > 0.04:
			return front
		}
		return d
	}},
	"faucet-open":  turn(vec3{-0.04, 0, 0.03}, descent{0.04, 0.1, 0.04, 0}, vec3{0.1, 0.05}),
	"faucet-close": turn(vec3{0.04, 0, 0.03}, descent{0.04, 0.1, 0.04, 0}, vec3{-0.1, 0.05}),
	"window-open":  turn(vec3{-0.03, -0.03, -0.08}, descent{0.04, 0.3, 0.02, 0}, vec3{0.1}),
	"window-close": turn(vec3{0.03, -0.03, -0.08}, descent{0.04, 0.25, 0.02, 0}, vec3{-0.1}),
	"lever-pull":   turn(vec3{0, -0.055}, descent{0.02, -0.1, 0.02, 0}, vec3{0, 0.08, 0.02}),
	"handle-press": {gain: 25, grip: always(-1), to: func(s *seen) vec3 {
		h := s.object.add(vec3{0, -0.02})
		return s.descend(h, descent{near: 0.02, above: 0.2, slack: math.Inf(1)}, up(h, -0.5))
	}},
	"handle-press-side": {gain: 25, grip: always(1), to: func(s *seen) vec3 {
		return s.descend(s.object, descent{near: 0.02, above: 0.2, slack: math.Inf(1)}, up(s.object, -0.5))
	}},
	"handle-pull": {gain: 25, grip: always(1), to: func(s *seen) vec3 {
		h := s.object.add(vec3{0, -0.04})
		switch {
		case s.off(h) > 0.02:
			return h
		case s.height(h) > 0.02:
			return vec3{h[2], h[2], h[2]}
		}
		return up(h, 0.1)
	}},
	"handle-pull-side": {gain: 25, grip: grasp(vec3{}, 0.04, 0.04, 0, 0.6), to: func(s *seen) vec3 {
		return s.descend(s.object, descent{0.04, 0.1, 0.03, 0}, up(s.object, 1))
	}},
}

// pressDown presses a button from above, at a point by off the observed one.
func pressDown(grip float64, by vec3) *script {
	return &script{gain: 25, grip: always(grip), to: func(s *seen) vec3 {
		b := s.object.add(by)
		return s.descend(b, descent{near: 0.04, above: 0.1, slack: math.Inf(1)}, b)
	}}
}

// turn comes to a point by off the observed one and pushes on from there.
func turn(by vec3, d descent, push vec3) *script {
	return &script{gain: 25, grip: always(1), to: func(s *seen) vec3 {
		p := s.object.add(by)
		return s.descend(p, d, p.add(push))
	}}
}

// descendTo is descend to a thing that, once it is lifted over a height, is held and needs no more coming to.
func (s *seen) descendTo(to vec3, d descent, lifted float64, then vec3) vec3 {
	if to[2] >= lifted {
		d.slack = math.Inf(1)
	}
	return s.descend(to, d, then)
}

// lift goes to a point's height first, until the hand is within slack of it, and then to the point.
func (s *seen) lift(to vec3, slack float64) vec3 {
	if s.height(to) > slack {
		return s.level(to[2])
	}
	return to
}

// byStick takes the stick, puts it into the thermos and takes both to a point.
func (s *seen) byStick(stick, thermos, to vec3) vec3 {
	if math.Abs(stick[0]-thermos[0]) <= 0.04 {
		return to
	}
	then := thermos
	switch {
	case math.Abs(stick[1]-thermos[1]) > 0.02:
		then = vec3{stick[0], thermos[1], stick[2]}
	case math.Abs(stick[2]-thermos[2]) > 0.02:
		then[0] = stick[0]
	}
	return s.descend(stick, descent{0.02, 0.1, 0.02, 0}, then)
}

// cubeInBin is where bin-picking takes the cube: not too near to the bin's walls.
func cubeInBin(s *seen) vec3 {
	c := up(s.object, 0.03)
	c[1] = clamp(c[1], 0.675, 0.725)
	return c
}

// inside reports whether x is in [low, high].
func inside(x, low, high float64) bool { return x >= low && x <= high }

// isClose is numpy.isclose with a tolerance of 2 cm.
func isClose(x, to float64) bool { return math.Abs(x-to) <= 0.02+1e-5*math.Abs(to) }

// Heights at which goals lie that a reset puts where the scene has something: where the physics let push's cylinder and
// push-back's block come to rest, and the thermos' opening.
const (
	cylinderRests   = 0.01940468384034252
	blockRests      = 0.019936046923271653
	insertionHeight = 0.132
)
