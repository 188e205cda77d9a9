package scene

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// ball is a scene of a floor, a mesh and a ball, and a film in which the ball falls.
func ball(t testing.TB) *Film {
	s := &Scene{
		Name: "ball", Interval: 0.05, Grid: 1, View: View{Distance: 2, Angle: 30, Follow: 2},
		Solids: []Solid{
			{Name: "floor", Kind: Plane, Color: Floor},
			{Name: "goal", Kind: Mesh, Mesh: 1, Color: Goal, Sign: true},
			{Name: "ball", Kind: Sphere, Size: [3]float64{0.1}, Color: Blue},
		},
		Meshes: []Triangles{Arrow("unused", 1, 0.1), Arc("ring", 0.5, 0.7, 360)},
	}
	f := &Film{Scene: s}
	for k := range 4 {
		if err := f.Append([]Pose{At(0, 0, 0), At(1, 2, 0), At(0.1, -0.2, 1-0.1*float64(k))}); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func TestBadScenes(t *testing.T) {
	for want, spoil := range map[string]func(*Film){
		`solid 2 "ball": size [0 0 0]`:              func(f *Film) { f.Scene.Solids[2].Size[0] = 0 },
		`solid 0 "floor": size [NaN 0 0]`:           func(f *Film) { f.Scene.Solids[0].Size[0] = math.NaN() },
		`solid 2 "ball": kind "blob"`:               func(f *Film) { f.Scene.Solids[2].Kind = "blob" },
		`solid 1 "goal": mesh 2; the scene has 2`:   func(f *Film) { f.Scene.Solids[1].Mesh = 2 },
		`solid 1 "goal": colour [2 0 0 1]`:          func(f *Film) { f.Scene.Solids[1].Color = Color{2, 0, 0, 1} },
		`mesh 1 "ring": face 0 has the vertex 9999`: func(f *Film) { f.Scene.Meshes[1].Faces[0][1] = 9999 },
		"the view follows solid 3":                  func(f *Film) { f.Scene.View.Follow = 3 },
		"0 s between frames":                        func(f *Film) { f.Scene.Interval = 0 },
	} {
		f := ball(t)
		spoil(f)
		if err := f.Scene.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	f := ball(t)
	if err := f.Append(make([]Pose, 2)); err == nil ||
		!strings.Contains(err.Error(), "a frame of 2 poses; the scene has 3 solids") {
		t.Error(err)
	}
	if err := f.Append([]Pose{{}, {}, {float32(math.Inf(1))}}); err == nil ||
		!strings.Contains(err.Error(), `frame 4: the pose of solid 2 "ball"`) {
		t.Error(err)
	}
}

// An arc's area is that of the sector of a ring, and its faces are seen from above.
func TestParts(t *testing.T) {
	area := func(m Triangles) (sum float64) {
		for i, f := range m.Faces {
			a, b, c := m.Vertices[f[0]], m.Vertices[f[1]], m.Vertices[f[2]]
			twice := float64((b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0]))
			if twice < 0 {
				t.Errorf("face %d of %s is seen from below", i, m.Name)
			}
			sum += twice / 2
		}
		return sum
	}
	if got, want := area(Arc("arc", 0.5, 0.7, 180)), math.Pi/2*(0.49-0.25); math.Abs(got-want) > 2e-3*want {
		t.Errorf("area of the arc %v, want %v", got, want)
	}
	// A shaft of 0.8 by 0.1 and a head of 0.2 by 0.2.
	if got, want := area(Arrow("arrow", 1, 0.1)), 0.8*0.1+0.5*0.2*0.2; math.Abs(got-want) > 1e-6 {
		t.Errorf("area of the arrow %v, want %v", got, want)
	}
}

func ExampleFilm() {
	s := &Scene{Name: "ball", Interval: 0.05, View: View{Distance: 2, Angle: 30, Follow: -1}, Solids: []Solid{
		{Name: "floor", Kind: Plane, Color: Color{0.9, 0.9, 0.9, 1}},
		{Name: "ball", Kind: Sphere, Size: [3]float64{0.1}, Color: Color{0.8, 0.3, 0.2, 1}},
	}}
	f := &Film{Scene: s}
	for _, height := range []float64{0.3, 0.2} {
		if err := f.Append([]Pose{At(0, 0, 0), At(0, 0, height)}); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(f.Frames(), f.Frame(1)[1][2])
	// Output: 2 0.2
}
