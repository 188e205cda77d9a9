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

// Two ellipsoids, which rest on a box in contacts that only a convex algorithm finds.
const pebbles = `<mujoco><worldbody>
	<geom type="box" size="1 1 0.1"/>
	<body name="first" pos="0 0 0.2"><freejoint/><geom type="ellipsoid" size="0.1 0.07 0.05"/></body>
	<body name="second" pos="0.5 0 0.2"><freejoint/><geom type="ellipsoid" size="0.1 0.07 0.05"/></body>
</worldbody></mujoco>`

// settle returns the positions of the pebbles after a second, with what was set in their model.
func settle(t *testing.T, set func(m *Model)) []float64 {
	t.Helper()
	m, err := LoadXML(pebbles)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	set(m)
	c, err := m.NewChunk(1)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Reset(0); err != nil {
		t.Fatal(err)
	}
	if err := c.Advance(0, 500); err != nil {
		t.Fatal(err)
	}
	return slices.Clone(c.QPos(0))
}

// A body that gravity does not act on stays where it is; with libccd a pebble comes to rest at the same height, half
// its own above the box, by other numbers.
func TestModelSettings(t *testing.T) {
	usual := settle(t, func(*Model) {})
	held := settle(t, func(m *Model) {
		body, err := m.Body("second")
		if err != nil {
			t.Fatal(err)
		}
		m.CompensateGravity(body)
		m.CompensateGravity(body)
	})
	if math.Abs(held[7+2]-0.2) > 1e-12 || math.Abs(held[2]-0.15) > 1e-3 || math.Abs(usual[7+2]-0.15) > 1e-3 {
		t.Errorf("heights %v, %v and %v; expected 0.2 of the body that is held and 0.15 of others", held[7+2], held[2],
			usual[7+2])
	}
	other := settle(t, (*Model).DisableNativeCCD)
	if math.Abs(other[2]-0.15) > 1e-3 || slices.Equal(other, usual) {
		t.Errorf("with libccd at %v, without at %v; expected a height of 0.15 and other digits", other[:3], usual[:3])
	}
}
