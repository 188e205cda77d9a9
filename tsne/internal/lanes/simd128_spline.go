//go:build go1.27 && goexperiment.simd && (wasm || arm64)

package lanes

import "unsafe"

// at128 is at for the first four nodes and the next, the last two of which are none and get zero.
func (p *pieces) at128(t float32) (first, rest f32x4) {
	c, x := unsafe.Pointer(&p.c), every(t)
	first, rest = load(c), load(unsafe.Add(c, 16))
	for e := uintptr(32); e < 6*32; e += 32 {
		first = first.Mul(x).Add(load(unsafe.Add(c, e)))
		rest = rest.Mul(x).Add(load(unsafe.Add(c, e+16)))
	}
	return first, rest
}

// cell is the whole parts of a point's coordinates and what is left of them.
func (a *SplineArgs) cell(i int) (ix, iy int, tx, ty float32) {
	x, y := int32(a.U[i]), int32(a.U[i+1])
	return int(x), int(y), a.U[i] - float32(x), a.U[i+1] - float32(y)
}

// corner is the grid's value two nodes before the given one.
func (a *SplineArgs) corner(ix, iy int) unsafe.Pointer {
	return unsafe.Pointer(&a.Grid[(iy-2)*a.Stride+ix-2])
}

func spread128(a *SplineArgs) {
	var wy [8]float32
	stride := 4 * uintptr(a.Stride)
	for i := 0; i < len(a.U); i += 2 {
		ix, iy, tx, ty := a.cell(i)
		first, rest := splineValue.at128(ty)
		store(unsafe.Pointer(&wy), first)
		store(unsafe.Pointer(&wy[4]), rest)
		first, rest = splineValue.at128(tx)
		at := a.corner(ix, iy)
		for _, w := range wy[:6] {
			w := every(w)
			add(at, w.Mul(first))
			add(unsafe.Add(at, 16), w.Mul(rest))
			at = unsafe.Add(at, stride)
		}
	}
}

func gather128(a *SplineArgs) {
	var wy, dy [8]float32
	stride := 4 * uintptr(a.Stride)
	for i := 0; i < len(a.U); i += 2 {
		ix, iy, tx, ty := a.cell(i)
		first, rest := splineValue.at128(ty)
		store(unsafe.Pointer(&wy), first)
		store(unsafe.Pointer(&wy[4]), rest)
		first, rest = splineSlope.at128(ty)
		store(unsafe.Pointer(&dy), first)
		store(unsafe.Pointer(&dy[4]), rest)
		var v0, v1, s0, s1 f32x4
		at := a.corner(ix, iy)
		for r := range 6 {
			w, d := every(wy[r]), every(dy[r])
			f, g := load(at), load(unsafe.Add(at, 16))
			v0, v1 = v0.Add(w.Mul(f)), v1.Add(w.Mul(g))
			s0, s1 = s0.Add(d.Mul(f)), s1.Add(d.Mul(g))
			at = unsafe.Add(at, stride)
		}
		wx0, wx1 := splineValue.at128(tx)
		dx0, dx1 := splineSlope.at128(tx)
		self := a.selfAt(tx, ty)
		out := a.Out[2*i : 2*i+4 : 2*i+4]
		out[0] = byHalves(v0.Mul(wx0).Add(v1.Mul(wx1))) - self.GetElem(0)
		out[1] = byHalves(v0.Mul(dx0).Add(v1.Mul(dx1))) - self.GetElem(1)
		out[2] = byHalves(s0.Mul(wx0).Add(s1.Mul(wx1))) - self.GetElem(2)
	}
}

// byHalves sums four lanes, the upper two onto the lower first.
func byHalves(x f32x4) float32 {
	return (x.GetElem(0) + x.GetElem(2)) + (x.GetElem(1) + x.GetElem(3))
}

// selfAt is Self at a place in its cell.
func (a *SplineArgs) selfAt(tx, ty float32) f32x4 {
	ux, uy := tx*SelfSteps, ty*SelfSteps
	ix, iy := int32(ux), int32(uy)
	fx, fy := every(ux-float32(ix)), every(uy-float32(iy))
	at := 4 * (int(iy)*(SelfSteps+1) + int(ix))
	p, q := unsafe.Pointer(&a.Self[at]), unsafe.Pointer(&a.Self[at+4*(SelfSteps+1)])
	s, t := load(p), load(q)
	s = fx.Mul(load(unsafe.Add(p, 16)).Sub(s)).Add(s)
	t = fx.Mul(load(unsafe.Add(q, 16)).Sub(t)).Add(t)
	return fy.Mul(t.Sub(s)).Add(s)
}
