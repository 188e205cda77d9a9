//go:build mujoco && cgo

package mujoco

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// With a mass of m the ball's motor gives 3u/m; the environments must not see each other's masses, by either way of
// stepping. The ball sits off its body's origin: MuJoCo takes the inertia of simpler bodies from when it compiled.
func TestEnvironmentsHaveTheirOwnParameters(t *testing.T) {
	m, err := LoadXML(strings.Replace(ball, `size="0.1"`, `size="0.1" pos="0.2 0 0"`, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if got := m.Parameters(BodyMass, GeomFriction); !slices.Equal(got, []float64{0, 2, 1, 0.005, 0.0001}) {
		t.Fatalf("mass and friction %v", got)
	}
	c, err := m.NewChunk(3, DofDamping, BodyMass)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	prepare := func() {
		for i := range 3 {
			if err := c.Reset(i); err != nil {
				t.Fatal(err)
			}
		}
		c.Parameters(0)[2] = 0.5
		c.Parameters(2)[2] = 6
	}
	check := func(way string) {
		for i, mass := range []float64{0.5, 2, 6} {
			if v := 0.2 * (-10 + 3/mass); math.Abs(c.QVel(i)[0]-v) > 1e-12 {
				t.Errorf("%s: environment %d moves at %v, expected %v", way, i, c.QVel(i)[0], v)
			}
		}
	}
	prepare()
	ctrl := []float64{1, 1, 1}
	for range 4 {
		if err := c.Step([]bool{true, true, true}, ctrl, 5); err != nil {
			t.Fatal(err)
		}
	}
	check("chunk")
	prepare()
	if err := c.PlainLoop(slices.Repeat(ctrl, 4), 5); err != nil {
		t.Fatal(err)
	}
	check("plain loop")
	if err := c.Reset(2); err != nil || !slices.Equal(c.Parameters(2), []float64{0, 0, 2}) {
		t.Errorf("after a reset the parameters are %v, error %v", c.Parameters(2), err)
	}
	for _, bad := range [][]Field{{BodyMass, BodyMass}, {-1}, {SitePos + 1}} {
		if _, err := m.NewChunk(1, bad...); err == nil {
			t.Errorf("varying the fields %v was accepted", bad)
		}
	}
}

// A ball at rest on the floor is held by its weight, 20 N, and only a chunk that was asked knows it.
func TestContactForces(t *testing.T) {
	const floor = `<mujoco><option timestep="0.01" gravity="0 0 -10"/><worldbody><geom type="plane" size="1 1 1"/>
		<body pos="0 0 0.1"><freejoint/><geom type="sphere" size="0.1" mass="2"/></body></worldbody></mujoco>`
	_, with := newChunk(t, floor, 1)
	_, without := newChunk(t, floor, 1)
	with.ContactForces()
	for _, c := range []*Chunk{with, without} {
		if err := c.Step([]bool{true}, nil, 300); err != nil {
			t.Fatal(err)
		}
	}
	want := []float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20} // none is kept for the world
	for j, f := range with.CFrcExt(0) {
		if math.Abs(f-want[j]) > 1e-6 {
			t.Errorf("external forces %v, expected %v", with.CFrcExt(0), want)
			break
		}
	}
	if slices.ContainsFunc(without.CFrcExt(0), func(f float64) bool { return f != 0 }) {
		t.Errorf("external forces %v without having asked for them", without.CFrcExt(0))
	}
	if !slices.Equal(with.QPos(0), without.QPos(0)) {
		t.Error("asking for the forces changed the motion")
	}
	if z := with.XIPos(0)[5]; math.Abs(z-0.1) > 1e-3 {
		t.Errorf("centre of mass at %v m", z)
	}
}
