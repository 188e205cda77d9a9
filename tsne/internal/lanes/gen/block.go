package main

// block is straight-line code on values, each assigned once. Registers are given out when it is written, each free
// again after the last use of its value.
type block struct {
	lines []line
	last  []int // by value: the line of its last use
}

// line computes value dst; store lines have none.
type line struct {
	op   string
	x, y int // values, −1 for none; y may be a factor
	dst  int
	mem  string
}

func (b *block) emit(op string, x, y int, mem string) int {
	for _, v := range []int{x, y} {
		if v >= 0 {
			b.last[v] = len(b.lines)
		}
	}
	b.last = append(b.last, len(b.lines))
	b.lines = append(b.lines, line{op: op, x: x, y: y, dst: len(b.last) - 1, mem: mem})
	return len(b.last) - 1
}

func (b *block) load(mem string) int     { return b.emit("VMOVUPS", -1, -1, mem) }
func (b *block) spread(mem string) int   { return b.emit("VBROADCASTSS", -1, -1, mem) }
func (b *block) store(v int, mem string) { b.emit("", v, -1, mem) }
func (b *block) add(x, y int) int        { return b.emit("VADDPS", x, y, "") }
func (b *block) sub(x, y int) int        { return b.emit("VSUBPS", x, y, "") }
func (b *block) mul(x, y int) int        { return b.emit("VMULPS", x, y, "") }

// write gives out registers from the given one on and writes the code.
func (b *block) write(a *asm, first int) {
	count := 16
	if a.parts == 1 {
		count = 32
	}
	reg := make([]int, len(b.last))
	var free []int
	for r := count - 1; r >= first; r-- {
		free = append(free, r)
	}
	for at, l := range b.lines {
		release := func() {
			for i, v := range []int{l.x, l.y} {
				if v >= 0 && b.last[v] == at && !(i == 1 && l.y == l.x) {
					free = append(free, reg[v])
				}
			}
		}
		if l.op == "" {
			a.ins("VMOVUPS %s, %s", a.v(reg[l.x]), l.mem)
			release()
			continue
		}
		if l.y > factor(0) || a.parts == 1 {
			release()
		}
		r := free[len(free)-1]
		free = free[:len(free)-1]
		reg[l.dst] = r
		switch {
		case l.mem != "":
			a.ins("%s %s, %s", l.op, l.mem, a.v(r))
		case l.y <= factor(0) && a.parts == 1:
			a.ins("%s.BCST %d(DX), %s, %s", l.op, 4*-(l.y+2), a.v(reg[l.x]), a.v(r))
		case l.y <= factor(0):
			a.ins("VBROADCASTSS %d(DX), %s", 4*-(l.y+2), a.v(r))
			a.ins("%s %s, %s, %s", l.op, a.v(r), a.v(reg[l.x]), a.v(r))
		default:
			a.ins("%s %s, %s, %s", l.op, a.v(reg[l.y]), a.v(reg[l.x]), a.v(r))
		}
		if l.y <= factor(0) && a.parts > 1 { // x was needed until the factor had come to the register of the result
			release()
		}
		if b.last[l.dst] == at {
			free = append(free, r)
		}
	}
}

// complex is a pair of values.
type complex struct{ re, im int }

func (b *block) plus(x, y complex) complex  { return complex{b.add(x.re, y.re), b.add(x.im, y.im)} }
func (b *block) minus(x, y complex) complex { return complex{b.sub(x.re, y.re), b.sub(x.im, y.im)} }

// minusI is x − i·y, plusI is x + i·y.
func (b *block) minusI(x, y complex) complex { return complex{b.add(x.re, y.im), b.sub(x.im, y.re)} }
func (b *block) plusI(x, y complex) complex  { return complex{b.sub(x.re, y.im), b.add(x.im, y.re)} }

func (b *block) times(x, w complex) complex {
	rr, ii, ri, ir := b.mul(x.re, w.re), b.mul(x.im, w.im), b.mul(x.re, w.im), b.mul(x.im, w.re)
	return complex{b.sub(rr, ii), b.add(ri, ir)}
}

func (b *block) timesConj(x, w complex) complex {
	rr, ii, ri, ir := b.mul(x.re, w.re), b.mul(x.im, w.im), b.mul(x.re, w.im), b.mul(x.im, w.re)
	return complex{b.add(rr, ii), b.sub(ir, ri)}
}
