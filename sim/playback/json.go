package playback

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"nacre/sim/scene"
)

// Format and Version name the JSON form.
const (
	Format  = "nacre-rollout"
	Version = 1
)

// document is the JSON form. Binary fields are base64 of little-endian numbers.
type document struct {
	Format   string    `json:"format"`
	Version  int       `json:"version"`
	Title    string    `json:"title"`
	Link     string    `json:"link,omitempty"`
	Meshes   []packed  `json:"meshes"` // meshes of all episodes
	Episodes []episode `json:"episodes"`
}

// episode has the pose of every solid in the first frame. Moving lists the solids that move. Poses holds 7 float32 for
// each of these solids, in the order of Moving, frame after frame.
type episode struct {
	Name     string     `json:"name"` // the family
	Label    string     `json:"label"`
	Interval float64    `json:"interval"` // seconds between frames
	Frames   int        `json:"frames"`
	View     scene.View `json:"view"`
	Grid     float64    `json:"grid"`
	Solids   []placed   `json:"solids"`
	Moving   []int      `json:"moving"`
	Poses    base64Data `json:"poses"`
	Reward   []float32  `json:"reward"`            // reward of each step, or null
	Success  []int      `json:"success,omitempty"` // 0 or 1 for each step; absent if no step was a success
	Model    *model     `json:"model,omitempty"`
}

// model is set if the browser's MuJoCo can continue from a frame.
type model struct {
	scene.Model
	NQ   int        `json:"nq"`
	QPos base64Data `json:"qpos"` // NQ float32 per frame
}

type placed struct {
	scene.Solid
	Pose scene.Pose `json:"pose"` // pose in the first frame
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

// MarshalJSON returns the document for playback. A mesh that several episodes share is stored once. Its vertices are
// rounded to 1/65535 of its extent, and a mesh of more than 4,000 triangles is made coarser. Every solid that moves
// takes 28 bytes of every frame, before base64.
func (d *Document) MarshalJSON() ([]byte, error) {
	if len(d.Episodes) == 0 {
		return nil, fmt.Errorf("playback: there are no episodes")
	}
	out := document{Format: Format, Version: Version, Title: d.Title, Link: d.Link, Meshes: []packed{}}
	index := map[string]int{} // index of a mesh in the document, by its content
	for i := range d.Episodes {
		e := &d.Episodes[i]
		if err := e.check(); err != nil {
			return nil, fmt.Errorf("playback: episode %d: %w", i+1, err)
		}
		out.Episodes = append(out.Episodes, e.pack(func(m scene.Triangles) int {
			p := pack(m)
			key := p.key()
			k, ok := index[key]
			if !ok {
				k = len(out.Meshes)
				index[key] = k
				out.Meshes = append(out.Meshes, p)
			}
			return k
		}))
	}
	return json.Marshal(out)
}

func (e *Episode) pack(mesh func(scene.Triangles) int) episode {
	s := e.Film.Scene
	out := episode{
		Name: s.Name, Label: e.Label, Interval: s.Interval, Frames: e.Film.Frames(), View: s.View, Grid: s.Grid,
		Moving: []int{}, Poses: base64Data{},
	}
	known := map[int]int{}
	for i, g := range s.Solids {
		if g.Kind == scene.Mesh {
			k, ok := known[g.Mesh]
			if !ok {
				k = mesh(s.Meshes[g.Mesh])
				known[g.Mesh] = k
			}
			g.Mesh = k
		}
		out.Solids = append(out.Solids, placed{g, e.Film.Frame(0)[i]})
		if moves(e.Film, i) {
			out.Moving = append(out.Moving, i)
		}
	}
	for t := range out.Frames {
		for _, i := range out.Moving {
			for _, v := range e.Film.Frame(t)[i] {
				out.Poses = binary.LittleEndian.AppendUint32(out.Poses, math.Float32bits(v))
			}
		}
	}
	for _, v := range e.Reward {
		out.Reward = append(out.Reward, float32(v))
	}
	for t, ok := range e.Success {
		if ok && out.Success == nil {
			out.Success = make([]int, len(e.Success))
		}
		if ok {
			out.Success[t] = 1
		}
	}
	if s.Model != nil && e.QPos != nil {
		out.Model = &model{Model: *s.Model, NQ: len(e.QPos[0])}
		for _, row := range e.QPos {
			for _, v := range row {
				out.Model.QPos = binary.LittleEndian.AppendUint32(out.Model.QPos, math.Float32bits(float32(v)))
			}
		}
	}
	return out
}

// moves reports whether solid i is not always where it is in the first frame.
func moves(f *scene.Film, i int) bool {
	for t := range f.Frames() {
		if f.Frame(t)[i] != f.Frame(0)[i] {
			return true
		}
	}
	return false
}

// UnmarshalJSON reads what MarshalJSON returned. Every episode's scene has all meshes of the document.
func (d *Document) UnmarshalJSON(b []byte) error {
	var in document
	if err := json.Unmarshal(b, &in); err != nil {
		return fmt.Errorf("playback: %w", err)
	}
	if in.Format != Format || in.Version != Version {
		return fmt.Errorf("playback: the format is %q, version %d; expected %q, version %d", in.Format, in.Version,
			Format, Version)
	}
	var meshes []scene.Triangles
	for _, p := range in.Meshes {
		m, err := p.unpack()
		if err != nil {
			return fmt.Errorf("playback: %w", err)
		}
		meshes = append(meshes, m)
	}
	*d = Document{Title: in.Title, Link: in.Link}
	for i := range in.Episodes {
		e, err := in.Episodes[i].unpack(meshes)
		if err == nil {
			err = e.check()
		}
		if err != nil {
			return fmt.Errorf("playback: episode %d: %w", i+1, err)
		}
		d.Episodes = append(d.Episodes, e)
	}
	return nil
}

// mostFrames bounds the frames of a film. If nothing moves in a film, the document's length does not bound them.
const mostFrames = 1_000_000

func (e *episode) unpack(meshes []scene.Triangles) (Episode, error) {
	s := &scene.Scene{Name: e.Name, Meshes: meshes, View: e.View, Grid: e.Grid, Interval: e.Interval}
	still := make([]scene.Pose, len(e.Solids))
	for i, g := range e.Solids {
		s.Solids = append(s.Solids, g.Solid)
		still[i] = g.Pose
	}
	out := Episode{Label: e.Label, Film: &scene.Film{Scene: s}}
	if row := 28 * len(e.Moving); e.Frames < 1 || e.Frames > mostFrames || len(e.Poses) != e.Frames*row {
		return out, fmt.Errorf("%d frames of %d moving solids in %d bytes; expected 1 to %d frames and 28 bytes per "+
			"pose",
			e.Frames, len(e.Moving), len(e.Poses), mostFrames)
	}
	raw := e.Poses
	for range e.Frames {
		for _, i := range e.Moving {
			if i < 0 || i >= len(still) {
				return out, fmt.Errorf("solid %d moves; expected 0 to %d", i, len(still)-1)
			}
			for k := range still[i] {
				still[i][k] = math.Float32frombits(binary.LittleEndian.Uint32(raw))
				raw = raw[4:]
			}
		}
		if err := out.Film.Append(still); err != nil {
			return out, err
		}
	}
	if m := e.Model; m != nil {
		if m.NQ < 1 || m.NQ > len(m.QPos) || len(m.QPos) != 4*m.NQ*e.Frames {
			return out, fmt.Errorf("%d joint positions of %d frames in %d bytes; expected 4 bytes each", m.NQ, e.Frames,
				len(m.QPos))
		}
		s.Model = &m.Model
		for row := range slices.Chunk(m.QPos, 4*m.NQ) {
			q := make([]float64, m.NQ)
			for k := range q {
				q[k] = float64(math.Float32frombits(binary.LittleEndian.Uint32(row[4*k:])))
			}
			out.QPos = append(out.QPos, q)
		}
	}
	for _, v := range e.Reward {
		out.Reward = append(out.Reward, float64(v))
	}
	for _, v := range e.Success {
		out.Success = append(out.Success, v != 0)
	}
	return out, nil
}
