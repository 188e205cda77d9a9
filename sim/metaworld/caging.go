package metaworld

import (
	"cmp"
	"math"
)

// cage says how well the two pads of the gripper enclose an object, in [0, 1]. Along y each pad should be between
// radius and reach away from the object; in the plane of x and z the fingers should be within plane of it; effort is
// how far the gripper must close to count as gripping.
type cage struct {
	radius, reach, plane float64
	effort               float64           // 0 means 1
	from                 func(e *env) vec3 // where margins are measured from; nil means object0
}

func (c cage) start(e *env) vec3 {
	if c.from != nil {
		return c.from(e)
	}
	return e.object0
}

// enclosed returns the product of both conditions, and that with the gripping.
func (c cage) enclosed(e *env, o vec3) (caging, gripping float64) {
	y := both(c.side(e, e.leftPad[1], o), c.side(e, e.rightPad[1], o))
	tcp := e.tcp()
	margin := distanceXZ(c.start(e), e.tcp0) - c.plane
	caging = both(y, within(distanceXZ(tcp, o), c.plane, margin))
	grip := 0.0
	if caging > 0.97 {
		effort := cmp.Or(c.effort, 1)
		grip = clamp(e.act[3], 0, effort) / effort
	}
	return caging, both(caging, grip)
}

// side is the tolerance of one pad. Its margin shrinks from the start towards reach.
func (c cage) side(e *env, pad float64, o vec3) float64 {
	margin := math.Abs(math.Abs(pad-c.start(e)[1]) - c.reach)
	return tail(math.Abs(pad-o[1]), c.radius, c.reach, margin)
}

// plain rewards caging and gripping together.
func (c cage) plain(e *env, o vec3) float64 {
	_, gripping := c.enclosed(e, o)
	return gripping
}

// dense is Meta-World's high density: the mean of caging alone and with gripping.
func (c cage) dense(e *env, o vec3) float64 {
	caging, gripping := c.enclosed(e, o)
	return (gripping + caging) / 2
}

// medium is Meta-World's medium density: the mean of gripping and of the fingers being within radius of the object.
func (c cage) medium(e *env, o vec3, radius float64) float64 {
	_, gripping := c.enclosed(e, o)
	margin := math.Abs(distance(c.start(e), e.tcp0) - radius)
	near := within(distance(o, e.tcp()), radius, margin)
	return (gripping + near) / 2
}

// signedSides are the tolerances of families with a caging of their own: the signed distances from the pads inwards to
// the object, left and right, in [low, high], with margins from where the pads are now: Meta-World keeps for "the pads
// at reset" references to the present ones. margin is 5 cm.
func signedSides(e *env, o vec3, low, high float64) (left, right float64) {
	const margin = 0.05
	l, r := e.leftPad[1], e.rightPad[1]
	right = tail(o[1]-r, low, high, math.Abs(math.Abs(o[1]-r)-margin))
	left = tail(l-o[1], low, high, math.Abs(math.Abs(o[1]-l)-margin))
	return left, right
}

// signedPlane is the tolerance of the fingers in the plane of x and z.
func signedPlane(e *env, o vec3, plane float64) float64 {
	margin := distanceXZ(e.object0, e.tcp0) - plane
	return within(distanceXZ(e.tcp(), o), plane, margin)
}
