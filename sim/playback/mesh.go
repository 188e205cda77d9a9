package playback

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"nacre/sim/scene"
)

// maxFaces bounds the triangles of one mesh. A mesh with more is made coarser.
const maxFaces = 4000

// packed is a mesh whose vertices are three uint16 each: coordinate = Low + Step·number.
type packed struct {
	Name     string     `json:"name"`
	Low      [3]float32 `json:"low"`
	Step     [3]float32 `json:"step"`
	Vertices base64Data `json:"vertices"`
	Faces    base64Data `json:"faces"` // three uint32 each, or uint16 if there are at most 65,536 vertices
	Count    int        `json:"count"` // number of vertices
}

// pack makes a mesh of more than maxFaces triangles coarser and rounds vertices to 1/65535 of the mesh's extent.
func pack(m scene.Triangles) packed {
	m = coarser(m)
	p := packed{Name: m.Name, Count: len(m.Vertices)}
	low, high := extent(m.Vertices)
	p.Low = low
	for k := range 3 {
		p.Step[k] = (high[k] - low[k]) / math.MaxUint16
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
			if p.width() == 2 {
				p.Faces = binary.LittleEndian.AppendUint16(p.Faces, uint16(v))
			} else {
				p.Faces = binary.LittleEndian.AppendUint32(p.Faces, uint32(v))
			}
		}
	}
	return p
}

// width is the bytes of an index of a vertex.
func (p *packed) width() int {
	if p.Count <= math.MaxUint16+1 {
		return 2
	}
	return 4
}

// key is equal for meshes of equal shape.
func (p *packed) key() string {
	return fmt.Sprint(p.Low, p.Step, p.Count) + string(p.Vertices) + string(p.Faces)
}

func (p *packed) unpack() (scene.Triangles, error) {
	width := p.width()
	m := scene.Triangles{Name: p.Name}
	if p.Count < 0 || len(p.Vertices) != 6*p.Count || len(p.Faces)%(3*width) != 0 {
		return m, fmt.Errorf("mesh %q: %d vertices in %d bytes and faces in %d bytes; expected 6 bytes per vertex "+
			"and %d per face",
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

func extent(vertices [][3]float32) (low, high [3]float32) {
	for i, v := range vertices {
		for k := range v {
			if i == 0 || v[k] < low[k] {
				low[k] = v[k]
			}
			if i == 0 || v[k] > high[k] {
				high[k] = v[k]
			}
		}
	}
	return low, high
}

// coarser merges vertices that share a cell of a grid into their mean, on the finest grid that leaves at most maxFaces
// triangles (Rossignac and Borrel 1993). No vertex moves farther than the diagonal of a cell.
func coarser(m scene.Triangles) scene.Triangles {
	if len(m.Faces) <= maxFaces {
		return m
	}
	// The number of cells along the longest side; at 1 every triangle is gone.
	fine, coarse := 1024, 1
	best := merge(m, coarse)
	for fine-coarse > 1 {
		cells := (fine + coarse) / 2
		if c := merge(m, cells); len(c.Faces) <= maxFaces {
			best, coarse = c, cells
		} else {
			fine = cells
		}
	}
	return best
}

func merge(m scene.Triangles, cells int) scene.Triangles {
	low, high := extent(m.Vertices)
	side := max(high[0]-low[0], high[1]-low[1], high[2]-low[2]) / float32(cells)
	out := scene.Triangles{Name: m.Name}
	index := map[[3]int32]int32{} // index of the merged vertex of a cell
	to := make([]int32, len(m.Vertices))
	var count []float32
	for i, v := range m.Vertices {
		var cell [3]int32
		for k := range v {
			cell[k] = min(int32((v[k]-low[k])/side), int32(cells-1))
		}
		at, ok := index[cell]
		if !ok {
			at = int32(len(out.Vertices))
			index[cell] = at
			out.Vertices, count = append(out.Vertices, [3]float32{}), append(count, 0)
		}
		to[i] = at
		count[at]++
		for k := range v {
			out.Vertices[at][k] += (v[k] - out.Vertices[at][k]) / count[at]
		}
	}
	seen := map[[3]int32]bool{}
	for _, f := range m.Faces {
		a, b, c := to[f[0]], to[f[1]], to[f[2]]
		if a == b || b == c || c == a {
			continue
		}
		// A triangle is the same with any corner first.
		for a > b || a > c {
			a, b, c = b, c, a
		}
		if g := [3]int32{a, b, c}; !seen[g] {
			seen[g] = true
			out.Faces = append(out.Faces, g)
		}
	}
	return out
}
