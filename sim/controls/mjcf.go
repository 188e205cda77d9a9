package controls

import (
	"fmt"
	"strings"
)

// writer writes MJCF, one element per line, indented by nesting.
type writer struct {
	text  strings.Builder
	depth int
}

func (w *writer) line(format string, a ...any) {
	w.text.WriteString(strings.Repeat("  ", w.depth))
	fmt.Fprintf(&w.text, format, a...)
	w.text.WriteByte('\n')
}

// open writes the start tag of an element; close ends it.
func (w *writer) open(format string, a ...any) {
	w.line(format, a...)
	w.depth++
}

func (w *writer) close(element string) {
	w.depth--
	w.line("</%s>", element)
}

type vec [3]float64

func (v vec) String() string { return fmt.Sprintf("%v %v %v", v[0], v[1], v[2]) }

// part is a body with what hangs on it. Lengths are in metres in the body's frame, angles in degrees.
type part struct {
	name   string
	pos    vec
	quat   string
	roots  []string // joints without limits, as MJCF attributes
	hinges []hinge
	solids []solid
	parts  []part
}

// hinge is a joint with limits.
type hinge struct {
	name         string
	axis, pos    vec
	lower, upper float64
	damping      float64 // N·m·s
	stiffness    float64 // N·m per radian
	armature     float64 // kg·m²
}

// solid is a capsule, or a sphere where from and to are the same.
type solid struct {
	name     string
	from, to vec
	radius   float64
	contact  string // MJCF attributes beside the model's defaults
}

func (w *writer) part(p part) {
	quat := ""
	if p.quat != "" {
		quat = fmt.Sprintf(` quat="%s"`, p.quat)
	}
	w.open(`<body name="%s" pos="%v"%s>`, p.name, p.pos, quat)
	for _, r := range p.roots {
		w.line(`<joint limited="false" %s/>`, r)
	}
	for _, h := range p.hinges {
		w.line(`<joint name="%s" type="hinge" axis="%v" pos="%v" limited="true" range="%v %v" damping="%v" stiffness="%v" armature="%v"/>`,
			h.name, h.axis, h.pos, h.lower, h.upper, h.damping, h.stiffness, h.armature)
	}
	for _, s := range p.solids {
		place := fmt.Sprintf(`type="capsule" fromto="%v %v"`, s.from, s.to)
		if s.from == s.to {
			place = fmt.Sprintf(`type="sphere" pos="%v"`, s.from)
		}
		if s.contact != "" {
			place += " " + s.contact
		}
		w.line(`<geom name="%s" %s size="%v"/>`, s.name, place, s.radius)
	}
	for _, child := range p.parts {
		w.part(child)
	}
	w.close("body")
}

// motor drives a joint with gear N·m per unit of control.
type motor struct {
	joint string
	gear  float64
}

// motors writes actuators with controls limited to ±limit.
func (w *writer) motors(limit float64, all []motor) {
	w.open(`<actuator>`)
	for _, m := range all {
		w.line(`<motor name="%s" joint="%s" gear="%v" ctrllimited="true" ctrlrange="%v %v"/>`, m.joint, m.joint, m.gear,
			-limit, limit)
	}
	w.close("actuator")
}
