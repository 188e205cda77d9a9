package render

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/gif"
	"math"
	"runtime"
	"strings"
	"testing"

	"nacre/sim/scene"
)

// room is a floor with solids of strong colours above it.
func room(t testing.TB, solids []scene.Solid, poses ...scene.Pose) *scene.Film {
	s := &scene.Scene{
		Name: "room", Interval: 0.05,
		Solids: append([]scene.Solid{{Name: "floor", Kind: scene.Plane, Color: scene.Floor}}, solids...),
		View: scene.View{Target: [3]float64{0.2, -0.1, 0.3}, Distance: 3, Azimuth: 30, Elevation: 25, Angle: 35,
			Follow: -1},
	}
	f := &scene.Film{Scene: s}
	if err := f.Append(append([]scene.Pose{scene.At(0, 0, 0)}, poses...)); err != nil {
		t.Fatal(err)
	}
	return f
}

var red = scene.Color{0.9, 0.05, 0.05, 1}

// isRed reports whether a pixel shows something red, lit or not.
func isRed(img *image.RGBA, x, y int) bool {
	c := img.RGBAAt(x, y)
	return float64(c.R) > 1.6*float64(c.G)
}

func still(t testing.TB, f *scene.Film, width, height int) *image.RGBA {
	t.Helper()
	img, err := Still(f, 0, Options{Width: width, Height: height})
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// The projection by hand: the target is in the middle, and what is up by distance·tan(angle/2), across the line of
// sight, is at the upper edge.
func TestProject(t *testing.T) {
	v := scene.View{Target: [3]float64{1, 2, 0.5}, Distance: 4, Azimuth: -90, Angle: 40}
	half := 4 * math.Tan(20*math.Pi/180)
	for _, c := range []struct{ point, want [3]float64 }{
		{[3]float64{1, 2, 0.5}, [3]float64{320, 200, 4}},
		{[3]float64{1, 2, 0.5 + half}, [3]float64{320, 0, 4}},
		{[3]float64{1 + half, 2, 0.5}, [3]float64{520, 200, 4}}, // seen from -y, x is to the right
		{[3]float64{1 + half, 6, 0.5}, [3]float64{420, 200, 8}},
	} {
		x, y, depth, err := Project(v, 640, 400, c.point)
		if err != nil || math.Abs(x-c.want[0]) > 1e-9 || math.Abs(y-c.want[1]) > 1e-9 ||
			math.Abs(depth-c.want[2]) > 1e-9 {
			t.Errorf("%v is at %v, %v, depth %v, %v; want %v", c.point, x, y, depth, err, c.want)
		}
	}
}

// Solids appear where the projection says, as large as it says, and only there.
func TestSolidsAreWhereProjected(t *testing.T) {
	const width, height = 240, 160
	centres := [][3]float64{{0.2, -0.1, 0.3}, {-0.6, 0.4, 0.2}, {0.9, 0.8, 0.7}}
	for _, kind := range []scene.Kind{scene.Sphere, scene.Box, scene.Capsule, scene.Cylinder, scene.Ellipsoid,
		scene.Mesh} {
		for _, at := range centres {
			solid := scene.Solid{Name: "it", Kind: kind, Size: [3]float64{0.06, 0.05, 0.04}, Color: red}
			f := room(t, []scene.Solid{solid}, scene.Pose{float32(at[0]), float32(at[1]), float32(at[2]), 0.5,
				0.5, 0.5, 0.5})
			if kind == scene.Mesh {
				f.Scene.Solids[1].Size = [3]float64{}
				f.Scene.Meshes = []scene.Triangles{*boxMesh([3]float64{0.06, 0.05, 0.04})}
			}
			img := still(t, f, width, height)
			wantX, wantY, depth, err := Project(f.Scene.View, width, height, at)
			if err != nil {
				t.Fatal(err)
			}
			// pixels from the centre to the farthest corner, and more
			reach := 0.12 / (depth * 2 * math.Tan(35*math.Pi/360) / height)
			var x, y, n float64
			for j := range height {
				for i := range width {
					if !isRed(img, i, j) {
						continue
					}
					if math.Hypot(float64(i)+0.5-wantX, float64(j)+0.5-wantY) > reach {
						t.Fatalf("%s at %v: pixel %d, %d is red", kind, at, i, j)
					}
					x, y, n = x+float64(i)+0.5, y+float64(j)+0.5, n+1
				}
			}
			if n < 20 || math.Hypot(x/n-wantX, y/n-wantY) > 1 {
				t.Errorf("%s at %v: %v pixels around %.1f, %.1f; want %.1f, %.1f", kind, at, n, x/n, y/n, wantX, wantY)
			}
			if kind == scene.Sphere {
				radius := 0.06 / (depth * 2 * math.Tan(35*math.Pi/360) / height)
				if want := math.Pi * radius * radius; math.Abs(n-want) > 0.15*want {
					t.Errorf("the ball covers %v pixels, want about %.0f", n, want)
				}
			}
		}
	}
}

// The shadow of a ball falls where the line from the sun through its centre meets the floor; nearer things hide farther
// ones; what is transparent lets through.
func TestShadowDepthAndOpacity(t *testing.T) {
	const width, height = 240, 160
	ball := scene.Solid{Name: "ball", Kind: scene.Sphere, Size: [3]float64{0.15}, Color: red}
	brightness := func(f *scene.Film, p [3]float64) float64 {
		img := still(t, f, width, height)
		x, y, _, err := Project(f.Scene.View, width, height, p)
		if err != nil {
			t.Fatal(err)
		}
		c := img.RGBAAt(int(x), int(y))
		return (float64(c.R) + float64(c.G) + float64(c.B)) / 3
	}
	f := room(t, []scene.Solid{ball}, scene.At(0.2, -0.1, 0.7))
	sinA, cosA := math.Sincos((30 - sunAzimuth) * math.Pi / 180)
	away := 0.7 / math.Tan(sunElevation*math.Pi/180)
	shadow := [3]float64{0.2 - away*cosA, -0.1 - away*sinA, 0}
	opposite := [3]float64{0.2 + away*cosA, -0.1 + away*sinA, 0}
	dark, light := brightness(f, shadow), brightness(f, opposite)
	if dark > 0.85*light {
		t.Errorf("shadow %v, light %v", dark, light)
	}
	f.Scene.Solids[1].Sign = true
	if b := brightness(f, shadow); b < 0.97*light {
		t.Errorf("a sign casts a shadow: %v, light %v", b, light)
	}

	back := scene.Solid{Name: "back", Kind: scene.Sphere, Size: [3]float64{0.15},
		Color: scene.Color{0.05, 0.05, 0.9, 1}}
	toEye := func(distance float64) scene.Pose {
		sinA, cosA := math.Sincos(30 * math.Pi / 180)
		sinE, cosE := math.Sincos(25 * math.Pi / 180)
		return scene.At(0.2+distance*cosA*cosE, -0.1+distance*sinA*cosE, 0.3+distance*sinE)
	}
	f = room(t, []scene.Solid{back, ball}, toEye(0), toEye(0.5))
	middle := still(t, f, width, height).RGBAAt(width/2, height/2)
	if middle.R < 2*middle.B {
		t.Errorf("before the blue ball there is no red one: %v", middle)
	}
	f.Scene.Solids[2].Color[3] = 0.5
	half := still(t, f, width, height).RGBAAt(width/2, height/2)
	if half.R < 60 || half.B < 60 {
		t.Errorf("half of red before blue is %v", half)
	}
	f.Scene.Solids[2].Color[3] = 0
	if none := still(t, f, width, height).RGBAAt(width/2, height/2); none.B < 2*none.R {
		t.Errorf("an invisible ball before a blue one is %v", none)
	}
}

// An empty mesh is drawn as nothing, also where it is all there is.
func TestEmptyMesh(t *testing.T) {
	s := &scene.Scene{
		Name: "empty", Interval: 1, Solids: []scene.Solid{{Kind: scene.Mesh, Color: red}},
		Meshes: make([]scene.Triangles, 1),
		View:   scene.View{Distance: 1, Angle: 30, Follow: -1},
	}
	f := &scene.Film{Scene: s}
	if err := f.Append([]scene.Pose{{}}); err != nil {
		t.Fatal(err)
	}
	if c := still(t, f, 20, 20).RGBAAt(10, 10); c.R < 240 || c.G < 240 {
		t.Errorf("colour %v", c)
	}
}

// The picture does not depend on how many cores draw it.
func TestCoresDoNotMatter(t *testing.T) {
	f := room(t, []scene.Solid{{Kind: scene.Capsule, Size: [3]float64{0.1, 0.3}, Color: red}}, scene.At(0, 0, 0.5))
	f.Scene.Grid = 0.5
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one := still(t, f, 160, 120)
	runtime.GOMAXPROCS(4)
	if !bytes.Equal(one.Pix, still(t, f, 160, 120).Pix) {
		t.Error("four cores draw another picture than one")
	}
}

// The view keeps even motion in its place, also at the ends, and smooths jumps.
func TestFollow(t *testing.T) {
	f := room(t, []scene.Solid{{Name: "it", Kind: scene.Sphere, Size: [3]float64{0.1}, Color: red}},
		scene.At(0.5, 0, 0.5))
	f.Scene.View.Follow = 1
	for k := 1; k < 40; k++ {
		if err := f.Append([]scene.Pose{scene.At(0, 0, 0),
			scene.At(0.5+0.1*float64(k), -0.05*float64(k), 0.5)}); err != nil {
			t.Fatal(err)
		}
	}
	for k, v := range Follow(f) {
		want := [3]float64{0.2 + 0.1*float64(k), -0.1 - 0.05*float64(k), 0.3}
		for j := range want {
			if math.Abs(v.Target[j]-want[j]) > 1e-5 {
				t.Fatalf("frame %d: target %v, want %v", k, v.Target, want)
			}
		}
	}
}

// A GIF shows the pictures: colours are near, times add up, and what stands still is not stored again.
func TestGIF(t *testing.T) {
	ball := []scene.Solid{{Name: "it", Kind: scene.Sphere, Size: [3]float64{0.1}, Color: red}}
	f := room(t, ball, scene.At(0, 0, 0.5))
	for k := 1; k < 7; k++ {
		if err := f.Append([]scene.Pose{scene.At(0, 0, 0), scene.At(0.05*float64(k), 0, 0.5)}); err != nil {
			t.Fatal(err)
		}
	}
	pictures, fps, err := Animate(context.Background(), f, Options{Width: 160, Height: 120, FPS: 15})
	if err != nil {
		t.Fatal(err)
	}
	if len(pictures) != 5 || fps != 15 { // 0.3 s hold the times 0, 1/15, …, 4/15
		t.Fatalf("%d pictures at %v", len(pictures), fps)
	}
	var b bytes.Buffer
	if err := EncodeGIF(&b, pictures, fps); err != nil {
		t.Fatal(err)
	}
	g, err := gif.DecodeAll(&b)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, d := range g.Delay {
		sum += d
	}
	if sum != 33 || g.LoopCount != 0 {
		t.Errorf("delays %v, loop %d", g.Delay, g.LoopCount)
	}
	screen := image.NewRGBA(pictures[0].Rect)
	for i, frame := range g.Image {
		if i > 0 && frame.Rect.Dx()*frame.Rect.Dy() > 160*120/3 {
			t.Errorf("frame %d stores %v", i, frame.Rect)
		}
		worst := 0.
		for y := frame.Rect.Min.Y; y < frame.Rect.Max.Y; y++ {
			for x := frame.Rect.Min.X; x < frame.Rect.Max.X; x++ {
				if _, _, _, a := frame.At(x, y).RGBA(); a != 0 {
					screen.Set(x, y, frame.At(x, y))
				}
			}
		}
		for k := range screen.Pix {
			worst = max(worst, math.Abs(float64(screen.Pix[k])-float64(pictures[i].Pix[k])))
		}
		if worst > 12 {
			t.Errorf("frame %d differs by %v of 255", i, worst)
		}
	}
}

func TestStrip(t *testing.T) {
	f := room(t, []scene.Solid{{Name: "it", Kind: scene.Sphere, Size: [3]float64{0.1}, Color: red}},
		scene.At(0, 0, 0.5))
	if err := f.Append([]scene.Pose{scene.At(0, 0, 0), scene.At(0, 0, 0.9)}); err != nil {
		t.Fatal(err)
	}
	strip, err := Strip(context.Background(), f, 2, Options{Width: 60, Height: 50})
	if err != nil {
		t.Fatal(err)
	}
	last, err := Still(f, 1, Options{Width: 60, Height: 50})
	if err != nil {
		t.Fatal(err)
	}
	if strip.Rect.Dx() != 124 || strip.Rect.Dy() != 50 {
		t.Fatalf("the strip is %v", strip.Rect)
	}
	for y := range 50 {
		for x := range 60 {
			if strip.RGBAAt(64+x, y) != last.RGBAAt(x, y) {
				t.Fatalf("the second picture is not the last frame at %d, %d", x, y)
			}
		}
	}
}

func TestBadRequests(t *testing.T) {
	f := room(t, nil)
	size := Options{Width: 60, Height: 50}
	for want, err := range map[string]error{
		"a picture of 0×50 pixels":            second(New(f.Scene, 0, 50)),
		"at most 67108864 pixels":             second(New(f.Scene, 1<<20, 1<<20)),
		"frame 1; the film has frames 0 to 0": second(Still(f, 1, size)),
		"a strip of 1 pictures":               second(Strip(context.Background(), f, 1, size)),
		"an animation of no pictures":         EncodeGIF(&bytes.Buffer{}, nil, 10),
		"51 pictures per second": EncodeGIF(&bytes.Buffer{},
			[]*image.RGBA{image.NewRGBA(image.Rect(0, 0, 1, 1))}, 51),
		"picture 1 of the animation is of size (2,1)": EncodeGIF(&bytes.Buffer{},
			[]*image.RGBA{image.NewRGBA(image.Rect(0, 0, 1, 1)), image.NewRGBA(image.Rect(0, 0, 2, 1))}, 10),
		"azimuth 0°, distance -1": second(
			Still(f, 0, Options{Width: 60, Height: 50, View: &scene.View{Distance: -1, Angle: 30, Follow: -1}})),
		"elevation 91° and angle 30°": second(
			Still(f, 0, Options{Width: 60, Height: 50, View: &scene.View{Distance: 1, Angle: 30, Elevation: 91,
				Follow: -1}})),
		"a frame of 0 poses; the scene room has 1 solids": second(must(New(f.Scene, 9, 9)).Draw(nil, f.Scene.View)),
		"stopped": stopped(f, size),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func must(p *Painter, err error) *Painter {
	if err != nil {
		panic(err)
	}
	return p
}

func stopped(f *scene.Film, o Options) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("stopped"))
	_, _, err := Animate(ctx, f, o)
	return err
}

func BenchmarkDraw(b *testing.B) {
	var solids []scene.Solid
	var poses []scene.Pose
	for i := range 8 {
		solids = append(solids, scene.Solid{Kind: scene.Capsule, Size: [3]float64{0.05, 0.2}, Color: scene.Blue})
		poses = append(poses, scene.At(0.3*float64(i)-1, 0, 0.3))
	}
	f := room(b, solids, poses...)
	for b.Loop() {
		still(b, f, 400, 280)
	}
}
