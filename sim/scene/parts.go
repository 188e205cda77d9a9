package scene

import "math"

// Families share these colours, so that their pictures look alike.
var (
	Floor = Color{0.90, 0.905, 0.91, 1}
	Pearl = Color{0.93, 0.90, 0.86, 1} // bodies
	Blue  = Color{0.30, 0.45, 0.69, 1} // what acts; the right or the front if sides differ
	Sand  = Color{0.87, 0.62, 0.42, 1} // the left or the back
	Slate = Color{0.36, 0.42, 0.49, 1} // machines
	Goal  = Color{0.20, 0.62, 0.50, 1} // goals
	Path  = Color{0.62, 0.66, 0.70, 1} // lines on the floor
)

// Arc is a flat ring around the origin, seen from above, from radius inner to outer and over an angle in degrees from
// the x axis towards y.
func Arc(name string, inner, outer, degrees float64) Triangles {
	m := Triangles{Name: name}
	n := int(math.Ceil(degrees / 3))
	for i := range n + 1 {
		sin, cos := math.Sincos(degrees * math.Pi / 180 * float64(i) / float64(n))
		m.Vertices = append(m.Vertices, [3]float32{float32(inner * cos), float32(inner * sin)},
			[3]float32{float32(outer * cos), float32(outer * sin)})
		if k := int32(2 * i); i > 0 {
			m.Faces = append(m.Faces, [3]int32{k - 2, k - 1, k}, [3]int32{k, k - 1, k + 1})
		}
	}
	return m
}

// Arrow is a flat arrow along x, seen from above, from the origin to (length, 0).
func Arrow(name string, length, width float64) Triangles {
	shaft, half, head := float32(length-2*width), float32(width/2), float32(width)
	return Triangles{
		Name: name,
		Vertices: [][3]float32{
			{0, -half}, {shaft, -half}, {shaft, half}, {0, half}, {shaft, -head}, {float32(length), 0}, {shaft, head},
		},
		Faces: [][3]int32{{0, 1, 2}, {0, 2, 3}, {4, 5, 6}},
	}
}
