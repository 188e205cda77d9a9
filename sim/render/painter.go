// Package render draws a scene.Film as still pictures, film strips and animated GIFs. It traces rays in Go, one or
// eight per pixel, against the exact shapes. So it needs no display, graphics driver or system library, and it draws
// curved bodies without facets. It is made for figures and notebook cells, not for real time.
//
//	p, err := render.New(film.Scene, 480, 320)
//	views := render.Follow(film)
//	picture, err := p.Draw(film.Frame(0), views[0])
//	err = png.Encode(file, picture)
package render

import (
	"fmt"
	"image"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"nacre/sim/scene"
)

// maxPixels bounds the size of a picture.
const maxPixels = 1 << 26

// Painter draws frames of one scene in one size. It is used by one goroutine at a time; inside, it uses all cores. The
// number of cores does not change the picture.
type Painter struct {
	scene         *scene.Scene
	meshes        []*mesh
	width, height int
}

// New prepares a scene for pictures of width by height pixels.
func New(s *scene.Scene, width, height int) (*Painter, error) {
	if width < 1 || height < 1 || width > maxPixels/height {
		return nil, fmt.Errorf("render: a picture of %d×%d pixels; expected at least 1×1 and at most %d pixels", width,
			height, maxPixels)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	p := &Painter{scene: s, width: width, height: height}
	for i := range s.Meshes {
		p.meshes = append(p.meshes, newMesh(&s.Meshes[i]))
	}
	return p, nil
}

// Draw returns the picture of a frame: one pose per solid of the scene, seen by v.
func (p *Painter) Draw(poses []scene.Pose, v scene.View) (*image.RGBA, error) {
	if len(poses) != len(p.scene.Solids) {
		return nil, fmt.Errorf("render: a frame of %d poses; the scene %s has %d solids", len(poses), p.scene.Name,
			len(p.scene.Solids))
	}
	c, err := newCamera(v, p.width, p.height)
	if err != nil {
		return nil, err
	}
	s := p.shot(poses, v, c)
	img := image.NewRGBA(image.Rect(0, 0, p.width, p.height))
	coarse := make([]sample, p.width*p.height)
	p.rows(func(y int) {
		for x := range p.width {
			coarse[y*p.width+x] = s.trace(s.near(x, y), c.ray(float64(x)+0.5, float64(y)+0.5), whole)
		}
	})
	p.rows(func(y int) {
		for x := range p.width {
			colour := coarse[y*p.width+x].colour
			if p.edge(coarse, x, y) {
				colour = s.average(x, y)
			}
			i := img.PixOffset(x, y)
			for k, v := range colour.list() {
				img.Pix[i+k] = encode(v)
			}
			img.Pix[i+3] = 255
		}
	})
	return img, nil
}

// rows calls f for every row of the picture, on all cores.
func (p *Painter) rows(f func(y int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), p.height) {
		wg.Go(func() {
			for y := int(next.Add(1)) - 1; y < p.height; y = int(next.Add(1)) - 1 {
				f(y)
			}
		})
	}
	wg.Wait()
}

// edge reports whether a pixel and one of its neighbours show different things or differ visibly, so that one ray
// does not tell what the pixel's average is.
func (p *Painter) edge(s []sample, x, y int) bool {
	here := &s[y*p.width+x]
	for _, step := range [4][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
		nx, ny := x+step[0], y+step[1]
		if nx < 0 || ny < 0 || nx >= p.width || ny >= p.height {
			continue
		}
		other := &s[ny*p.width+nx]
		if here.solid != other.solid || here.normal.dot(other.normal) < 0.9 && here.solid >= 0 {
			return true
		}
		if math.Abs(here.tone-other.tone) > 0.04 {
			return true
		}
	}
	return false
}

// places are where the rays through a pixel go: no two share a row or a column, so that edges near the axes get all
// eight shades.
var places = [8][2]float64{
	{1. / 16, 7. / 16}, {3. / 16, 13. / 16}, {5. / 16, 3. / 16}, {7. / 16, 9. / 16},
	{9. / 16, 15. / 16}, {11. / 16, 5. / 16}, {13. / 16, 11. / 16}, {15. / 16, 1. / 16},
}

// average traces eight rays through a pixel.
func (s *shot) average(x, y int) vec {
	var sum vec
	list := s.near(x, y)
	for i, at := range places {
		sum = sum.add(s.trace(list, s.camera.ray(float64(x)+at[0], float64(y)+at[1]), i).colour)
	}
	return sum.mul(1. / float64(len(places)))
}

// decode makes a colour linear light; encode is its inverse, for 8 bits (IEC 61966-2-1).
func decode(c scene.Color) vec {
	var out [3]float64
	for k := range out {
		v := c[k]
		if v <= 0.04045 {
			out[k] = v / 12.92
		} else {
			out[k] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return vecOf(out)
}

// encodings is encode at 4096 equal steps of linear light; finer than 8 bits everywhere but in the deepest black.
var encodings = sync.OnceValue(func() *[4097]uint8 {
	var t [4097]uint8
	for i := range t {
		v := float64(i) / 4096
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		t[i] = uint8(math.Round(255 * v))
	}
	return &t
})

func encode(v float64) uint8 { return encodings()[int(clamp(v, 0, 1)*4096+0.5)] }
