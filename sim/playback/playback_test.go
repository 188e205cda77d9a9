package playback

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"nacre/sim"
	"nacre/sim/recording"
	"nacre/sim/scene"
)

// falls is a document of two episodes that share a mesh: a ball falls, from 1 m and from 2 m.
func falls(t testing.TB) *Document {
	d := &Document{Title: "falls"}
	for i := range 2 {
		s := &scene.Scene{
			Name: "ball", Interval: 0.05, Grid: 1, View: scene.View{Distance: 2, Angle: 30, Follow: 2},
			Solids: []scene.Solid{
				{Name: "floor", Kind: scene.Plane, Color: scene.Floor},
				{Name: "goal", Kind: scene.Mesh, Mesh: 1, Color: scene.Goal, Sign: true},
				{Name: "ball", Kind: scene.Sphere, Size: [3]float64{0.1}, Color: scene.Blue},
			},
			Meshes: []scene.Triangles{scene.Arrow("unused", 1, 0.1), scene.Arc("ring", 0.5, 0.7, 360)},
		}
		f := &scene.Film{Scene: s}
		for k := range 4 {
			height := float64(i+1) - 0.1*float64(k)
			if err := f.Append([]scene.Pose{scene.At(0, 0, 0), scene.At(1, 2, 0),
				scene.At(0.1, -0.2, height)}); err != nil {
				t.Fatal(err)
			}
		}
		var qpos [][]float64
		if i == 1 { // heights that are float32 already
			s.Model = &scene.Model{MJCF: "<mujoco/>", Substeps: 5, Gain: 0.5, Geoms: []int{0, -1, 1}}
			qpos = [][]float64{{2, 0.5}, {1.75, 0}, {1.5, -0.25}, {1.25, 0}}
		}
		d.Episodes = append(d.Episodes, Episode{QPos: qpos, Label: fmt.Sprint(i + 1), Film: f,
			Reward: []float64{1, 0.1, -3}, Success: []bool{false, i == 1, i == 1}})
	}
	return d
}

// A document written and read again is the same, but for meshes rounded to 1/65535 of their extent and rewards to
// float32; what does not move, or is the same in both episodes, is not repeated.
func TestWriteRead(t *testing.T) {
	d := falls(t)
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	var raw struct {
		Format   string
		Version  int
		Meshes   []struct{ Name string }
		Episodes []struct {
			Frames  int
			Moving  []int
			Poses   string
			Reward  []float64
			Success []int
		}
	}
	if err := json.Unmarshal(b.Bytes(), &raw); err != nil {
		t.Fatal(err)
	}
	if raw.Format != "nacre-rollout" || raw.Version != 1 || len(raw.Meshes) != 1 || raw.Meshes[0].Name != "ring" ||
		len(raw.Episodes) != 2 {
		t.Fatalf("document %+v", raw)
	}
	e := raw.Episodes[1]
	if e.Frames != 4 || !reflect.DeepEqual(e.Moving, []int{2}) || !reflect.DeepEqual(e.Reward, []float64{1, 0.1, -3}) ||
		!reflect.DeepEqual(e.Success, []int{0, 1, 1}) {
		t.Errorf("episode %+v", e)
	}
	if raw.Episodes[0].Success != nil {
		t.Errorf("an episode without success has %v", raw.Episodes[0].Success)
	}
	// 4 frames of 1 solid of 7 numbers of 4 bytes; the third number of the third frame is the height 1.8.
	poses, err := base64.StdEncoding.DecodeString(e.Poses)
	if err != nil || len(poses) != 4*28 {
		t.Fatalf("%d bytes of poses, %v", len(poses), err)
	}
	at := poses[2*28+2*4:]
	if z := math.Float32frombits(uint32(at[0]) | uint32(at[1])<<8 | uint32(at[2])<<16 | uint32(at[3])<<24); z != 1.8 {
		t.Errorf("height %v", z)
	}
	back, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	for i, was := range d.Episodes {
		is := back.Episodes[i]
		for k := range was.Film.Frames() {
			if !reflect.DeepEqual(was.Film.Frame(k), is.Film.Frame(k)) {
				t.Errorf("frame %d of episode %d came back as %v", k, i+1, is.Film.Frame(k))
			}
		}
		if back.Title != d.Title || was.Label != is.Label || is.Film.Scene.View != was.Film.Scene.View ||
			is.Film.Scene.Interval != 0.05 ||
			is.Film.Scene.Solids[2] != was.Film.Scene.Solids[2] || float32(is.Reward[1]) != 0.1 {
			t.Errorf("episode %d came back changed", i+1)
		}
		if !reflect.DeepEqual(is.Film.Scene.Model, was.Film.Scene.Model) || !reflect.DeepEqual(is.QPos, was.QPos) {
			t.Errorf("episode %d came back with the model %+v and positions %v", i+1, is.Film.Scene.Model, is.QPos)
		}
	}
	was, is := d.Episodes[0].Film.Scene.Meshes[1], back.Episodes[0].Film.Scene.Meshes[0]
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

func TestBadEpisodes(t *testing.T) {
	for want, spoil := range map[string]func(*Document){
		"there are no episodes": func(d *Document) { d.Episodes = nil },
		"episode 2: the film has no frames": func(d *Document) {
			d.Episodes[1] = Episode{Film: &scene.Film{Scene: d.Episodes[0].Film.Scene}}
		},
		"episode 1: 2 rewards for the 3 steps": func(d *Document) {
			d.Episodes[0].Reward = make([]float64, 2)
		},
		"episode 1: 4 successes for the 3 steps": func(d *Document) {
			d.Episodes[0].Success = make([]bool, 4)
		},
		"episode 2: 3 rows of joint positions for 4 frames": func(d *Document) {
			d.Episodes[1].QPos = d.Episodes[1].QPos[:3]
		},
		"episode 2: 1 joint positions in frame 2 and 2": func(d *Document) { d.Episodes[1].QPos[2] = []float64{1} },
		"the model says of 2 solids": func(d *Document) {
			d.Episodes[1].Film.Scene.Model.Geoms = []int{0, 1}
		},
		"episode 2: the reward of step 1 is NaN": func(d *Document) { d.Episodes[1].Reward[1] = math.NaN() },
		`episode 2: scene ball: solid 2 "ball": size [`: func(d *Document) {
			d.Episodes[1].Film.Scene.Solids[2].Size[0] = 0
		},
	} {
		d := falls(t)
		spoil(d)
		if err := d.Write(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Files that are cut, of another format or that point outside themselves are errors.
func TestBadFiles(t *testing.T) {
	var b bytes.Buffer
	if err := falls(t).Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{`"version":1`, `"version":2`, `the format is "nacre-rollout", version 2`},
		{`"moving":[2]`, `"moving":[5]`, "solid 5 moves"},
		{`"moving":[2]`, `"moving":[-1]`, "solid -1 moves"},
		{`"frames":4`, `"frames":5`, "5 frames of 1 moving solids in 112 bytes"},
		{`"frames":4`, `"frames":-4`, "-4 frames"},
		{`"count":242`, `"count":241`, "241 vertices in 1452 bytes"},
		{`"reward":[1,`, `"reward":[`, "2 rewards for the 3 steps"},
		{`"nq":2`, `"nq":3`, "3 joint positions of 4 frames in 32 bytes"},
		{`"poses":"`, `"poses":"!`, "illegal base64"},
		{`"format"`, `{`, "invalid character"},
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

// A fine sphere of radius 1 comes down to the bound, closed and as large as before: the volume within a cell's width.
func TestCoarser(t *testing.T) {
	const n = 80
	m := scene.Triangles{}
	for i := range n + 1 {
		for j := range 2 * n {
			sinA, cosA := math.Sincos(math.Pi * float64(i) / n)
			sinB, cosB := math.Sincos(math.Pi * float64(j) / n)
			m.Vertices = append(m.Vertices, [3]float32{float32(sinA * cosB), float32(sinA * sinB), float32(cosA)})
			if i < n {
				a, b := int32(i*2*n+j), int32(i*2*n+(j+1)%(2*n))
				m.Faces = append(m.Faces, [3]int32{a, a + 2*n, b}, [3]int32{b, a + 2*n, b + 2*n})
			}
		}
	}
	volume := func(m scene.Triangles) (sum float64) {
		for _, f := range m.Faces {
			a, b, c := m.Vertices[f[0]], m.Vertices[f[1]], m.Vertices[f[2]]
			sum += float64(a[0]*(b[1]*c[2]-b[2]*c[1])+a[1]*(b[2]*c[0]-b[0]*c[2])+a[2]*(b[0]*c[1]-b[1]*c[0])) / 6
		}
		return sum
	}
	c := coarser(m)
	if len(m.Faces) != 25600 || len(c.Faces) > maxFaces || len(c.Faces) < maxFaces/2 {
		t.Errorf("%d triangles became %d; expected at most %d and not far fewer", len(m.Faces), len(c.Faces), maxFaces)
	}
	if want := 4 * math.Pi / 3; math.Abs(volume(m)-want) > 0.01*want || math.Abs(volume(c)-want) > 0.03*want {
		t.Errorf("volumes %v and %v, expected %v", volume(m), volume(c), want)
	}
	if small := scene.Arrow("a", 1, 0.1); !reflect.DeepEqual(coarser(small), small) {
		t.Error("a small mesh has changed")
	}
}

// The ten lines of the package's comment.
func Example() {
	family, err := sim.Lookup("point-goal")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, test, _ := family.Tasks(1, 0, 1)
	episodes := []sim.Episode{{Task: test[0]}}
	recorder := recording.Recorder{Family: family}
	defer recorder.Close()
	policy, _ := sim.GoalPolicy(family, episodes)
	if _, err := recorder.Rollout(context.Background(), episodes, policy, 0); err != nil {
		fmt.Println(err)
		return
	}
	episode, err := Of(&recorder.Recordings[0])
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	d := Document{Title: "point-goal", Episodes: []Episode{episode}}
	err = d.Write(&file)
	back, _ := Read(&file)
	fmt.Println(back.Episodes[0].Film.Frames(), len(back.Episodes[0].Reward), err)
	// Output: 21 20 <nil>
}
