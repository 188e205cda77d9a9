// Package scene describes the view of an environment as data: solids with shape, size and colour, meshes, and the place
// of each solid in every frame of a film. Package render draws a scene, and package sim/playback writes it for a
// browser. This package draws nothing and contains no physics.
//
//	s := &scene.Scene{Name: "ball", Interval: 0.05, Solids: []scene.Solid{
//		{Name: "floor", Kind: scene.Plane, Color: scene.Color{0.9, 0.9, 0.9, 1}},
//		{Name: "ball", Kind: scene.Sphere, Size: [3]float64{0.1}, Color: scene.Color{0.8, 0.3, 0.2, 1}},
//	}}
//	r := &scene.Film{Scene: s}
//	r.Append([]scene.Pose{scene.At(0, 0, 0), scene.At(0, 0, 0.3)})
//	r.Append([]scene.Pose{scene.At(0, 0, 0), scene.At(0, 0, 0.2)})
package scene

import (
	"fmt"
	"math"
)

// Kind is the shape of a solid.
type Kind string

// These are the kinds of solids. The axis of a solid is the z axis of its own frame, and its centre is the origin of
// this frame.
const (
	Plane     Kind = "plane"     // z = 0, seen from above. Size: half widths in x and y, 0 for endless
	Sphere    Kind = "sphere"    // Size: radius
	Capsule   Kind = "capsule"   // Size: radius, half the length of the cylinder between the two half spheres
	Ellipsoid Kind = "ellipsoid" // Size: half axes
	Cylinder  Kind = "cylinder"  // Size: radius, half length
	Box       Kind = "box"       // Size: half widths
	Mesh      Kind = "mesh"      // triangles of Scene.Meshes
)

// Color has red, green and blue in sRGB, and opacity, each in [0,1].
type Color [4]float64

// Pose is a position x, y, z in metres and an orientation as unit quaternion w, x, y, z.
type Pose [7]float32

// At returns the pose at a position, with the world's orientation.
func At(x, y, z float64) Pose { return Pose{float32(x), float32(y), float32(z), 1} }

// Solid is one thing to see.
type Solid struct {
	Name  string     `json:"name,omitempty"`
	Kind  Kind       `json:"kind"`
	Size  [3]float64 `json:"size"`           // metres; see Kind
	Mesh  int        `json:"mesh,omitempty"` // index into Scene.Meshes if Kind is Mesh
	Color Color      `json:"color"`
	// whether the solid only marks a goal or a direction; then it casts no shadow
	Sign bool `json:"sign,omitempty"`
}

// Triangles is a closed or open surface. Faces are counter-clockwise seen from outside.
type Triangles struct {
	Name     string
	Vertices [][3]float32
	Faces    [][3]int32 // indices into Vertices
}

// View is the point and direction from which a scene is seen.
type View struct {
	Target    [3]float64 `json:"target"`   // the point in the middle of the picture, metres
	Distance  float64    `json:"distance"` // distance of the eye from Target, metres
	Azimuth   float64    `json:"azimuth"`  // degrees from x towards y at which the eye stands, seen from Target
	Elevation float64    `json:"elevation"`
	Angle     float64    `json:"angle"`  // height of the picture in degrees as seen from the eye
	Follow    int        `json:"follow"` // index of the solid that Target follows in the x-y plane, -1 for none
}

// Scene holds what the environments of a task look like.
type Scene struct {
	Name     string
	Solids   []Solid
	Meshes   []Triangles
	View     View
	Grid     float64 // width of the floor's squares in metres, 0 for none
	Interval float64 // seconds of a control step, from one frame of a film to the next
	// data with which a physics engine can go on from a frame; nil if the frame is not enough for this
	Model *Model
	// Omitted names the parts of the model that a Scene cannot hold, such as height fields.
	Omitted []string
}

// Model holds the data with which MuJoCo moves the scene's solids.
type Model struct {
	MJCF     string  `json:"mjcf"`     // the model's text
	Substeps int     `json:"substeps"` // steps of the model per frame
	Gain     float64 `json:"gain"`     // control of an actuator at an action of 1
	// Geoms has, for every solid, the index of its geometry in the model. It is -1 for solids that only mark something.
	Geoms []int `json:"geoms"`
}

// Validate says what is wrong with the scene, and names the solid.
func (s *Scene) Validate() error {
	for i, g := range s.Solids {
		if err := s.check(g); err != nil {
			return fmt.Errorf("scene %s: solid %d %q: %w", s.Name, i, g.Name, err)
		}
	}
	for i, m := range s.Meshes {
		for k, f := range m.Faces {
			for _, v := range f {
				if v < 0 || int(v) >= len(m.Vertices) {
					return fmt.Errorf("scene %s: mesh %d %q: face %d has the vertex %d; expected 0 to %d", s.Name, i,
						m.Name, k, v, len(m.Vertices)-1)
				}
			}
		}
	}
	if !(s.Interval > 0) || math.IsInf(s.Interval, 0) {
		return fmt.Errorf("scene %s: %v s between frames; expected a positive time", s.Name, s.Interval)
	}
	if v := s.View; v.Follow < -1 || v.Follow >= len(s.Solids) {
		return fmt.Errorf("scene %s: the view follows solid %d; expected -1 for none or 0 to %d", s.Name, v.Follow,
			len(s.Solids)-1)
	}
	if m := s.Model; m != nil && len(m.Geoms) != len(s.Solids) {
		return fmt.Errorf("scene %s: the model says of %d solids what they are; the scene has %d", s.Name, len(m.Geoms),
			len(s.Solids))
	}
	return nil
}

func (s *Scene) check(g Solid) error {
	used := map[Kind]int{Plane: 0, Sphere: 1, Capsule: 2, Ellipsoid: 3, Cylinder: 2, Box: 3, Mesh: 0}
	n, known := used[g.Kind]
	if !known {
		return fmt.Errorf("kind %q; expected plane, sphere, capsule, ellipsoid, cylinder, box or mesh", g.Kind)
	}
	for k, v := range g.Size {
		if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 || k < n && v == 0 {
			return fmt.Errorf("size %v; expected a positive length at index %d", g.Size, k)
		}
	}
	if g.Kind == Mesh && (g.Mesh < 0 || g.Mesh >= len(s.Meshes)) {
		return fmt.Errorf("mesh %d; the scene has %d", g.Mesh, len(s.Meshes))
	}
	for _, v := range g.Color {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("colour %v; expected red, green, blue and opacity in [0,1]", g.Color)
		}
	}
	return nil
}

// Film is a scene in motion.
type Film struct {
	Scene *Scene
	poses []Pose // frame after frame, one pose per solid
}

// Append adds a frame: the pose of every solid. It copies poses.
func (r *Film) Append(poses []Pose) error {
	if len(poses) != len(r.Scene.Solids) {
		return fmt.Errorf("scene %s: a frame of %d poses; the scene has %d solids", r.Scene.Name, len(poses),
			len(r.Scene.Solids))
	}
	for i, p := range poses {
		for _, v := range p {
			if v := float64(v); math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("scene %s: frame %d: the pose of solid %d %q is %v; expected finite numbers",
					r.Scene.Name, r.Frames(), i, r.Scene.Solids[i].Name, p)
			}
		}
	}
	r.poses = append(r.poses, poses...)
	return nil
}

// Frames returns how many frames there are.
func (r *Film) Frames() int {
	if len(r.Scene.Solids) == 0 {
		return 0
	}
	return len(r.poses) / len(r.Scene.Solids)
}

// Frame returns the poses of frame t in place.
func (r *Film) Frame(t int) []Pose {
	n := len(r.Scene.Solids)
	return r.poses[t*n : (t+1)*n]
}
