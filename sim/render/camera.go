package render

import (
	"fmt"
	"math"

	"nacre/sim/scene"
)

// camera is an eye and the picture plane at distance 1 before it.
type camera struct {
	eye                vec
	right, up, forward vec
	pixel              float64 // width of a pixel on the picture plane
	width, height      int
}

func newCamera(v scene.View, width, height int) (*camera, error) {
	if !(v.Distance > 0) || !(v.Angle > 0 && v.Angle < 170) || math.Abs(v.Elevation) > 90 ||
		math.IsInf(v.Distance, 0) ||
		math.IsNaN(v.Azimuth+v.Elevation+v.Target[0]+v.Target[1]+v.Target[2]) {
		return nil, fmt.Errorf("render: view of %v at azimuth %v°, distance %v, elevation %v° and angle %v°; "+
			"expected numbers, a positive distance, an elevation in [-90,90] and an angle in (0,170)",
			v.Target, v.Azimuth, v.Distance, v.Elevation, v.Angle)
	}
	sinA, cosA := math.Sincos(v.Azimuth * math.Pi / 180)
	sinE, cosE := math.Sincos(v.Elevation * math.Pi / 180)
	back := vec{cosA * cosE, sinA * cosE, sinE}
	c := &camera{
		eye: vecOf(v.Target).add(back.mul(v.Distance)), forward: back.mul(-1), right: vec{-sinA, cosA, 0},
		pixel: 2 * math.Tan(v.Angle*math.Pi/360) / float64(height), width: width, height: height,
	}
	c.up = c.right.cross(c.forward)
	return c, nil
}

// ray is the direction from the eye through the picture at x to the right and y down, in pixels.
func (c *camera) ray(x, y float64) vec {
	return c.forward.
		add(c.right.mul((x - float64(c.width)/2) * c.pixel)).
		add(c.up.mul((float64(c.height)/2 - y) * c.pixel)).unit()
}

// Project returns the pixel at which the view v shows a point of the world, in a picture of width by height pixels,
// counted from the upper left corner. It also returns the depth, the point's distance in front of the eye. Behind the
// eye, depth is not positive.
func Project(v scene.View, width, height int, point [3]float64) (x, y, depth float64, err error) {
	c, err := newCamera(v, width, height)
	if err != nil {
		return 0, 0, 0, err
	}
	p := vecOf(point).sub(c.eye)
	depth = p.dot(c.forward)
	return float64(width)/2 + p.dot(c.right)/(depth*c.pixel), float64(height)/2 - p.dot(c.up)/(depth*c.pixel),
		depth, nil
}

// span returns the pixels [x0,x1)×[y0,y1) that a sphere can cover.
func (c *camera) span(centre vec, radius float64) (x0, y0, x1, y1 int) {
	p := centre.sub(c.eye)
	depth := p.dot(c.forward)
	lx, hx := c.shadowOf(p.dot(c.right), depth, radius)
	ly, hy := c.shadowOf(-p.dot(c.up), depth, radius)
	limit := func(v float64, size int) int { return int(clamp(v+float64(size)/2, 0, float64(size))) }
	return limit(math.Floor(lx), c.width), limit(math.Floor(ly), c.height), limit(math.Ceil(hx)+1, c.width),
		limit(math.Ceil(hy)+1, c.height)
}

// shadowOf is the interval, in pixels from the picture's middle, covered by a circle at x to the side and depth ahead.
func (c *camera) shadowOf(x, depth, radius float64) (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	distance := math.Hypot(x, depth)
	if distance <= radius {
		if depth < -radius {
			return 0, 0
		}
		return low, high
	}
	middle, half := math.Atan2(x, depth), math.Asin(radius/distance)
	if a := middle - half; a > -math.Pi/2 {
		low = math.Tan(min(a, math.Pi/2-1e-9)) / c.pixel
	}
	if a := middle + half; a < math.Pi/2 {
		high = math.Tan(max(a, -math.Pi/2+1e-9)) / c.pixel
	}
	return low, high
}

// Follow returns the view of every frame of r. It is the scene's view, but its target moves in the plane with the solid
// View.Follow. This movement is smoothed over half a second so that the picture does not shake.
func Follow(r *scene.Film) []scene.View { return follow(r, r.Scene.View) }

func follow(r *scene.Film, v scene.View) []scene.View {
	views := make([]scene.View, r.Frames())
	for t := range views {
		views[t] = v
	}
	if v.Follow < 0 || r.Frames() == 0 {
		return views
	}
	width := max(0.25/r.Scene.Interval, 1e-3) // standard deviation in frames
	reach := int(math.Ceil(3 * width))
	start := r.Frame(0)[v.Follow]
	for t := range views {
		var x, y, total float64
		for k := t - reach; k <= t+reach; k++ {
			// Beyond its ends the motion continues as its mirror image, so that the first and the last view are
			// centred.
			at, sign := k, 1.
			var about scene.Pose
			switch last := r.Frames() - 1; {
			case k < 0:
				at, sign, about = min(-k, last), -1, start
			case k > last:
				at, sign, about = max(2*last-k, 0), -1, r.Frame(last)[v.Follow]
			}
			p := r.Frame(at)[v.Follow]
			px, py := float64(p[0]), float64(p[1])
			if sign < 0 {
				px, py = 2*float64(about[0])-px, 2*float64(about[1])-py
			}
			w := math.Exp(-0.5 * float64(k-t) * float64(k-t) / (width * width))
			x, y, total = x+w*px, y+w*py, total+w
		}
		views[t].Target[0] += x/total - float64(start[0])
		views[t].Target[1] += y/total - float64(start[1])
	}
	return views
}
