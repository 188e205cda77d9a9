package metaworld

import "math"

// vec3 is a point or a difference of points, in metres.
type vec3 [3]float64

func (a vec3) add(b vec3) vec3   { return vec3{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a vec3) sub(b vec3) vec3   { return vec3{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func (a vec3) times(b vec3) vec3 { return vec3{a[0] * b[0], a[1] * b[1], a[2] * b[2]} }
func (a vec3) norm() float64     { return math.Sqrt(a[0]*a[0] + a[1]*a[1] + a[2]*a[2]) }

// unit is the direction of a vector that is not zero.
func (a vec3) unit() vec3 {
	n := a.norm()
	return vec3{a[0] / n, a[1] / n, a[2] / n}
}

// distance is |a-b|, xy and xz its parts in two planes.
func distance(a, b vec3) float64   { return a.sub(b).norm() }
func distanceXY(a, b vec3) float64 { d := a.sub(b); return math.Sqrt(d[0]*d[0] + d[1]*d[1]) }
func distanceXZ(a, b vec3) float64 { d := a.sub(b); return math.Sqrt(d[0]*d[0] + d[2]*d[2]) }

// single rounds to 32-bit floats, as the Python classes do with some of their constants.
func single(a vec3) vec3 {
	return vec3{float64(float32(a[0])), float64(float32(a[1])), float64(float32(a[2]))}
}

func point(s []float64) vec3 { return vec3{s[0], s[1], s[2]} }

// quat is a quaternion as an observation shows it. Meta-World shows some as MuJoCo has them (w, x, y, z), some as SciPy
// makes them of rotation matrices (x, y, z, w).
type quat [4]float64

// scipyQuat is scipy.spatial.transform.Rotation.from_matrix(m).as_quat(): Shepperd's method, which solves for the
// largest component first and leaves its sign positive.
func scipyQuat(m []float64) quat {
	var q quat
	trace := m[0] + m[4] + m[8]
	i, largest := 3, trace
	for k, d := range [3]float64{m[0], m[4], m[8]} {
		if d > largest || (i == 3 && d == largest) {
			i, largest = k, d
		}
	}
	if i == 3 {
		q = quat{m[7] - m[5], m[2] - m[6], m[3] - m[1], 1 + trace}
	} else {
		j, k := (i+1)%3, (i+2)%3
		q[i] = 1 - trace + 2*m[3*i+i]
		q[j] = m[3*j+i] + m[3*i+j]
		q[k] = m[3*k+i] + m[3*i+k]
		q[3] = m[3*k+j] - m[3*j+k]
	}
	norm := math.Sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3])
	for k := range q {
		q[k] /= norm
	}
	return q
}
