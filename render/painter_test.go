package render

import (
	"testing"

	"nacre/sim/scene"
)

func BenchmarkDraw(b *testing.B) {
	s := &scene.Scene{Name: "b", Interval: 1, Grid: 0.5, Solids: []scene.Solid{{Kind: scene.Plane, Color: scene.Floor}}}
	poses := []scene.Pose{scene.At(0, 0, 0)}
	for i := range 8 {
		s.Solids = append(s.Solids, scene.Solid{Kind: scene.Capsule, Size: [3]float64{0.05, 0.2}, Color: scene.Blue})
		poses = append(poses, scene.At(0.3*float64(i)-1, 0, 0.3))
	}
	p, err := New(s, 640, 420)
	if err != nil {
		b.Fatal(err)
	}
	v := scene.View{Target: [3]float64{0, 0, 0.4}, Distance: 4, Azimuth: -76, Elevation: 12, Angle: 30}
	for b.Loop() {
		if _, err := p.Draw(poses, v); err != nil {
			b.Fatal(err)
		}
	}
}
