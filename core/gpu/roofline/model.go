package roofline

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"nacre/core/gpu"
)

// Options say how a schedule is run.
type Options struct {
	Precision string `json:"precision"` // precision of products, one of cuda.Precisions; empty is fp32
	// number of memories, for instance one per seed, for which every launch does the same; 0 means 1
	Memories int `json:"memories"`

	Drawing *gpu.Drawing `json:"-"` // how an update draws its data; nil if data are given to it
}

// Model holds the times of a schedule on a card, in µs.
type Model struct {
	Card    Card    `json:"card"`
	Options Options `json:"options"`
	Program string  `json:"program"`
	Total   float64 `json:"total_us"` // time if the branches run at the same time and share the card
	// the same if data are given, not drawn; to be compared with Compiler
	Given    float64 `json:"given_us"`
	Critical float64 `json:"critical_us"` // time of the longest path, if its launches need not share the card
	Serial   float64 `json:"serial_us"`   // time if one launch runs after the other
	PerSeed  float64 `json:"per_seed_us"` // Total divided by the number of memories
	// time by a compiler for arrays, such as XLA, for one memory and without drawing
	Compiler float64  `json:"compiler_us"`
	Fused    float64  `json:"fused_us"`              // the same, if that compiler adds biases within products
	Measured float64  `json:"measured_us,omitempty"` // like Serial, but measured on a GPU
	Launches []Launch `json:"launches"`

	pl    *gpu.Schedule
	first int // index of the schedule's first launch
}

// Launch is one launch of a schedule, with its times.
type Launch struct {
	Number int     `json:"number"`
	What   string  `json:"what"`
	Kernel string  `json:"kernel"` // see Model.Name
	Branch int     `json:"branch"`
	After  []int   `json:"after"`
	Alone  float64 `json:"alone_us"`
	Share  float64 `json:"roofline_share"` // the time at peak rates, divided by Alone
	// the reason for the time Alone: products, bytes, instructions, latency or start
	Bound    string  `json:"bound"`
	FLOPs    int64   `json:"flops"`
	Bytes    int64   `json:"bytes"`
	Begin    float64 `json:"begin_us"`
	End      float64 `json:"end_us"`
	Critical bool    `json:"critical"` // whether it lies on the longest path through the graph
	// time measured on a GPU; it includes the gap to the next launch, which Alone does not; 0 if there was no
	// measurement
	Measured float64 `json:"measured_us,omitempty"`

	cost cost
}

// New models a schedule.
func New(pl *gpu.Schedule, card Card, o Options) *Model {
	o.Memories = max(1, o.Memories)
	m := &Model{Card: card, Options: o, Program: pl.Program.Name, pl: pl}
	var after []Launch
	if o.Drawing != nil {
		m.Launches, after = m.drawing(o.Drawing)
		m.first = len(m.Launches)
	}
	for i, u := range pl.Units {
		flops, n := pl.Work(u)
		l := Launch{Number: m.first + i, What: pl.Describe(u), Branch: u.Branch, FLOPs: flops * int64(o.Memories),
			Bytes: n * int64(o.Memories), cost: m.cost(pl, u)}
		if m.first > 0 { // it waits until inputs are filled
			l.After = append(l.After, o.Memories-1)
		}
		for _, d := range u.Deps {
			l.After = append(l.After, m.first+d)
		}
		m.Launches = append(m.Launches, l)
	}
	all := len(m.Launches)
	for _, l := range after {
		l.Number = len(m.Launches)
		for i := range all {
			l.After = append(l.After, i)
		}
		m.Launches = append(m.Launches, l)
	}
	for i := range m.Launches {
		l := &m.Launches[i]
		l.Alone, l.Share, l.Bound = l.cost.alone, l.cost.ideal/l.cost.alone, l.cost.bound
		m.Serial += l.Alone + card.Gap
	}
	m.critical()
	m.schedule()
	m.PerSeed, m.Given = m.Total/float64(o.Memories), m.Total
	if o.Drawing != nil {
		o.Drawing = nil
		m.Given = New(pl, card, o).Total
	}
	// A compiler for arrays does not make the copies of this schedule.
	plain, err := gpu.New(pl.Program, gpu.Options{Vectors: true})
	if err != nil {
		plain = pl
	}
	one := &Model{Card: card, Options: Options{Precision: o.Precision, Memories: 1}, pl: plain}
	if o.Precision == "tf32x3" {
		one.Options.Precision = "fp32"
	}
	m.Compiler, m.Fused = one.compiler()
	return m
}

// Name sets the names of the launches' kernels, one by one. For an empty name it takes the kind of the launch: product,
// step or tick.
func (m *Model) Name(kernels []string) {
	for i, name := range kernels {
		u := m.pl.Units[i]
		switch {
		case name != "":
		case u.Product != nil:
			name = "product"
		case u.Steps != nil:
			name = "step"
		default:
			name = "tick"
		}
		m.Launches[m.first+i].Kernel = name
	}
}

// Measure adds the times that the launches took on a GPU, one by one, in µs.
func (m *Model) Measure(us []float64) error {
	if len(us) != len(m.Launches) {
		return fmt.Errorf("roofline: %d times of %d launches", len(us), len(m.Launches))
	}
	for i := range us {
		m.Launches[i].Measured = us[i]
		m.Measured += us[i]
	}
	return nil
}

// critical finds the longest path.
func (m *Model) critical() {
	end := make([]float64, len(m.Launches))
	from := make([]int, len(m.Launches))
	last := 0
	for i, l := range m.Launches {
		from[i] = -1
		for _, d := range l.After {
			if from[i] < 0 || end[d] > end[from[i]] {
				from[i] = d
			}
		}
		if from[i] >= 0 {
			end[i] = end[from[i]]
		}
		end[i] += l.Alone + m.Card.Gap
		if end[i] > end[last] {
			last = i
		}
	}
	if len(end) == 0 {
		return
	}
	m.Critical = end[last]
	for i := last; i >= 0; i = from[i] {
		m.Launches[i].Critical = true
	}
}

// schedule lets the launches of all branches run. A launch begins when the launches on which it depends and the last
// launch of its branch are done. Running launches share bandwidth, and multiprocessors: first come, first served.
func (m *Model) schedule() {
	const idle, running, done = 0, 1, 2
	state := make([]int, len(m.Launches))
	left := make([]float64, len(m.Launches))  // share of the launch's work that is left
	ready := make([]float64, len(m.Launches)) // time at which its start is over
	var order []int                           // indices of the running launches
	now, finished := 0.0, 0
	for finished < len(m.Launches) {
		for i := range m.Launches {
			l := &m.Launches[i]
			if state[i] == idle && m.free(i, state, done) {
				state[i], left[i], l.Begin, ready[i] = running, 1, now, now+m.Card.Gap+m.Card.Start
				order = append(order, i)
			}
		}
		// Rates until the next event.
		free, traffic := float64(m.Card.SMs), 0.0
		rate := make([]float64, len(order))
		for k, i := range order {
			c := m.Launches[i].cost
			if now < ready[i] {
				continue
			}
			got := min(free, float64(c.workers))
			free -= got
			busy := max(c.alone-m.Card.Start, 1e-6)
			rate[k] = got / float64(c.workers) / busy
			if c.tensors && len(order) > 1 {
				rate[k] *= crowded
			}
			traffic += c.bytes * rate[k] / 1e6
		}
		if traffic > m.Card.CacheRate {
			for k := range rate {
				rate[k] *= m.Card.CacheRate / traffic
			}
		}
		step := math.Inf(1)
		for k, i := range order {
			if now < ready[i] {
				step = min(step, ready[i]-now)
			} else if rate[k] > 0 {
				step = min(step, left[i]/rate[k])
			}
		}
		now += step
		rest := order[:0:0]
		for k, i := range order {
			left[i] -= rate[k] * step
			if left[i] > 1e-9 {
				rest = append(rest, i)
				continue
			}
			state[i], m.Launches[i].End = done, now
			finished++
		}
		order = rest
	}
	m.Total = now
}

// free reports whether launch i may begin.
func (m *Model) free(i int, state []int, done int) bool {
	for _, d := range m.Launches[i].After {
		if state[d] != done {
			return false
		}
	}
	for j := range i {
		if m.Launches[j].Branch == m.Launches[i].Branch && state[j] != done {
			return false
		}
	}
	return true
}

// compiler models the same program by a compiler for arrays, such as XLA in a scan. One kernel runs after the other.
// Matrix products are those of the same library, without epilogues, with operands as they lie. Every epilogue is a
// kernel that reads and writes the product. Every other launch of the schedule runs at the cache's bandwidth, as one
// kernel for every two results. The optimiser steps four parameters at a time. The model is kinder to such a compiler
// than to the schedule: its sums never wait. fused is the time if biases, with a ReLU behind them, are epilogues of the
// products, as XLA does where it finds the pattern.
func (m *Model) compiler() (us, fused float64) {
	each := m.Card.Gap + m.Card.Start
	bandwidth := m.Card.CacheRate * 1e6
	epilogues := 0.0
	for _, u := range m.pl.Units {
		_, n := m.pl.Work(u)
		launches := 1
		switch {
		case u.Product != nil:
			busy, _ := m.product(u.Product)
			us += busy + float64(n)/bandwidth
			if u.Product.Bias >= 0 {
				launches++
				busy := 8 * float64(u.Product.M*u.Product.N) / bandwidth
				us += busy
				epilogues += busy + each
			}
		case u.Kernel != nil:
			launches = gpu.CeilDiv(len(u.Kernel.Writes), 2)
			us += max(m.Card.Latency, float64(n)/bandwidth)
		case u.Steps != nil:
			launches = max(1, gpu.CeilDiv(parameters(u), 4))
			us += float64(n) / bandwidth
		}
		us += each * float64(launches)
	}
	return us, us - epilogues
}

// String lists the launches and the sums.
func (m *Model) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on a modelled %s: %.0f µs on branches, %.0f µs on the critical path, %.0f µs one by one; on "+
		"given data %.0f µs, by a compiler for arrays %.0f µs, with fused biases %.0f µs\n",
		m.Program, m.Card.Title, m.Total, m.Critical, m.Serial, m.Given, m.Compiler, m.Fused)
	if n := m.Options.Memories; n > 1 {
		fmt.Fprintf(&b, "of %d seeds as one program, %.0f µs each\n", n, m.PerSeed)
	}
	measured := ""
	if m.Measured > 0 {
		fmt.Fprintf(&b, "measured one by one %.0f µs\n", m.Measured)
		measured = "measured  "
	}
	fmt.Fprintf(&b, "launch  begin    end  alone  %sroof  bound         kernel    * on the critical path\n", measured)
	for _, l := range m.Launches {
		if m.Measured > 0 {
			measured = fmt.Sprintf("%8.2f  ", l.Measured)
		}
		fmt.Fprintf(&b, "%6d %6.1f %6.1f %6.2f  %s%3.0f%%  %-12s  %-9s %s %s\n", l.Number, l.Begin, l.End, l.Alone,
			measured, 100*l.Share, l.Bound, l.Kernel,
			map[bool]string{true: "*", false: " "}[l.Critical], l.What)
	}
	return b.String()
}

// DOT writes the graph in Graphviz's language. A launch has its number, its time alone and its bound.
func (m *Model) DOT() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %q {\n  node [shape=box];\n", m.Program)
	for _, l := range m.Launches {
		style := ""
		if l.Critical {
			style = ", style=bold"
		}
		what, _, _ := strings.Cut(l.What, ";")
		if r := []rune(what); len(r) > 60 {
			what = string(r[:60]) + "…"
		}
		fmt.Fprintf(&b, "  n%d [label=%q%s];\n", l.Number, fmt.Sprintf("%d %s: %s\n%.1f µs, %s", l.Number, l.Kernel,
			what, l.Alone, l.Bound), style)
		for _, d := range l.After {
			edge := ""
			if l.Critical && m.Launches[d].Critical {
				edge = " [style=bold]"
			}
			fmt.Fprintf(&b, "  n%d -> n%d%s;\n", d, l.Number, edge)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// Longest returns the n launches that take longest alone, the longest first.
func (m *Model) Longest(n int) []Launch {
	out := slices.Clone(m.Launches)
	slices.SortStableFunc(out, func(a, b Launch) int { return cmp.Compare(b.Alone, a.Alone) })
	return out[:min(n, len(out))]
}
