package layouts

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"nacre/internal/rng"
)

// perTile is how many points a tile holds; levels is how deep the pyramid may be. The tiles of the last level hold what
// is left.
const (
	perTile = 4096
	levels  = 16
)

// Key is a tile's place: level Z cuts the square around all points into 2^Z × 2^Z tiles, X to the right and Y upwards.
type Key struct{ Z, X, Y int }

// pyramid holds every point once: the first that come, in random order, in the tile of the whole, the next in its
// quarters, and so on. The tiles down to a level are so a random sample, the denser the smaller their squares.
type pyramid struct {
	x0, y0, side float64
	tiles        map[Key][]int32
}

// draws is the path of the random stream that orders the points.
const draws = 11

func build(x, y []float32) *pyramid {
	p := &pyramid{tiles: map[Key][]int32{}}
	x0, x1, y0, y1 := slices.Min(x), slices.Max(x), slices.Min(y), slices.Max(y)
	p.side = max(float64(x1)-float64(x0), float64(y1)-float64(y0)) * (1 + 1e-6)
	p.side = cmp.Or(p.side, 1)
	p.x0, p.y0 = (float64(x0)+float64(x1)-p.side)/2, (float64(y0)+float64(y1)-p.side)/2
	order := make([]int32, len(x))
	for i := range order {
		order[i] = int32(i)
	}
	r := rng.New(0, rng.TSNE, draws)
	r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for _, i := range order {
		u, v := (float64(x[i])-p.x0)/p.side, (float64(y[i])-p.y0)/p.side
		for z := range levels {
			n := float64(int(1) << z)
			k := Key{z, int(math.Floor(u * n)), int(math.Floor(v * n))}
			if t := p.tiles[k]; len(t) < perTile || z == levels-1 {
				p.tiles[k] = append(t, i)
				break
			}
		}
	}
	return p
}

// Keys lists the tiles that hold points, level by level.
func (l *Layout) Keys() []Key {
	return slices.SortedFunc(maps.Keys(l.pyramid.tiles), func(a, b Key) int {
		return cmp.Or(cmp.Compare(a.Z, b.Z), cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X))
	})
}

// Square is the lower left corner and the side of the square that the tiles divide.
func (l *Layout) Square() (x0, y0, side float64) { return l.pyramid.x0, l.pyramid.y0, l.pyramid.side }

// Tile returns the rows of the points of a tile.
func (l *Layout) Tile(k Key) (rows []int32, ok bool) {
	rows, ok = l.pyramid.tiles[k]
	return rows, ok
}

// encode writes a tile for the page: the number of its points as uint32, and each of all rows, all x, all y and all
// values of every column as 4 bytes, little-endian (web/src/embeddings/tiles.ts).
func (l *Layout) encode(rows []int32) []byte {
	out := make([]byte, 0, 4+4*len(rows)*(3+len(l.Columns)))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(rows)))
	for _, i := range rows {
		out = binary.LittleEndian.AppendUint32(out, uint32(i))
	}
	values := [][]float32{l.X, l.Y}
	for _, c := range l.Columns {
		values = append(values, c.Values)
	}
	for _, v := range values {
		for _, i := range rows {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v[i]))
		}
	}
	return out
}

// density counts the points in size × size cells of the square, from the lower left, row by row. It counts only the
// points for which keep is true.
func (l *Layout) density(size int, keep func(i int) bool) []uint32 {
	out := make([]uint32, size*size)
	p, n := l.pyramid, float64(size)
	for i := range l.X {
		if keep != nil && !keep(i) {
			continue
		}
		u, v := (float64(l.X[i])-p.x0)/p.side, (float64(l.Y[i])-p.y0)/p.side
		out[min(int(v*n), size-1)*size+min(int(u*n), size-1)]++
	}
	return out
}
