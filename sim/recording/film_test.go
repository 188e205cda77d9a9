package recording

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"nacre/sim"
	_ "nacre/sim/families"
	"nacre/sim/scene"
)

// record runs an episode of the first train task with random actions, or skips where the family cannot be had.
func record(t *testing.T, family string, steps int) *Recording {
	t.Helper()
	f, err := sim.Lookup(family)
	if errors.Is(err, sim.ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	train, _, err := f.Tasks(1, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	rec := Recorder{Family: f}
	defer rec.Close()
	episodes := []sim.Episode{{Task: train[0], Seed: 4}}
	if _, err := rec.Rollout(context.Background(), episodes, sim.RandomPolicy(f, episodes),
		steps); err != nil {
		t.Fatal(err)
	}
	return &rec.Recordings[0]
}

// pose returns where the solid called name is in frame k.
func pose(t *testing.T, f *scene.Film, name string, k int) scene.Pose {
	t.Helper()
	for i, s := range f.Scene.Solids {
		if s.Name == name {
			return f.Frame(k)[i]
		}
	}
	t.Fatalf("the scene of %s has no solid %q", f.Scene.Name, name)
	return scene.Pose{}
}

func near(p scene.Pose, want ...float64) bool {
	for j, w := range want {
		if math.Abs(float64(p[j])-w) > 2e-6 {
			return false
		}
	}
	return true
}

// The ball of the point robot is where the observation says, the goal where the task says.
func TestPointFilm(t *testing.T) {
	for _, family := range []string{"point-goal", "point-goal-sparse"} {
		r := record(t, family, 0)
		film, err := r.Film()
		if err != nil {
			t.Fatal(err)
		}
		if film.Frames() != 21 {
			t.Fatalf("%d frames", film.Frames())
		}
		for k := range film.Frames() {
			if p := pose(t, film, "robot", k); !near(p, r.Obs[k][0], r.Obs[k][1]) {
				t.Fatalf("frame %d: the robot is at %v, observed at %v", k, p, r.Obs[k])
			}
			if p := pose(t, film, "goal", k); !near(p, r.Params[0], r.Params[1]) {
				t.Fatalf("frame %d: the goal is at %v, the task is %v", k, p, r.Params)
			}
		}
	}
}

// The walker's torso is a vertical capsule at (x, height) of qpos, turned by its angle about y: its axis is along
// ±(sin θ, 0, cos θ).
func TestWalkerFilm(t *testing.T) {
	r := record(t, "walker-rand-params", 30)
	film, err := r.Film()
	if err != nil {
		t.Fatal(err)
	}
	for k := range film.Frames() {
		x, height := r.QPos[k][0], r.QPos[k][1]
		sin, cos := math.Sincos(r.QPos[k][2])
		p := pose(t, film, "torso", k)
		w, qx, qy, qz := float64(p[3]), float64(p[4]), float64(p[5]), float64(p[6])
		axis := [3]float64{2 * (qx*qz + w*qy), 2 * (qy*qz - w*qx), 1 - 2*(qx*qx+qy*qy)}
		if along := math.Abs(axis[0]*sin + axis[2]*cos); !near(p, x, 0, height) || along < 1-1e-6 {
			t.Fatalf("frame %d: torso %v with axis %v at %v, %v, angle %v", k, p, axis, x, height, r.QPos[k][2])
		}
	}
	if s := film.Scene; s.Interval != 0.016 || s.Solids[s.View.Follow].Name != "torso" || len(s.Solids) != 8 {
		t.Errorf("scene %+v", s)
	}
}

// Torso and signs of the other controls: position, and a goal or a direction that shows the task.
func TestControlFilms(t *testing.T) {
	for family, torsoAt := range map[string]int{"cheetah-vel": -1, "cheetah-dir": -1, "ant-dir": 0, "ant-goal": 0,
		"humanoid-dir": 0} {
		r := record(t, family, 4)
		film, err := r.Film()
		if err != nil {
			t.Fatal(err)
		}
		last := film.Frames() - 1
		q := r.QPos[last]
		if torsoAt == 0 && !strings.HasPrefix(family, "humanoid") &&
			!near(pose(t, film, "torso", last), q[0], q[1], q[2]) {
			t.Errorf("%s: torso %v, qpos %v", family, pose(t, film, "torso", last), q[:3])
		}
		if p := pose(t, film, "floor", last); !near(p, 0, 0, 0, 1, 0, 0, 0) {
			t.Errorf("%s: floor %v", family, p)
		}
		switch family {
		case "ant-goal":
			m := film.Scene.Meshes[0]
			var x, y float64
			for i := 1; i < len(m.Vertices); i += 2 { // the rim
				x, y = x+float64(m.Vertices[i][0]), y+float64(m.Vertices[i][1])
			}
			n := float64(len(m.Vertices) / 2)
			if math.Hypot(x/n-r.Params[0], y/n-r.Params[1]) > 0.01 {
				t.Errorf("the goal is at %v, %v, the task %v", x/n, y/n, r.Params)
			}
		case "ant-dir", "humanoid-dir":
			tip := film.Scene.Meshes[0].Vertices[5]
			if angle := math.Atan2(float64(tip[1]), float64(tip[0])); math.Abs(math.Remainder(angle-r.Params[0],
				2*math.Pi)) > 1e-6 {
				t.Errorf("%s: the arrow points along %v, the task %v", family, angle, r.Params)
			}
		}
	}
}

// What Meta-World's observations say of the object is where the film shows it.
func TestMetaWorldFilm(t *testing.T) {
	for family, solid := range map[string]string{"ml1/push": "objGeom", "ml1/door-open": "handle"} {
		r := record(t, family, 12)
		film, err := r.Film()
		if err != nil {
			t.Fatal(err)
		}
		for k := range film.Frames() {
			if p := pose(t, film, solid, k); !near(p, r.Obs[k][4:7]...) {
				t.Fatalf("%s, frame %d: %s is at %v, observed at %v", family, k, solid, p, r.Obs[k][4:7])
			}
		}
		if film.Scene.Interval != 0.0125 || len(film.Scene.Omitted) != 0 || len(film.Scene.Meshes) < 12 {
			t.Errorf("%s: interval %v, omitted %v, %d meshes", family, film.Scene.Interval, film.Scene.Omitted,
				len(film.Scene.Meshes))
		}
	}
}

// invisible is a family whose environments cannot be drawn.
type invisible struct{ sim.Family }

func (f invisible) Spec() sim.Spec {
	s := f.Family.Spec()
	s.Name = "invisible"
	return s
}

func (f invisible) NewBatch(n int) (sim.Batch, error) {
	b, err := f.Family.NewBatch(n)
	return struct{ sim.Batch }{b}, err
}

func TestFilmSaysWhatIsWrong(t *testing.T) {
	point, err := sim.Lookup("point-goal")
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.Define(invisible{point}); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(r *Recording){
		`unknown family "point-gaol"`:          func(r *Recording) { r.Family = "point-gaol" },
		"family invisible cannot be drawn":     func(r *Recording) { r.Family = "invisible" },
		"0 rows of joint positions":            func(r *Recording) { r.QPos = nil },
		"21 rows of joint positions and 1":     func(r *Recording) { r.Mocap = [][]float64{{1, 2, 3}} },
		"the task has 1 parameters":            func(r *Recording) { r.Params = r.Params[:1] },
		"frame 3: ":                            func(r *Recording) { r.QPos[3] = []float64{1} },
		`frame 2: the pose of solid 0 "robot"`: func(r *Recording) { r.QPos[2] = []float64{math.NaN(), 0} },
	} {
		r := record(t, "point-goal", 0)
		spoil(r)
		if _, err := r.Film(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
