//go:build mujoco && cgo

package mujoco

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// crane: a block of 2 kg hangs from a weld to a mocap body at the height of 1 m; beside it a ball of 3 kg lies on the
// floor, with a site at its top. The block is turned 90 degrees about z.
const crane = `<mujoco>
  <option timestep="0.002" gravity="0 0 -10" cone="elliptic"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body name="hook" mocap="true" pos="0 0 1"/>
    <body name="block" pos="0 0 1" quat="1 0 0 1">
      <freejoint name="block"/>
      <geom name="block" type="box" size="0.1 0.1 0.1" mass="2" pos="0.01 0 0"/>
    </body>
    <include file="ball.xml"/>
  </worldbody>
  <equality><weld body1="hook" body2="block" solref="0.01 1"/></equality>
</mujoco>`

const craneBall = `<mujocoinclude>
  <body name="ball" pos="2 0 0.1">
    <joint name="up" type="slide" axis="0 0 1"/>
    <geom name="ball" type="sphere" size="0.1" mass="3"/>
    <site name="top" pos="0 0 0.1"/>
  </body>
</mujocoinclude>`

func loadCrane(t *testing.T) *Model {
	t.Helper()
	folder := t.TempDir()
	file := filepath.Join(folder, "crane.xml")
	err := errors.Join(os.WriteFile(file, []byte(crane), 0o644),
		os.WriteFile(filepath.Join(folder, "ball.xml"), []byte(craneBall), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	m, err := LoadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func craneChunk(t *testing.T, m *Model, n int, vary ...Field) *Chunk {
	t.Helper()
	c, err := m.NewChunk(n, vary...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	for j := range want {
		if len(got) != len(want) || !(math.Abs(got[j]-want[j]) <= tolerance) {
			t.Errorf("%s is %v, expected %v", what, got, want)
			return
		}
	}
}

func TestLoadFileNamesWhatIsMissing(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "crane.xml")
	if _, err := LoadFile(file); err == nil || !strings.Contains(err.Error(), "crane.xml") {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(file, []byte(crane), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadFile(file); err == nil || !strings.Contains(err.Error(), "ball.xml") {
		t.Errorf("no included file: %v", err)
	}
}

func TestNamesAndPlaces(t *testing.T) {
	m := loadCrane(t)
	if s := m.Sizes(); s != (Sizes{NQ: 8, NV: 7, NBody: 4, NGeom: 3, NSite: 1, NMocap: 1, Timestep: 0.002}) {
		t.Fatalf("sizes %+v", s)
	}
	c := craneChunk(t, m, 2)
	if err := c.Forward(1); err != nil {
		t.Fatal(err)
	}
	body, err1 := m.Body("block")
	geom, err2 := m.Geom("block")
	site, err3 := m.Site("top")
	qpos, qvel, err4 := m.Joint("up")
	if err := errors.Join(err1, err2, err3, err4); err != nil || qpos != 7 || qvel != 6 {
		t.Fatalf("joint at %d and %d, error %v", qpos, qvel, err)
	}
	half := math.Sqrt(0.5)
	turned := []float64{0, -1, 0, 1, 0, 0, 0, 0, 1} // about z, x becomes y
	near(t, "body", c.XPos(1, body), []float64{0, 0, 1}, 1e-15)
	near(t, "body's quaternion", c.XQuat(1, body), []float64{half, 0, 0, half}, 1e-15)
	near(t, "body's matrix", c.XMat(1, body), turned, 1e-15)
	near(t, "geom", c.GeomXPos(1, geom), []float64{0, 0.01, 1}, 1e-15)
	near(t, "geom's matrix", c.GeomXMat(1, geom), turned, 1e-15)
	near(t, "site", c.SiteXPos(1, site), []float64{2, 0, 0.2}, 1e-15)
	near(t, "site's matrix", c.SiteXMat(1, site), []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, 1e-15)
	for what, find := range map[string]func(string) (int, error){"body": m.Body, "geom": m.Geom, "site": m.Site} {
		if _, err := find("blokc"); err == nil || !strings.Contains(err.Error(), what+` "blokc"`) {
			t.Errorf("unknown %s: %v", what, err)
		}
	}
	if _, _, err := m.Joint("blokc"); err == nil || !strings.Contains(err.Error(), `joint "blokc"`) {
		t.Errorf("unknown joint: %v", err)
	}
}

// The hook takes the block along, 0.3 m to the side; the weld's numbers decide how far above the block it ends.
func TestMocapAndWeld(t *testing.T) {
	m := loadCrane(t)
	m.SetWelds([3]float64{}, [3]float64{0, 0, -0.05}, [4]float64{1, 0, 0, 0}, 1)
	c := craneChunk(t, m, 2)
	c.DriveMocap()
	ctrl := make([]float64, 14)
	copy(ctrl[7:], []float64{0.3, 0, 1.2, 1, 0, 0, 0})
	for range 300 {
		if err := c.Step([]bool{false, true}, ctrl, 5); err != nil {
			t.Fatal(err)
		}
	}
	block := c.XPos(1, 2)
	near(t, "hook", c.MocapPos(1), []float64{0.3, 0, 1.2}, 0)
	near(t, "hook of the environment that rests", c.MocapPos(0), []float64{0, 0, 1}, 0)
	near(t, "block beside", block[:2], []float64{0.3, 0}, 1e-3)
	if z := block[2]; !(z > 1.14 && z < 1.151) {
		t.Errorf("the block hangs at %v; expected a little below 1.15: 0.05 under the hook, and its weight", z)
	}
	if err := c.Step([]bool{true, true}, ctrl[:4], 5); err == nil || !strings.Contains(err.Error(), "7 controls") {
		t.Errorf("short controls: %v", err)
	}
}

// A ball at rest presses on the floor with its weight.
func TestTouchIsTheWeight(t *testing.T) {
	m := loadCrane(t)
	c := craneChunk(t, m, 1)
	if err := c.Advance(0, 2000); err != nil {
		t.Fatal(err)
	}
	floor, err1 := m.Geom("floor")
	ball, err2 := m.Geom("ball")
	block, err3 := m.Geom("block")
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	near(t, "force", []float64{c.Touch(0, ball, floor), c.Touch(0, floor, ball), c.Touch(0, ball, block)},
		[]float64{30, 30, 0}, 1e-6)
}

// After a step positions are a step old, after a step with forward they are not. The ball falls from a height.
func TestForwardAfterStep(t *testing.T) {
	m := loadCrane(t)
	for _, forward := range []bool{false, true} {
		c := craneChunk(t, m, 1)
		if forward {
			c.ForwardAfterStep()
		}
		c.QPos(0)[7] = 1
		if err := c.Step([]bool{true}, nil, 5); err != nil {
			t.Fatal(err)
		}
		fallen := func(n float64) float64 { return 1.1 - 10*0.002*0.002*n*(n+1)/2 }
		want := fallen(4)
		if forward {
			want = fallen(5)
		}
		near(t, "height", c.XPos(0, 3)[2:], []float64{want}, 1e-14)
	}
}

// A snapshot brings back everything, also into another chunk, and varied fields with it; what comes after is the same.
func TestSnapshots(t *testing.T) {
	m := loadCrane(t)
	a, b := craneChunk(t, m, 2, BodyPos, SitePos), craneChunk(t, m, 1, BodyPos, SitePos)
	run := func(c *Chunk, i int) []float64 {
		if err := c.Advance(i, 50); err != nil {
			t.Fatal(err)
		}
		return slices.Concat(c.QPos(i), c.QVel(i), c.SiteXPos(i, 0), c.Parameters(i))
	}
	a.Parameters(1)[3*3], a.Parameters(1)[3*4+2] = 3, 0.5 // the ball's x, the site's height above it
	a.QPos(1)[7] = 0.4
	if err := a.Advance(1, 7); err != nil {
		t.Fatal(err)
	}
	s, err := a.Save(1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want := run(a, 1)
	if x, above := a.SiteXPos(1, 0)[0], a.SiteXPos(1, 0)[2]-a.XPos(1, 3)[2]; math.Abs(x-3) > 1e-15 ||
		math.Abs(above-0.5) > 1e-15 {
		t.Errorf("the site is at x %v, %v above the ball; expected 3 and 0.5", x, above)
	}
	if x := run(a, 0)[15]; x != 2 {
		t.Errorf("the ball of the other environment is at %v, expected 2", x)
	}
	for range 2 {
		if err := errors.Join(a.Restore(1, s), b.Restore(0, s)); err != nil {
			t.Fatal(err)
		}
		if got := run(a, 1); !slices.Equal(got, want) {
			t.Errorf("restored: %v, expected %v", got, want)
		}
		if got := run(b, 0); !slices.Equal(got, want) {
			t.Errorf("restored elsewhere: %v, expected %v", got, want)
		}
	}
	a.Parameters(1)[3*3] = 4
	if err := a.ResetState(1); err != nil || a.Parameters(1)[3*3] != 4 || a.QPos(1)[7] != 0 {
		t.Errorf("after ResetState: x %v, height %v, error %v", a.Parameters(1)[3*3], a.QPos(1)[7], err)
	}
	if err := craneChunk(t, m, 1).Restore(0, s); err == nil {
		t.Error("a snapshot with varied fields was restored where none vary")
	}
	if err := craneChunk(t, loadCrane(t), 1, BodyPos, SitePos).Restore(0, s); err == nil {
		t.Error("a snapshot of another model was restored")
	}
}
