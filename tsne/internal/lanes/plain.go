package lanes

import "math"

var plain = Set{
	Name: "go", Repel: repel, Attract: attract, Near: nearest,
	Forward: [5]func(*StageArgs){2: forward2, 3: forward3, 4: forward4},
	Inverse: [5]func(*StageArgs){2: inverse2, 3: inverse3, 4: inverse4},
	Scale:   scale, Split: split, Join: join, Transpose: transpose, Spread: spread, Gather: gather, Move: move,
}

// repel keeps the others twice over, one after the other, so that lane l meets place l+r in step r. What they receive
// at place m moves on to m+16 with the step after which lanes meet them there.
func repel(a *RepelArgs) {
	x, y, fx, fy, z := *a.X, *a.Y, *a.FX, *a.FY, *a.Z
	ox, oy := vecs(a.OX, a.Count), vecs(a.OY, a.Count)
	ofx, ofy := vecs(a.OFX, a.Count), vecs(a.OFY, a.Count)
	var px, py, gx, gy [2 * Width]float32
	for g := range ox {
		for l := range Width {
			px[l], py[l], px[l+Width], py[l+Width] = ox[g][l], oy[g][l], ox[g][l], oy[g][l]
		}
		copy(gx[:], ofx[g][:])
		copy(gy[:], ofy[g][:])
		for r := range Width {
			if r > 0 {
				gx[r+Width-1], gy[r+Width-1] = gx[r-1], gy[r-1]
			}
			qx, qy, hx, hy := (*Vec)(px[r:]), (*Vec)(py[r:]), (*Vec)(gx[r:]), (*Vec)(gy[r:])
			for l := range Width {
				dx, dy := x[l]-qx[l], y[l]-qy[l]
				w := 1 / (float32(dx*dx) + float32(dy*dy) + 1)
				z[l] += w
				w = float32(w * w)
				dx, dy = float32(w*dx), float32(w*dy)
				fx[l] += dx
				fy[l] += dy
				hx[l] -= dx
				hy[l] -= dy
			}
		}
		copy(ofx[g][:Width-1], gx[Width:])
		copy(ofy[g][:Width-1], gy[Width:])
		ofx[g][Width-1], ofy[g][Width-1] = gx[Width-1], gy[Width-1]
	}
	*a.FX, *a.FY, *a.Z = fx, fy, z
}

func attract(a *AttractArgs) {
	for r := range len(a.Ptr) - 1 {
		x, y := a.Own[2*r], a.Own[2*r+1]
		var fx, fy Vec
		for g := Width * int(a.Ptr[r]); g < Width*int(a.Ptr[r+1]); g += Width {
			col, val := (*[Width]int32)(a.Col[g:]), (*Vec)(a.Val[g:])
			for l, c := range col {
				at := (*[2]float32)(a.Y[2*c:])
				dx, dy := x-at[0], y-at[1]
				w := val[l] / (float32(dx*dx) + float32(dy*dy) + 1)
				fx[l] += float32(w * dx)
				fy[l] += float32(w * dy)
			}
		}
		a.Out[2*r], a.Out[2*r+1] = halves(&fx), halves(&fy)
	}
}

// halves sums the lanes: the upper half onto the lower, until one is left.
func halves(v *Vec) float32 {
	s := *v
	for n := Width / 2; n > 0; n /= 2 {
		for l := range n {
			s[l] += s[l+n]
		}
	}
	return s[0]
}

func nearest(a *NearArgs) {
	a.Out = [4]Vec{}
	q := a.Q[:4*len(a.Block)]
	for d := range a.Block {
		b := &a.Block[d]
		for i, v := range q[4*d : 4*d+4] {
			out := &a.Out[i]
			for l, x := range b {
				e := v - x
				out[l] += float32(e * e)
			}
		}
	}
	for i := range a.Out {
		m := uint32(0)
		for l, v := range a.Out[i] {
			if v < a.Limit[i] {
				m |= 1 << l
			}
		}
		a.Mask[i] = m
	}
}

// splineValue and splineSlope are the six pieces of the B-spline of order 6 and of its derivative that reach a point
// at t in [0, 1) of a cell, from node −2 on: polynomials in t, the highest power first, one piece per lane.
var splineValue, splineSlope = splinePieces()

type pieces struct{ c [6][8]float32 }

func splinePieces() (value, slope *pieces) {
	p := [6][6]float64{ // ×1/120, from the constant up
		{1, -5, 10, -10, 5, -1},
		{26, -50, 20, 20, -20, 5},
		{66, 0, -60, 0, 30, -10},
		{26, 50, 20, -20, -20, 10},
		{1, 5, 10, 10, 5, -5},
		{0, 0, 0, 0, 0, 1},
	}
	value, slope = &pieces{}, &pieces{}
	for k, c := range p {
		for e, v := range c {
			value.c[5-e][k] = float32(v / 120)
			if e > 0 {
				slope.c[6-e][k] = float32(v * float64(e) / 120)
			}
		}
	}
	return value, slope
}

func (p *pieces) at(t float32, out *[6]float32) {
	for k := range out {
		v := float32(p.c[0][k]*t) + p.c[1][k]
		v = float32(v*t) + p.c[2][k]
		v = float32(v*t) + p.c[3][k]
		v = float32(v*t) + p.c[4][k]
		out[k] = float32(v*t) + p.c[5][k]
	}
}

// Spline returns the weights of nodes −2 … 3 for a point at t in [0, 1] past node 0, and their slopes.
func Spline(t float32) (value, slope [6]float32) {
	splineValue.at(t, &value)
	splineSlope.at(t, &slope)
	return value, slope
}

func spread(a *SplineArgs) {
	var wx, wy [6]float32
	for i := 0; i < len(a.U); i += 2 {
		ix, iy := int32(a.U[i]), int32(a.U[i+1])
		splineValue.at(a.U[i]-float32(ix), &wx)
		splineValue.at(a.U[i+1]-float32(iy), &wy)
		at := (int(iy)-2)*a.Stride + int(ix) - 2
		for _, w := range wy {
			row := (*[6]float32)(a.Grid[at : at+6])
			for k, v := range wx {
				row[k] += float32(w * v)
			}
			at += a.Stride
		}
	}
}

func gather(a *SplineArgs) {
	var wx, wy, dx, dy [6]float32
	for i := 0; i < len(a.U); i += 2 {
		ix, iy := int32(a.U[i]), int32(a.U[i+1])
		tx, ty := a.U[i]-float32(ix), a.U[i+1]-float32(iy)
		splineValue.at(tx, &wx)
		splineSlope.at(tx, &dx)
		splineValue.at(ty, &wy)
		splineSlope.at(ty, &dy)
		at := (int(iy)-2)*a.Stride + int(ix) - 2
		var v, s [6]float32
		for r := range 6 {
			row := (*[6]float32)(a.Grid[at : at+6])
			for k, f := range row {
				v[k] += float32(wy[r] * f)
				s[k] += float32(dy[r] * f)
			}
			at += a.Stride
		}
		self := selfAt(a.Self, tx, ty)
		out := a.Out[2*i : 2*i+4 : 2*i+4]
		out[0] = dot6(&v, &wx) - self[0]
		out[1] = dot6(&v, &dx) - self[1]
		out[2] = dot6(&s, &wx) - self[2]
	}
}

// dot6 sums in the order in which eight lanes, the last two zero, are added by halves.
func dot6(a, b *[6]float32) float32 {
	var p [6]float32
	for k := range p {
		p[k] = float32(a[k] * b[k])
	}
	return ((p[0] + p[4]) + p[2]) + ((p[1] + p[5]) + p[3])
}

func selfAt(table []float32, tx, ty float32) (out [4]float32) {
	ux, uy := float32(tx*SelfSteps), float32(ty*SelfSteps)
	ix, iy := int32(ux), int32(uy)
	fx, fy := ux-float32(ix), uy-float32(iy)
	at := 4 * (int(iy)*(SelfSteps+1) + int(ix))
	a, b := table[at:at+8], table[at+4*(SelfSteps+1):at+4*(SelfSteps+1)+8]
	for k := range out {
		s := float32(fx*(a[k+4]-a[k])) + a[k]
		t := float32(fx*(b[k+4]-b[k])) + b[k]
		out[k] = float32(fy*(t-s)) + s
	}
	return out
}

func move(a *MoveArgs) {
	for i := 0; i < len(a.Y); i += 2 {
		var u [2]float32
		for c := range u {
			g := float32(a.Exaggeration*a.Att[i+c]) - float32(a.InvZ*a.Rep[i+c])
			old := a.Step[i+c]
			gain := a.Gain[i+c]
			if float32(g*old) < 0 {
				gain += 0.2
			} else {
				gain = max(float32(gain*0.8), 0.01)
			}
			a.Gain[i+c] = gain
			u[c] = float32(a.Momentum*old) - float32(float32(a.Rate*gain)*g)
		}
		if length := float32(u[0]*u[0]) + float32(u[1]*u[1]); length > float32(a.Clip*a.Clip) {
			f := a.Clip / float32(math.Sqrt(float64(length)))
			u[0], u[1] = float32(f*u[0]), float32(f*u[1])
		}
		a.Step[i], a.Step[i+1] = u[0], u[1]
		a.Y[i] += u[0]
		a.Y[i+1] += u[1]
	}
}
