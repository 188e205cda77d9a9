//go:build go1.27 && goexperiment.simd && (wasm || arm64)

package lanes

import (
	"simd/archsimd"
	"unsafe"
)

// native lists the set on vectors of 128 bits, which both architectures always have: SIMD128 in WebAssembly, NEON on
// arm64.
func native() []*Set { return []*Set{&simd128} }

var simd128 = Set{
	Name: "simd128", Repel: repel128, Attract: attract128, Near: near128,
	Forward: [5]func(*StageArgs){2: forward2x128, 3: forward3x128, 4: forward4x128},
	Inverse: [5]func(*StageArgs){2: inverse2x128, 3: inverse3x128, 4: inverse4x128},
	Scale:   scale128, Split: split128, Join: join128, Transpose: transpose128,
	Spread: spread128, Gather: gather128, Move: move128,
}

type (
	f32x4 = archsimd.Float32x4
	u32x4 = archsimd.Uint32x4
	u64x2 = archsimd.Uint64x2
)

func load(p unsafe.Pointer) f32x4     { return archsimd.LoadFloat32x4Array((*[4]float32)(p)) }
func store(p unsafe.Pointer, x f32x4) { x.StoreArray((*[4]float32)(p)) }
func every(x float32) f32x4           { return archsimd.BroadcastFloat32x4(x) }
func everyAt(p unsafe.Pointer) f32x4  { return archsimd.BroadcastFloat32x4(*(*float32)(p)) }

// add adds x to the four values from p on.
func add(p unsafe.Pointer, x f32x4) { store(p, load(p).Add(x)) }

// halvesOf are the bits of x as two numbers, each of a pair of lanes: what shifts move from lane to lane.
func halvesOf(x f32x4) u64x2 { return x.ToBits().ReshapeToUint64s() }

func lanesOf(x u64x2) f32x4 { return x.ReshapeToUint32s().BitsToFloat32() }

// swapPairs exchanges lanes 0 and 1, and 2 and 3.
func swapPairs(x f32x4) f32x4 {
	b := halvesOf(x)
	return lanesOf(b.ShiftAllLeft(32).Or(b.ShiftAllRight(32)))
}

// evens has lanes 0, 0, 2, 2 of x, odds has 1, 1, 3, 3.
func evens(x f32x4) f32x4 {
	b := halvesOf(x).And(archsimd.BroadcastUint64x2(1<<32 - 1))
	return lanesOf(b.Or(b.ShiftAllLeft(32)))
}

func odds(x f32x4) f32x4 {
	b := halvesOf(x).And(archsimd.BroadcastUint64x2(^uint64(1<<32 - 1)))
	return lanesOf(b.Or(b.ShiftAllRight(32)))
}

// repel128 keeps the others twice over, as repel does.
func repel128(a *RepelArgs) {
	one := every(1)
	var px, py, gx, gy [2 * Width]float32
	for g := range uintptr(a.Count) {
		ox, oy := (*Vec)(unsafe.Add(unsafe.Pointer(a.OX), 64*g)), (*Vec)(unsafe.Add(unsafe.Pointer(a.OY), 64*g))
		ofx, ofy := (*Vec)(unsafe.Add(unsafe.Pointer(a.OFX), 64*g)), (*Vec)(unsafe.Add(unsafe.Pointer(a.OFY), 64*g))
		copy(px[:Width], ox[:])
		copy(px[Width:], ox[:])
		copy(py[:Width], oy[:])
		copy(py[Width:], oy[:])
		copy(gx[:Width], ofx[:])
		copy(gy[:Width], ofy[:])
		for r := range uintptr(Width) {
			if r > 0 {
				gx[r+Width-1], gy[r+Width-1] = gx[r-1], gy[r-1]
			}
			for l := uintptr(0); l < 64; l += 16 {
				m := 4*r + l
				dx := load(unsafe.Add(unsafe.Pointer(a.X), l)).Sub(load(unsafe.Add(unsafe.Pointer(&px), m)))
				dy := load(unsafe.Add(unsafe.Pointer(a.Y), l)).Sub(load(unsafe.Add(unsafe.Pointer(&py), m)))
				w := one.Div(dx.Mul(dx).Add(dy.Mul(dy)).Add(one))
				add(unsafe.Add(unsafe.Pointer(a.Z), l), w)
				w = w.Mul(w)
				dx, dy = w.Mul(dx), w.Mul(dy)
				add(unsafe.Add(unsafe.Pointer(a.FX), l), dx)
				add(unsafe.Add(unsafe.Pointer(a.FY), l), dy)
				hx, hy := unsafe.Add(unsafe.Pointer(&gx), m), unsafe.Add(unsafe.Pointer(&gy), m)
				store(hx, load(hx).Sub(dx))
				store(hy, load(hy).Sub(dy))
			}
		}
		copy(ofx[:Width-1], gx[Width:])
		copy(ofy[:Width-1], gy[Width:])
		ofx[Width-1], ofy[Width-1] = gx[Width-1], gy[Width-1]
	}
}

// attract128 has two points with both their coordinates in a vector: of four entries lanes 0 and 2, then 1 and 3. Sums
// of a pair's squares come by swapping its lanes.
func attract128(a *AttractArgs) {
	one := every(1)
	y := unsafe.Pointer(unsafe.SliceData(a.Y))
	pair := func(i, j int32) f32x4 {
		p := archsimd.BroadcastUint64x2(*(*uint64)(unsafe.Add(y, 8*uintptr(i))))
		return lanesOf(p.SetElem(1, *(*uint64)(unsafe.Add(y, 8*uintptr(j)))))
	}
	pull := func(own, other, val f32x4) f32x4 {
		d := own.Sub(other)
		s := d.Mul(d)
		return val.Div(s.Add(swapPairs(s)).Add(one)).Mul(d)
	}
	for r := range len(a.Ptr) - 1 {
		own := unsafe.Pointer(&a.Own[2*r])
		at := archsimd.BroadcastUint64x2(*(*uint64)(own))
		me := lanesOf(at)
		var e0, e1, e2, e3, o0, o1, o2, o3 f32x4
		for g := Width * int(a.Ptr[r]); g < Width*int(a.Ptr[r+1]); g += Width {
			c, v := (*[Width]int32)(a.Col[g:]), unsafe.Pointer(&a.Val[g])
			x := load(v)
			e0 = e0.Add(pull(me, pair(c[0], c[2]), evens(x)))
			o0 = o0.Add(pull(me, pair(c[1], c[3]), odds(x)))
			x = load(unsafe.Add(v, 16))
			e1 = e1.Add(pull(me, pair(c[4], c[6]), evens(x)))
			o1 = o1.Add(pull(me, pair(c[5], c[7]), odds(x)))
			x = load(unsafe.Add(v, 32))
			e2 = e2.Add(pull(me, pair(c[8], c[10]), evens(x)))
			o2 = o2.Add(pull(me, pair(c[9], c[11]), odds(x)))
			x = load(unsafe.Add(v, 48))
			e3 = e3.Add(pull(me, pair(c[12], c[14]), evens(x)))
			o3 = o3.Add(pull(me, pair(c[13], c[15]), odds(x)))
		}
		e, o := e0.Add(e2).Add(e1.Add(e3)), o0.Add(o2).Add(o1.Add(o3))
		a.Out[2*r] = (e.GetElem(0) + e.GetElem(2)) + (o.GetElem(0) + o.GetElem(2))
		a.Out[2*r+1] = (e.GetElem(1) + e.GetElem(3)) + (o.GetElem(1) + o.GetElem(3))
	}
}

// near128 takes eight points at a time, whose distances to the four queries stay in registers.
func near128(a *NearArgs) {
	n := len(a.Block)
	block, q := unsafe.Pointer(unsafe.SliceData(a.Block)), unsafe.Pointer(unsafe.SliceData(a.Q))
	for half := uintptr(0); half < 64; half += 32 {
		nearHalf(unsafe.Add(block, half), q, n, unsafe.Add(unsafe.Pointer(&a.Out), half))
	}
	for i := range a.Out {
		out, limit := unsafe.Pointer(&a.Out[i]), every(a.Limit[i])
		var below u32x4
		for l := uintptr(0); l < Width; l += 4 {
			below = below.Or(archsimd.LoadUint32x4Array((*[4]uint32)(laneBits[l:])).
				Masked(load(unsafe.Add(out, 4*l)).Less(limit)))
		}
		b := below.ReshapeToUint64s()
		m := b.GetElem(0) | b.GetElem(1)
		a.Mask[i] = uint32(m | m>>32)
	}
}

// laneBits has bit l in lane l.
var laneBits = func() (b [Width]uint32) {
	for l := range b {
		b[l] = 1 << l
	}
	return b
}()

func nearHalf(block, q unsafe.Pointer, n int, out unsafe.Pointer) {
	var s00, s01, s10, s11, s20, s21, s30, s31, e f32x4
	for range n {
		x, y := load(block), load(unsafe.Add(block, 16))
		v := everyAt(q)
		e = v.Sub(x)
		s00 = s00.Add(e.Mul(e))
		e = v.Sub(y)
		s01 = s01.Add(e.Mul(e))
		v = everyAt(unsafe.Add(q, 4))
		e = v.Sub(x)
		s10 = s10.Add(e.Mul(e))
		e = v.Sub(y)
		s11 = s11.Add(e.Mul(e))
		v = everyAt(unsafe.Add(q, 8))
		e = v.Sub(x)
		s20 = s20.Add(e.Mul(e))
		e = v.Sub(y)
		s21 = s21.Add(e.Mul(e))
		v = everyAt(unsafe.Add(q, 12))
		e = v.Sub(x)
		s30 = s30.Add(e.Mul(e))
		e = v.Sub(y)
		s31 = s31.Add(e.Mul(e))
		block, q = unsafe.Add(block, 64), unsafe.Add(q, 16)
	}
	store(out, s00)
	store(unsafe.Add(out, 16), s01)
	store(unsafe.Add(out, 64), s10)
	store(unsafe.Add(out, 80), s11)
	store(unsafe.Add(out, 128), s20)
	store(unsafe.Add(out, 144), s21)
	store(unsafe.Add(out, 192), s30)
	store(unsafe.Add(out, 208), s31)
}

func move128(a *MoveArgs) {
	exaggeration, invZ, momentum, rate := every(a.Exaggeration), every(a.InvZ), every(a.Momentum), every(a.Rate)
	clip, limit := every(a.Clip), every(a.Clip*a.Clip)
	grow, shrink, least := every(0.2), every(0.8), every(0.01)
	y, step, gain := unsafe.Pointer(unsafe.SliceData(a.Y)), unsafe.Pointer(unsafe.SliceData(a.Step)),
		unsafe.Pointer(unsafe.SliceData(a.Gain))
	att, rep := unsafe.Pointer(unsafe.SliceData(a.Att)), unsafe.Pointer(unsafe.SliceData(a.Rep))
	for i := uintptr(0); i < 4*uintptr(len(a.Y)); i += 16 {
		g := exaggeration.Mul(load(unsafe.Add(att, i))).Sub(invZ.Mul(load(unsafe.Add(rep, i))))
		old, k := load(unsafe.Add(step, i)), load(unsafe.Add(gain, i))
		k = k.Add(grow).IfElse(g.Mul(old).Less(f32x4{}), k.Mul(shrink).Max(least))
		store(unsafe.Add(gain, i), k)
		u := momentum.Mul(old).Sub(rate.Mul(k).Mul(g))
		length := u.Mul(u)
		length = length.Add(swapPairs(length))
		u = clip.Div(length.Sqrt()).Mul(u).IfElse(length.Greater(limit), u)
		store(unsafe.Add(step, i), u)
		add(unsafe.Add(y, i), u)
	}
}
