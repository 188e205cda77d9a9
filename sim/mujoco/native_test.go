//go:build mujoco && cgo

package mujoco

import (
	"errors"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
)

// ball falls freely from 1 m above the origin along z; its one motor pushes with 3 N per unit of control.
const ball = `<mujoco>
  <option timestep="0.01" gravity="0 0 -10"/>
  <worldbody>
    <body name="ball" pos="0 0 1">
      <joint name="up" type="slide" axis="0 0 1"/>
      <geom type="sphere" size="0.1" mass="2"/>
    </body>
  </worldbody>
  <actuator><motor joint="up" gear="3"/></actuator>
</mujoco>`

func newChunk(t *testing.T, text string, n int) (*Model, *Chunk) {
	t.Helper()
	if err := Check(); err != nil {
		t.Fatal(err)
	}
	m, err := LoadXML(text)
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.NewChunk(n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); m.Close() })
	for i := range n {
		if err := errors.Join(c.Reset(i), c.Forward(i)); err != nil {
			t.Fatal(err)
		}
	}
	return m, c
}

// Semi-implicit Euler with acceleration a: after n steps of h, v = a·n·h and z = a·h²·n(n+1)/2.
func TestStepChunk(t *testing.T) {
	m, c := newChunk(t, ball, 3)
	if s := m.Sizes(); s != (Sizes{NQ: 1, NV: 1, NU: 1, NBody: 2, NGeom: 1, Timestep: 0.01}) {
		t.Fatalf("sizes %+v", s)
	}
	body, err := m.Body("ball")
	if err != nil {
		t.Fatal(err)
	}
	ctrl := []float64{0, 50, 2}
	for range 4 {
		if err := c.Step([]bool{true, false, true}, ctrl, 5); err != nil {
			t.Fatal(err)
		}
	}
	for i, acceleration := range []float64{-10, 0, -10 + 2*3/2.} {
		v, z := acceleration*0.2, acceleration*1e-4*210
		if math.Abs(c.QVel(i)[0]-v) > 1e-13 || math.Abs(c.QPos(i)[0]-z) > 1e-13 {
			t.Errorf("environment %d: z %v, v %v; expected %v, %v", i, c.QPos(i)[0], c.QVel(i)[0], z, v)
		}
	}
	// The derived position is that of before the last integration: 19 steps.
	if got, want := c.XPos(0, body)[2], 1-10*1e-4*190; math.Abs(got-want) > 1e-13 {
		t.Errorf("body at %v, expected %v", got, want)
	}
	if _, err := m.Body("bell"); err == nil || !strings.Contains(err.Error(), "bell") {
		t.Errorf("unknown body: %v", err)
	}
	if err := c.Step([]bool{true}, ctrl, 5); err == nil {
		t.Error("one flag for three environments was accepted")
	}
}

func TestPlainLoopTakesTheSameSteps(t *testing.T) {
	_, a := newChunk(t, ball, 2)
	_, b := newChunk(t, ball, 2)
	ctrl := []float64{1, 2, -3, 4, 5, -6}
	for s := range 3 {
		if err := a.Step([]bool{true, true}, ctrl[2*s:2*s+2], 5); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.PlainLoop(ctrl, 5); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if a.QPos(i)[0] != b.QPos(i)[0] {
			t.Errorf("environment %d: %v and %v", i, a.QPos(i)[0], b.QPos(i)[0])
		}
	}
	if err := b.PlainLoop(ctrl[:3], 5); err == nil {
		t.Error("one and a half steps were accepted")
	}
}

// Everything that MuJoCo would log or exit for must come back as an error, on any thread, and leave no file.
func TestErrorsComeBack(t *testing.T) {
	t.Chdir(t.TempDir())
	_, c := newChunk(t, ball, 2)
	active, ctrl := []bool{true, true}, []float64{0, 0}
	var at *StepError
	c.QPos(1)[0] = math.NaN()
	if err := c.Step(active, ctrl, 5); !errors.As(err, &at) || at.Env != 1 || !strings.Contains(at.Text, "QPOS") {
		t.Errorf("NaN position: %v", err)
	}
	if err := c.Step(active, ctrl, 5); !errors.As(err, &at) || at.Env != 1 {
		t.Errorf("the environment could be stepped again without a reset: %v", err)
	}
	if err := c.Reset(1); err != nil {
		t.Fatal(err)
	}
	if err := c.Step(active, ctrl, 5); err != nil {
		t.Errorf("after the reset: %v", err)
	}
	ctrl[0] = 9e9
	if err := c.Step(active, ctrl, 5); !errors.As(err, &at) || at.Env != 0 || !strings.Contains(at.Text, "QACC") {
		t.Errorf("absurd control: %v", err)
	}
	broken, d := newChunk(t, ball, 2)
	broken.breakIntegrator()
	for range 3 {
		if err := d.Step([]bool{false, true}, ctrl, 5); !errors.As(err, &at) || at.Env != 1 ||
			!strings.Contains(at.Text, "ntegrator") {
			t.Fatalf("error inside mj_step: %v", err)
		}
		if err := d.PlainLoop(ctrl, 5); !errors.As(err, &at) || at.Env != 0 {
			t.Fatalf("error inside the plain loop: %v", err)
		}
		if err := d.Reset(1); err != nil {
			t.Fatal(err)
		}
	}
	if files, _ := os.ReadDir("."); len(files) != 0 {
		t.Errorf("MuJoCo wrote %v", files)
	}
}

// A full contact list would silently lose forces.
func TestFullContactListIsAnError(t *testing.T) {
	if Version()[0] < '3' {
		t.Skip("the memory of a model is set in another way before MuJoCo 3")
	}
	chain := `<mujoco><size memory="8K"/><worldbody><geom type="plane" size="9 9 1"/>` +
		strings.Repeat(`<body pos="0.3 0 0.01"><joint axis="0 1 0"/><geom type="capsule" size=".1 .2"/>`, 12) +
		strings.Repeat(`</body>`, 12) + `</worldbody></mujoco>`
	m, err := LoadXML(chain)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	c, err := m.NewChunk(2)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var at *StepError
	if err := c.Step([]bool{false, true}, nil, 1); !errors.As(err, &at) || at.Env != 1 ||
		!strings.Contains(at.Text, "contacts") {
		t.Errorf("error %v", err)
	}
}

func TestLoadXMLNamesTheLine(t *testing.T) {
	_, err := LoadXML(strings.Replace(ball, `type="slide"`, `type="slied"`, 1))
	if err == nil || !strings.Contains(err.Error(), "line 5") {
		t.Errorf("error %v", err)
	}
	if _, err := LoadXML(""); err == nil {
		t.Error("an empty model was accepted")
	}
}

// Threads must not see each other's errors.
func TestErrorsOnManyThreads(t *testing.T) {
	var done sync.WaitGroup
	for g := range 8 {
		done.Go(func() {
			m, err := LoadXML(ball)
			if err != nil {
				t.Error(err)
				return
			}
			defer m.Close()
			c, err := m.NewChunk(1)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			for range 200 {
				if g%2 == 1 {
					c.QPos(0)[0] = math.Inf(1)
				}
				if err := c.Step([]bool{true}, []float64{1}, 2); (err != nil) != (g%2 == 1) {
					t.Errorf("goroutine %d: error %v", g, err)
				}
				if err := c.Reset(0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
}

func TestVersionText(t *testing.T) {
	for v, want := range map[int]string{222: "2.2.2", 330: "3.3.0", 3005000: "3.5.0", 3012001: "3.12.1"} {
		if got := versionText(v); got != want {
			t.Errorf("%d is %s, expected %s", v, got, want)
		}
	}
	if Version() == "" || !Available() {
		t.Errorf("version %q, available %v: %v", Version(), Available(), Check())
	}
}
