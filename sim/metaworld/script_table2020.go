package metaworld

import "math"

// scripts2020 are the controllers of 2020's families that are not those of the release. They do what the scripted
// policies of the repository do, of which there are 37 (TestScripts2020). For others there are rules of our own.
var scripts2020 = map[string]*script{
	// Our own: the fingers, from which rewards are measured, hang below the hand.
	"reach": {gain: 10, grip: always(0), goal: drawn, to: func(s *seen) vec3 { return up(s.goal, hang) }},
	"reach-wall": {gain: 10, grip: always(0), goal: drawn, to: func(s *seen) vec3 {
		h, to := s.hand, up(s.goal, hang)
		if inside(h[0], -0.1, 0.3) && inside(h[1], 0.6, 0.8) && h[2] < 0.25 {
			return up(to, 1) // over the wall
		}
		return to
	}},
	"pick-place": {gain: 10, grip: grasp(vec3{}, 0.02, 0.1, 0, 0.6), goal: drawn, to: func(s *seen) vec3 {
		return s.descendTo(s.object, descent{0.02, 0.1, 0.05, 0.03}, 0.03, s.lift(up(s.goal, 0.03), 0.04))
	}},
	"bin-picking": {gain: 10,
		grip: func(s *seen) float64 {
			if s.off(otherBin) < 0.03 {
				return -1
			}
			return grasp(vec3{}, 0.02, 0.1, 0, 0.6)(s)
		},
		to: func(s *seen) vec3 {
			if s.off(otherBin) < 0.03 && distanceXY(s.object, otherBin) < 0.05 {
				return s.level(otherBin[2])
			}
			return s.descendTo(s.object, descent{0.02, 0.1, 0.06, 0.03}, 0.08, s.lift(otherBin, 0.04))
		}},
	"peg-insert-side": {gain: 10, grip: grasp(vec3{}, 0.02, 0.1, 0, 0.6), goal: drawn, to: func(s *seen) vec3 {
		return s.descendTo(s.object, descent{0.02, 0.1, 0.05, 0.03}, 0.04, s.lift(up(s.goal, 0.03), 0.04))
	}},
	"lever-pull": {gain: 10, grip: always(1), to: func(s *seen) vec3 {
		return s.descend(up(s.object, hang+0.02), descent{0.04, 0.1, 0.04, 0}, s.object.add(vec3{0, 0.05, -0.5}))
	}},

	"assembly": {gain: 10, goal: drawn,
		grip: func(s *seen) float64 {
			nut := s.object.add(vec3{0.01})
			switch {
			case s.off(nut) > 0.02 || s.height(nut) > 0.1:
				return 0
			case s.off(overPeg(s)) > 0.01:
				return 0.6
			}
			return -1
		},
		to: func(s *seen) vec3 {
			nut, peg := s.object.add(vec3{0.01}), overPeg(s)
			if s.off(nut) <= 0.02 && s.off(peg) <= 0.02 {
				return up(peg, -0.07) // drop it
			}
			return s.descend(nut, descent{0.02, 0.1, 0.05, 0.03}, s.lift(peg, 0.04))
		}},
	"disassemble": {gain: 10, grip: grasp(vec3{0.01}, 0.02, 0.08, 0, 0.8),
		goal: func(v []float64) vec3 { return point(v).add(vec3{0, 0, 0.15}) }, shown: true,
		to: func(s *seen) vec3 {
			then := s.hand.add(vec3{0, -0.1})
			if s.object[2]+0.01 < 0.12 {
				then = up(overPeg(s), 0.1)
			}
			return s.descend(s.object.add(vec3{0.01, -0.01, 0.01}), descent{0.02, 0.12, 0.03, 0}, then)
		}},
	"basketball": {gain: 25, grip: grasp(vec3{}, 0.04, 0.15, -1, 0.6), goal: drawn, to: func(s *seen) vec3 {
		ball, hoop := up(s.object, 0.01), vec3{s.goal[0], 0.875, 0.35}
		if math.Abs(ball[2]-hoop[2]) > 0.025 {
			hoop = s.level(hoop[2])
		}
		return s.descend(ball, descent{0.04, 0.3, 0.025, 0}, hoop)
	}},
	"box-close": {gain: 25, grip: grasp(vec3{-0.04, 0, -0.06}, 0.01, 0.13, 0, 0.8), goal: drawn,
		to: func(s *seen) vec3 {
			box := vec3{s.goal[0] - 0.04, s.goal[1], 0.15}
			return s.descend(s.object.add(vec3{-0.04, 0, -0.06}), descent{0.01, 0.1, 0.05, 0}, s.lift(box, 0.04))
		}},
	"hammer": {gain: 10, grip: grasp(vec3{-0.08, 0, -0.01}, 0.04, 0.1, 0, 0.8), to: func(s *seen) vec3 {
		screw := vec3{0.24 - 0.19, 0.71, 0.11 + 0.05}
		then := screw
		if distanceXZ(s.hand, screw) > 0.02 {
			then[1] = s.hand[1]
		}
		return s.descendTo(s.object.add(vec3{-0.08, 0, -0.01}), descent{0.04, 0.1, 0.05, 0.03}, 0.03, then)
	}},
	"hand-insert": {gain: 10, grip: grasp(vec3{}, 0.02, 0.1, 0, 0.65), goal: drawn, to: func(s *seen) vec3 {
		then := s.goal
		if s.off(s.goal) > 0.04 {
			then[2] = s.hand[2]
		}
		return s.descendTo(s.object, descent{0.02, 0.1, 0.05, 0.03}, 0.03, then)
	}},
	"pick-out-of-hole": {gain: 10, grip: grasp(vec3{0, 0, -0.02}, 0.02, 0.1, 0, 0.6), goal: drawn,
		to: func(s *seen) vec3 {
			return s.descendTo(up(s.object, -0.02), descent{0.02, 0.1, 0.05, 0.03}, 0.03, s.lift(s.goal, 0.04))
		}},
	"peg-unplug-side": {gain: 25, grip: grasp(vec3{}, 0.04, 0.15, -1, 0.7), to: func(s *seen) vec3 {
		p := s.object.add(vec3{0.005, 0, 0.015})
		return s.descend(p, descent{0.04, 0.3, 0.02, 0}, p.add(vec3{0.1}))
	}},
	"shelf-place": {gain: 25, grip: grasp(vec3{}, 0.04, 0.15, -1, 0.7), goal: drawn, to: func(s *seen) vec3 {
		then := s.hand.add(vec3{0, 0.05})
		if math.Abs(s.hand[0]-s.goal[0]) > 0.02 {
			then = vec3{s.goal[0], s.hand[1], s.hand[2]}
		} else if s.hand[2] < 0.25 {
			then = up(s.hand, 0.25)
		}
		return s.descend(s.object.add(vec3{0.005, 0, 0.015}), descent{0.04, 0.3, 0.02, 0}, then)
	}},
	"stick-push": {gain: 10, grip: grasp(vec3{-0.02}, 0.02, 0.1, 0, 0.8), goal: drawnAt(0.02), to: func(s *seen) vec3 {
		then := vec3{s.goal[0], s.goal[1], s.hand[2]}
		if lid := s.other[2] + 0.05; math.Abs(lid-s.hand[2]) > 0.01 {
			then = s.level(lid)
		}
		return s.descendTo(s.object.add(vec3{-0.02}), descent{0.02, 0.1, 0.05, 0.03}, 0.03, then)
	}},
	"stick-pull": {gain: 10, grip: grasp(vec3{-0.02}, 0.02, 0.1, 0, 0.8), goal: drawnAt(0.02), to: func(s *seen) vec3 {
		stick, then := s.object.add(vec3{-0.02}), s.goal
		if distance(stick, s.other) > 0.06 {
			then = up(s.other, 0.05)
		}
		return s.descendTo(stick, descent{0.02, 0.1, 0.05, 0.03}, 0.03, then)
	}},

	"push-back": {gain: 10, grip: grasp(vec3{}, 0.04, 0.12, 0, 0.6), goal: drawnAt(blockRests2020),
		to: func(s *seen) vec3 {
			return s.descend(s.object, descent{0.05, 0.15, 0.04, 0.03}, up(s.goal, 0.05))
		}},
	"soccer": {gain: 25, grip: always(1), goal: drawn, to: func(s *seen) vec3 {
		ball := up(s.object, 0.03)
		to, kick, behind := ball.sub(s.hand).unit(), s.goal.sub(ball).unit(), 0.1
		if to[0]*kick[0]+to[1]*kick[1] < 0.7 {
			behind = -behind // the hand is not yet there
		}
		return ball.add(kick.times(vec3{behind, behind, behind}))
	}},
	"sweep": {gain: 25,
		grip: func(s *seen) float64 {
			if s.object[0] >= 0.35 {
				return -1
			}
			return grasp(vec3{}, 0.04, 0.15, -1, 0.7)(s)
		},
		to: func(s *seen) vec3 {
			then := vec3{0.5, s.object[1], 0.1}
			if s.hand[0] >= 0.2 {
				return then
			}
			return s.descend(up(s.object, 0.015), descent{0.04, 0.3, 0.02, 0}, then)
		}},
	"sweep-into": {gain: 25, grip: grasp(vec3{}, 0.04, 0.15, -1, 0.7), to: func(s *seen) vec3 {
		return s.descend(up(s.object, 0.015), descent{0.04, 0.3, 0.02, 0}, vec3{0, 0.8, 0.015})
	}},
	"plate-slide-side": {gain: 25, grip: always(1), to: func(s *seen) vec3 {
		p := s.object.add(vec3{0.07, 0, -0.005})
		then := p.add(vec3{-0.1})
		if s.hand[0] > -0.2 {
			then = vec3{s.hand[0] - 0.1, 0.63, s.hand[2]}
		}
		return s.descend(p, descent{0.04, 0.1, 0.04, 0}, then)
	}},
	"coffee-push": {gain: 10, grip: grasp(vec3{}, 0.06, 0.15, -1, 0.5), goal: drawn, to: func(s *seen) vec3 {
		return s.descend(up(s.object, 0.01), descent{0.06, 0.3, 0.02, 0}, vec3{s.goal[0], s.goal[1], 0.1})
	}},
	"coffee-pull": {gain: 10, grip: grasp(vec3{}, 0.06, 0.06, -1, 0.9), to: func(s *seen) vec3 {
		then := vec3{s.hand[0] - 0.1, 0.62, 0.1}
		if s.hand[1] > 0.7 {
			then[0] = 0.5
		}
		return s.descend(s.object, descent{0.06, 0.15, 0.04, 0}, then)
	}},

	"button-press": {gain: 4, grip: always(0), to: func(s *seen) vec3 {
		b := up(s.object, -0.07)
		if !isClose(s.hand[0], b[0]) || !isClose(s.hand[2], b[2]) {
			return vec3{b[0], s.hand[1] - 0.1, b[2]}
		}
		return b.add(vec3{0, 0.02})
	}},
	"coffee-button": {gain: 10, grip: always(-1), to: func(s *seen) vec3 {
		if math.Abs(s.hand[0]-s.object[0]) > 0.02 {
			return vec3{s.object[0], s.hand[1], 0.28}
		}
		return s.hand.add(vec3{0, 0.1})
	}},
	"dial-turn": {gain: 5, grip: always(0), to: func(s *seen) vec3 {
		d := s.object.add(vec3{0, -0.028})
		switch {
		case s.height(d) > 0.02:
			return s.level(d[2])
		case math.Abs(s.hand[1]-d[1]) > 0.02:
			return d.add(vec3{0.2})
		}
		return d.add(vec3{-0.1})
	}},
	"door-open": {gain: 10, grip: always(1), to: func(s *seen) vec3 {
		d := s.object.add(vec3{-0.05})
		switch {
		case s.off(d) > 0.08:
			return d.add(vec3{0, 0.075, 0.2})
		case s.height(d) > 0.04:
			return d.add(vec3{0, 0.075})
		}
		return d
	}},
	"door-close": {gain: 25, grip: always(1), to: func(s *seen) vec3 {
		d := s.object.add(vec3{0.13, 0.1, 0.02})
		switch {
		case s.hand[0] > d[0] && s.hand[2] < d[2]+0.2:
			return s.level(d[2] + 0.25)
		case s.hand[0] > d[0]:
			return vec3{d[0] - 0.02, d[1], s.hand[2]}
		case s.height(d) > 0.04:
			return d.add(vec3{-0.02})
		}
		return d
	}},
	"door-lock":   turnBy(-1, vec3{0, -0.05}, descent{0.04, 0.3, 0.02, 0}, vec3{-0.1, 0, -0.1}),
	"door-unlock": turnBy(1, vec3{-0.03, -0.03, -0.1}, descent{0.04, 0.3, 0.02, 0}, vec3{0.1}),
	"drawer-open": {gain: 4, grip: always(-1), to: func(s *seen) vec3 {
		pull := s.object.add(vec3{0, -0.06}).sub(s.hand).times(vec3{12.5, 12.5, 12.5}) // at a gain of 50
		return s.descend(s.object, descent{0.06, 0.3, 0.04, 0}, s.hand.add(pull))
	}},
	"drawer-close": {gain: 10, grip: always(1), to: func(s *seen) vec3 {
		d, front := s.object, s.object.add(vec3{0, -0.075})
		switch {
		case s.hand[1] > d[1] && s.hand[2] < d[2]+0.4:
			return s.level(d[2] + 0.5)
		case s.hand[1] > d[1]:
			return up(front, 0.4)
		case s.height(d) > 0.04:
			return front
		}
		return d
	}},
	"faucet-open":  turnBy(1, vec3{-0.02}, descent{0.04, 0.1, 0.04, 0}, vec3{0.1, 0.05}),
	"faucet-close": turnBy(1, vec3{0.02}, descent{0.04, 0.1, 0.04, 0}, vec3{-0.1, 0.05}),
	"handle-pull": {gain: 25, grip: always(1), to: func(s *seen) vec3 {
		h := s.object.add(vec3{0, -0.02})
		switch {
		case math.Abs(s.hand[0]-h[0]) > 0.04:
			return up(h, 0.2)
		case s.height(h) > 0.03:
			return h.add(vec3{0, -0.1, -0.01})
		case math.Abs(s.hand[1]-h[1]) > 0.01:
			return vec3{h[0], h[1] + 0.04, s.hand[2]}
		}
		return h.add(vec3{0, 0.04, 0.1})
	}},
	"handle-pull-side": {gain: 25, grip: always(1), to: func(s *seen) vec3 {
		h := s.object.add(vec3{0.02})
		switch {
		case math.Abs(s.hand[1]-h[1]) > 0.04:
			return up(h, 0.2)
		case s.height(h) > 0.03:
			return h.add(vec3{0.1, 0, -0.01})
		case math.Abs(s.hand[0]-h[0]) > 0.01:
			return vec3{h[0] - 0.04, h[1], s.hand[2]}
		}
		return h.add(vec3{-0.04, 0, 0.1})
	}},
}

// otherBin is a point above the bin that bin-picking's block should come to.
var otherBin = vec3{0.12, 0.7, 0.2}

// blockRests2020 is the height at which the physics let push-back's block come to rest.
const blockRests2020 = 0.019995876328590362

// hang is how far the fingers are below the hand, in metres.
const hang = 0.045

// overPeg is where the hand is when the nut is over the peg.
func overPeg(s *seen) vec3 { return s.goal.add(vec3{0.07, 0, 0.15}) }

// turnBy is turn with a grip of its own.
func turnBy(grip float64, by vec3, d descent, push vec3) *script {
	c := turn(by, d, push)
	c.grip = always(grip)
	return c
}
