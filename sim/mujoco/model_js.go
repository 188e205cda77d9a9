package mujoco

import (
	"bytes"
	"fmt"
	"slices"
	"syscall/js"
	"unsafe"

	"nacre/sim/scene"
)

// Model is a compiled model in MuJoCo's memory. Chunks only read it.
type Model struct {
	js    js.Value // Model of web/src/worker/physics.ts
	sizes Sizes
	names []byte // of everything, each ended by a zero
}

// LoadXML compiles an MJCF text without external files. The error is MuJoCo's, with the line of the text.
func LoadXML(text string) (*Model, error) {
	physics, err := start()
	if err != nil {
		return nil, err
	}
	model, err := made(physics.Call("fromText", text))
	if err != nil {
		return nil, fmt.Errorf("mujoco: load model: %w", err)
	}
	return newModel(model), nil
}

// LoadFile compiles the MJCF file at path, which is one of the page's scenes of Meta-World, and fetches it with the
// files it names. The error is MuJoCo's or says what could not be fetched.
func LoadFile(path string) (*Model, error) {
	physics, err := start()
	if err != nil {
		return nil, err
	}
	files, err := await(offer.Call("scene", path))
	if err != nil {
		return nil, fmt.Errorf("mujoco: load %s: %w", path, err)
	}
	model, err := made(physics.Call("fromFiles", files))
	if err != nil {
		return nil, fmt.Errorf("mujoco: load %s: %w", path, err)
	}
	return newModel(model), nil
}

func newModel(v js.Value) *Model {
	s := v.Call("sizes")
	at := func(i int) int { return s.Index(i).Int() }
	m := &Model{js: v, sizes: Sizes{
		NQ: at(0), NV: at(1), NU: at(2), NBody: at(3), NGeom: at(4), NSite: at(5), NMocap: at(6),
		Timestep: s.Index(7).Float(),
	}}
	m.names = array[byte](m, "names")
	return m
}

// Close frees the model; its chunks must have been closed before.
func (m *Model) Close() {
	if m.js.Truthy() {
		m.js.Call("delete")
		m.js = js.Undefined()
	}
}

// Sizes returns the dimensions of the model.
func (m *Model) Sizes() Sizes { return m.sizes }

// array copies an array of the model.
func array[T byte | int32 | float32 | float64](m *Model, field string) []T {
	bytes := m.js.Call("bytes", field)
	all := make([]T, bytes.Length()/int(unsafe.Sizeof(*new(T))))
	js.CopyBytesToGo(raw(all), bytes)
	return all
}

// raw are the bytes of numbers, in place.
func raw[T any](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}

// fieldNames are the fields of mjModel that a chunk can vary.
var fieldNames = map[Field]string{
	BodyMass: "body_mass", BodyInertia: "body_inertia", DofDamping: "dof_damping", GeomFriction: "geom_friction",
	BodyPos: "body_pos", SitePos: "site_pos",
}

// Parameters returns copies of fields of the model as they are now, one after the other.
func (m *Model) Parameters(fields ...Field) []float64 {
	var all []float64
	for _, f := range fields {
		all = append(all, array[float64](m, fieldNames[f])...)
	}
	return all
}

// Body returns the number of the body called name.
func (m *Model) Body(name string) (int, error) { return m.find("mjOBJ_BODY", "body", name) }

// Geom returns the number of the geom called name.
func (m *Model) Geom(name string) (int, error) { return m.find("mjOBJ_GEOM", "geom", name) }

// Site returns the number of the site called name.
func (m *Model) Site(name string) (int, error) { return m.find("mjOBJ_SITE", "site", name) }

// Joint returns where the positions of the joint called name begin in QPos and its velocities in QVel.
func (m *Model) Joint(name string) (qpos, qvel int, err error) {
	id, err := m.find("mjOBJ_JOINT", "joint", name)
	if err != nil {
		return 0, 0, err
	}
	return int(array[int32](m, "jnt_qposadr")[id]), int(array[int32](m, "jnt_dofadr")[id]), nil
}

func (m *Model) find(kind, what, name string) (int, error) {
	id := m.js.Call("id", kind, name).Int()
	if id < 0 {
		return 0, fmt.Errorf("mujoco: the model has no %s %q", what, name)
	}
	return id, nil
}

// SetWelds gives every weld constraint of the model the same numbers: the anchor in the second body's frame, the second
// body's position and quaternion (w, x, y, z) relative to the first, and the weight of rotation. It must come before
// NewChunk.
func (m *Model) SetWelds(anchor, position [3]float64, quaternion [4]float64, torqueScale float64) {
	numbers := slices.Concat(anchor[:], position[:], quaternion[:], []float64{torqueScale})
	list := make([]any, len(numbers))
	for i, v := range numbers {
		list[i] = v
	}
	m.js.Call("setWelds", list)
}

func (m *Model) elements(site bool) elements {
	of := "geom"
	if site {
		of = "site"
	}
	all := elements{
		names: m.namesAt(of), group: array[int32](m, of+"_group"), material: array[int32](m, of+"_matid"),
		kind: array[int32](m, of+"_type"),
		body: array[int32](m, of+"_bodyid"), size: array[float64](m, of+"_size"), rgba: array[float32](m, of+"_rgba"),
	}
	if !site {
		all.mesh = array[int32](m, "geom_dataid")
	}
	return all
}

// namesAt returns the names of objects, "" of those without.
func (m *Model) namesAt(of string) func(i int) string {
	at := array[int32](m, "name_"+of+"adr")
	return func(i int) string {
		name, _, _ := bytes.Cut(m.names[at[i]:], []byte{0})
		return string(name)
	}
}

func (m *Model) bodyName(i int) string { return m.namesAt("body")(i) }

func (m *Model) materialColour(i int) []float32 { return array[float32](m, "mat_rgba")[4*i : 4*i+4] }

// textureMean is the mean colour of the texture that a material is painted with. The page's textures have one pixel,
// which is the mean of the original's.
func (m *Model) textureMean(material int) (mean [3]float64, has bool) {
	const roleRGB = 1 // mjTEXROLE_RGB
	textures := array[int32](m, "mat_texid")
	roles := len(textures) / (len(array[float32](m, "mat_rgba")) / 4)
	t := textures[material*roles+roleRGB]
	if t < 0 || array[int32](m, "tex_nchannel")[t] < 3 {
		return mean, false
	}
	channels := int(array[int32](m, "tex_nchannel")[t])
	pixels := int(array[int32](m, "tex_height")[t]) * int(array[int32](m, "tex_width")[t])
	data := array[byte](m, "tex_data")[array[int32](m, "tex_adr")[t]:]
	for p := range pixels {
		for k := range mean {
			mean[k] += float64(data[channels*p+k]) / (255 * float64(pixels))
		}
	}
	return mean, pixels > 0
}

func (m *Model) mesh(i int) scene.Triangles {
	part := func(of string) (from, to int) {
		from = int(array[int32](m, "mesh_"+of+"adr")[i])
		return from, from + int(array[int32](m, "mesh_"+of+"num")[i])
	}
	t := scene.Triangles{Name: m.namesAt("mesh")(i)}
	from, to := part("vert")
	for _, v := range grouped[[3]float32](array[float32](m, "mesh_vert"), from, to) {
		t.Vertices = append(t.Vertices, v)
	}
	from, to = part("face")
	for _, f := range grouped[[3]int32](array[int32](m, "mesh_face"), from, to) {
		t.Faces = append(t.Faces, f)
	}
	return t
}

// grouped are triples of numbers, from one to another.
func grouped[G [3]float32 | [3]int32, T float32 | int32](all []T, from, to int) []G {
	if from == to {
		return nil
	}
	return slices.Clone(unsafe.Slice((*G)(unsafe.Pointer(&all[3*from])), to-from))
}

// breakIntegrator makes every mj_step of the model raise an error, for the tests.
func (m *Model) breakIntegrator() { m.js.Get("model").Get("opt").Set("integrator", 99) }
