package scene

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
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

// A film written and read again is the same, but for meshes rounded to 1/65535 of their extent; what does not move is
// not repeated.
func TestWriteRead(t *testing.T) {
	f := ball(t)
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	var raw struct {
		Format string
		Frames int
		Moving []int
		Poses  string
		Meshes []struct{ Count int }
	}
	if err := json.Unmarshal(b.Bytes(), &raw); err != nil {
		t.Fatal(err)
	}
	if raw.Format != "nacre-film/1" || raw.Frames != 4 || !reflect.DeepEqual(raw.Moving, []int{2}) || len(raw.Meshes) != 1 {
		t.Errorf("document %+v", raw)
	}
	// 4 frames of 1 solid of 7 numbers of 4 bytes; the third number of the third frame is the height 0.8.
	poses, err := base64.StdEncoding.DecodeString(raw.Poses)
	if err != nil || len(poses) != 4*28 {
		t.Fatalf("%d bytes of poses, %v", len(poses), err)
	}
	at := poses[2*28+2*4:]
	if z := math.Float32frombits(uint32(at[0]) | uint32(at[1])<<8 | uint32(at[2])<<16 | uint32(at[3])<<24); z != 0.8 {
		t.Errorf("height %v", z)
	}
	back, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back.poses, f.poses) || back.Scene.View != f.Scene.View || back.Scene.Interval != 0.05 || back.Scene.Solids[2] != f.Scene.Solids[2] {
		t.Error("the film came back changed")
	}
	was, is := f.Scene.Meshes[1], back.Scene.Meshes[0]
	if !reflect.DeepEqual(was.Faces, is.Faces) || len(was.Vertices) != len(is.Vertices) {
		t.Fatal("other faces")
	}
	for i, v := range was.Vertices {
		for k := range v {
			if d := math.Abs(float64(v[k] - is.Vertices[i][k])); d > 1.1e-5 {
				t.Fatalf("vertex %d is off by %g, more than half a step of 1.4/65535 and float32's rounding", i, d)
			}
		}
	}
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
		"no frames":                                 func(f *Film) { f.poses = nil },
	} {
		f := ball(t)
		spoil(f)
		if err := f.Write(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	f := ball(t)
	if err := f.Append(make([]Pose, 2)); err == nil || !strings.Contains(err.Error(), "a frame of 2 poses; the scene has 3 solids") {
		t.Error(err)
	}
	if err := f.Append([]Pose{{}, {}, {float32(math.Inf(1))}}); err == nil || !strings.Contains(err.Error(), `frame 4: the pose of solid 2 "ball"`) {
		t.Error(err)
	}
}

// Files that are cut, of another format or that point outside themselves are errors.
func TestBadFiles(t *testing.T) {
	var b bytes.Buffer
	if err := ball(t).Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{"nacre-film/1", "nacre-film/2", `the format is "nacre-film/2"`},
		{`"moving":[2]`, `"moving":[5]`, "solid 5 moves"},
		{`"moving":[2]`, `"moving":[-1]`, "solid -1 moves"},
		{`"frames":4`, `"frames":5`, "5 frames of 1 moving solids in 112 bytes"},
		{`"frames":4`, `"frames":-4`, "-4 frames"},
		{`"count":242`, `"count":241`, "241 vertices in 1452 bytes"},
		{`"poses":"`, `"poses":"!`, "illegal base64"},
		{`"format"`, `{`, "read a film"},
	} {
		text := strings.Replace(b.String(), c[0], c[1], 1)
		if text == b.String() {
			t.Fatalf("there is no %s", c[0])
		}
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: got %v, want %s", c[1], err, c[2])
		}
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
	var file bytes.Buffer
	err := f.Write(&file)
	fmt.Println(f.Frames(), f.Frame(1)[1][2], err)
	// Output: 2 0.2 <nil>
}
