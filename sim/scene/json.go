package scene

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
)

// Format names the JSON form that Write writes and Read reads.
const Format = "nacre-film/1"

// document is the JSON form. Solids that never move have their pose there; the others are listed in Moving, and Poses
// holds their 7 float32 in that order, frame after frame. Binary fields are base64 of little-endian numbers.
type document struct {
	Format   string     `json:"format"`
	Name     string     `json:"name"`
	Interval float64    `json:"interval"` // seconds between frames
	Frames   int        `json:"frames"`
	View     View       `json:"view"`
	Grid     float64    `json:"grid"`
	Solids   []placed   `json:"solids"`
	Meshes   []packed   `json:"meshes"`
	Moving   []int      `json:"moving"`
	Poses    base64Data `json:"poses"`
}

type placed struct {
	Solid
	Pose Pose `json:"pose"` // in the first frame
}

// packed is a mesh whose vertices are three uint16 each: coordinate = Low + Step·number.
type packed struct {
	Name     string     `json:"name"`
	Low      [3]float32 `json:"low"`
	Step     [3]float32 `json:"step"`
	Vertices base64Data `json:"vertices"`
	Faces    base64Data `json:"faces"` // three uint32 each, or uint16 where there are at most 65,536 vertices
	Count    int        `json:"count"` // of vertices
}

type base64Data []byte

// MarshalText implements encoding.TextMarshaler.
func (b base64Data) MarshalText() ([]byte, error) {
	return base64.StdEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (b *base64Data) UnmarshalText(text []byte) (err error) {
	*b, err = base64.StdEncoding.AppendDecode(nil, text)
	return err
}

// Write writes the film as JSON for playback: meshes once, with vertices rounded to 1/65535 of their mesh's
// extent, and per frame 28 bytes for every solid that moves at all. Meshes that no solid has are left out.
func (r *Film) Write(w io.Writer) error {
	if err := r.Scene.Validate(); err != nil {
		return err
	}
	if r.Frames() == 0 {
		return fmt.Errorf("scene %s: the film has no frames", r.Scene.Name)
	}
	d := document{
		Format: Format, Name: r.Scene.Name, Interval: r.Scene.Interval, Frames: r.Frames(), View: r.Scene.View, Grid: r.Scene.Grid,
		Meshes: []packed{}, Moving: []int{}, Poses: base64Data{},
	}
	index := map[int]int{} // of a mesh in the document
	for i, g := range r.Scene.Solids {
		if g.Kind == Mesh {
			k, ok := index[g.Mesh]
			if !ok {
				k = len(d.Meshes)
				index[g.Mesh] = k
				d.Meshes = append(d.Meshes, pack(r.Scene.Meshes[g.Mesh]))
			}
			g.Mesh = k
		}
		d.Solids = append(d.Solids, placed{g, r.Frame(0)[i]})
		if r.moves(i) {
			d.Moving = append(d.Moving, i)
		}
	}
	for t := range d.Frames {
		for _, i := range d.Moving {
			for _, v := range r.Frame(t)[i] {
				d.Poses = binary.LittleEndian.AppendUint32(d.Poses, math.Float32bits(v))
			}
		}
	}
	return json.NewEncoder(w).Encode(d)
}

// moves reports whether solid i is not always where it is in the first frame.
func (r *Film) moves(i int) bool {
	for t := range r.Frames() {
		if r.Frame(t)[i] != r.Frame(0)[i] {
			return true
		}
	}
	return false
}

func pack(m Triangles) packed {
	p := packed{Name: m.Name, Count: len(m.Vertices)}
	var high [3]float32
	for k := range 3 {
		for i, v := range m.Vertices {
			if i == 0 || v[k] < p.Low[k] {
				p.Low[k] = v[k]
			}
			if i == 0 || v[k] > high[k] {
				high[k] = v[k]
			}
		}
		p.Step[k] = (high[k] - p.Low[k]) / math.MaxUint16
	}
	for _, v := range m.Vertices {
		for k := range 3 {
			n := 0.
			if p.Step[k] > 0 {
				n = math.Round(float64(v[k]-p.Low[k]) / float64(p.Step[k]))
			}
			p.Vertices = binary.LittleEndian.AppendUint16(p.Vertices, uint16(min(n, math.MaxUint16)))
		}
	}
	for _, f := range m.Faces {
		for _, v := range f {
			if p.short() {
				p.Faces = binary.LittleEndian.AppendUint16(p.Faces, uint16(v))
			} else {
				p.Faces = binary.LittleEndian.AppendUint32(p.Faces, uint32(v))
			}
		}
	}
	return p
}

// short reports whether indices of vertices are uint16.
func (p packed) short() bool { return p.Count <= math.MaxUint16+1 }

func (p packed) unpack() (Triangles, error) {
	width := 4
	if p.short() {
		width = 2
	}
	m := Triangles{Name: p.Name}
	if p.Count < 0 || len(p.Vertices) != 6*p.Count || len(p.Faces)%(3*width) != 0 {
		return m, fmt.Errorf("mesh %q: %d vertices in %d bytes and faces in %d bytes; expected 6 bytes per vertex and %d per face",
			p.Name, p.Count, len(p.Vertices), len(p.Faces), 3*width)
	}
	for raw := range slices.Chunk(p.Vertices, 6) {
		var v [3]float32
		for k := range v {
			v[k] = p.Low[k] + p.Step[k]*float32(binary.LittleEndian.Uint16(raw[2*k:]))
		}
		m.Vertices = append(m.Vertices, v)
	}
	for raw := range slices.Chunk(p.Faces, 3*width) {
		var f [3]int32
		for k := range f {
			if width == 2 {
				f[k] = int32(binary.LittleEndian.Uint16(raw[2*k:]))
			} else {
				f[k] = int32(binary.LittleEndian.Uint32(raw[4*k:]))
			}
		}
		m.Faces = append(m.Faces, f)
	}
	return m, nil
}

// Read reads what Write wrote.
func Read(r io.Reader) (*Film, error) {
	var d document
	if err := json.NewDecoder(r).Decode(&d); err != nil {
		return nil, fmt.Errorf("scene: read a film: %w", err)
	}
	if d.Format != Format {
		return nil, fmt.Errorf("scene: read a film: the format is %q, expected %q", d.Format, Format)
	}
	s := &Scene{Name: d.Name, View: d.View, Grid: d.Grid, Interval: d.Interval}
	still := make([]Pose, len(d.Solids))
	for i, g := range d.Solids {
		s.Solids = append(s.Solids, g.Solid)
		still[i] = g.Pose
	}
	for _, p := range d.Meshes {
		m, err := p.unpack()
		if err != nil {
			return nil, fmt.Errorf("scene %s: %w", d.Name, err)
		}
		s.Meshes = append(s.Meshes, m)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if row := 28 * len(d.Moving); d.Frames < 1 || len(d.Poses) != d.Frames*row {
		return nil, fmt.Errorf("scene %s: %d frames of %d moving solids in %d bytes; expected at least 1 frame and 28 bytes per pose",
			d.Name, d.Frames, len(d.Moving), len(d.Poses))
	}
	rec := &Film{Scene: s}
	raw := d.Poses
	for range d.Frames {
		for _, i := range d.Moving {
			if i < 0 || i >= len(still) {
				return nil, fmt.Errorf("scene %s: solid %d moves; expected 0 to %d", d.Name, i, len(still)-1)
			}
			for k := range still[i] {
				still[i][k] = math.Float32frombits(binary.LittleEndian.Uint32(raw))
				raw = raw[4:]
			}
		}
		if err := rec.Append(still); err != nil {
			return nil, err
		}
	}
	return rec, nil
}
