// Package layouts serves finished layouts of embeddings, even of millions of points, to a web page, part by part. The
// page gets tiles of a pyramid whose upper levels are random samples. The server computes selections of points and
// their centroid distances.
//
//	l, err := layouts.Open("runs/tcl-pearl") // in which nacre embed and nacre tsne were run; or a .csv or .npz file
//	tile, ok := l.Tile(layouts.Key{})        // a sample of all points
//	chosen, err := l.Select(ctx, layouts.Query{Near: &layouts.Near{Row: 17, K: 10}})
//
// It makes no layouts; package tsne makes them. Service answers over HTTP.
package layouts

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"nacre/analysis/frame"
	"nacre/experiment"
	"nacre/tsne"

	"nacre/internal/plainfile"
)

// Layout holds points of the plane and the properties of each point.
type Layout struct {
	Name    string
	X, Y    []float32
	Columns []Column
	Planes  []string // names of the layouts if the file holds several

	pyramid *pyramid
	file    string // file with the vectors; empty if there is none
	rows    []int  // rows of the vectors; nil means all rows in order
	once    sync.Once
	vectors vectors
	problem error
}

// Column is a property of the points.
type Column struct {
	Name   string
	Values []float32 // numbers, or indices into Names
	Names  []string  // names in the order in which they are shown; nil for a column of numbers
}

// vectors holds what a layout was made of, row by row.
type vectors struct {
	dim  int
	data []float32
}

func (v vectors) row(i int) []float32 { return v.data[i*v.dim : (i+1)*v.dim] }

// files of a folder that may hold a layout, in the order of the search: the file of nacre tsne, and the file of a
// study, whose plane is the matrix mean.
var files = []string{"tsne.csv", studyFile}

const studyFile = "layout.npz"

// embeddingsFile has the vectors of a layout beside it.
const embeddingsFile = "embeddings.npz"

// ErrNone is the error of a folder or file without a layout.
var ErrNone = errors.New("there is no layout")

// Open reads a layout. It is a .csv file with columns x and y, an .npz file with an n×2 matrix z, or a folder with such
// a file, such as the folder of a run in which nacre tsne was run. "FILE#NAME" is one layout of a file with several.
// The vectors come from embeddings.npz in the same folder, or from the columns mean0, mean1, … of the file. They are
// read when they are needed.
func Open(path string) (*Layout, error) {
	file, plane, _ := strings.Cut(path, "#")
	info, err := plainfile.Stat(file)
	if err != nil {
		return nil, err
	}
	l := &Layout{Name: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))}
	if info.IsDir() {
		dir := file
		if l.Name = runName(dir); l.Name == "" {
			l.Name = strings.TrimSuffix(filepath.Base(dir), ".zip")
		}
		if file = fileIn(dir); file == "" {
			return nil, fmt.Errorf("%w in %s: nacre embed and nacre tsne make one", ErrNone, filepath.Base(dir))
		}
	}
	if err := l.read(file, plane); err != nil {
		return nil, err
	}
	if plane != "" {
		l.Name = plane
	}
	l.pyramid = build(l.X, l.Y)
	return l, nil
}

// runName returns the name of a run in pictures. The parts that distinguish runs come first. It is empty if the folder
// is not a run's.
func runName(dir string) string {
	run, err := experiment.View(dir)
	if err != nil {
		return ""
	}
	cfg := experiment.Default()
	if _, err := run.ReadConfig(&cfg); err != nil {
		return ""
	}
	return fmt.Sprintf("%s, seed %d, %s", experiment.Title(cfg.Algorithm), cfg.Seed, cfg.Family)
}

// part is the name of a column of a matrix: vectors, not properties.
var part = regexp.MustCompile(`^(mean|std|z)[0-9]+$`)

// read reads the points of a file, or the points of one of its planes.
func (l *Layout) read(file, plane string) error {
	f, err := frame.Read(file)
	if err != nil {
		return err
	}
	x, y := "x", "y"
	if !f.Has(x) && f.Has("z0") && f.Has("z1") && !f.Has("z2") {
		x, y = "z0", "z1"
	}
	if filepath.Base(file) == studyFile && !f.Has(x) && f.Has("mean0") && f.Has("mean1") && !f.Has("mean2") {
		x, y = "mean0", "mean1"
	}
	xs, err := f.Numbers(x)
	if err == nil {
		var ys []float64
		if ys, err = f.Numbers(y); err == nil {
			err = l.place(f, xs, ys, plane)
		}
	}
	if err != nil {
		return fmt.Errorf("%w in %s, which needs columns x and y, or a matrix z of two columns: %w", ErrNone,
			filepath.Base(file), err)
	}
	l.file = filepath.Join(filepath.Dir(file), embeddingsFile)
	if _, err := plainfile.Stat(l.file); err != nil {
		l.file = ""
		if f.Has("mean0") && x != "mean0" {
			l.file = file
		}
	}
	for _, name := range f.Names() {
		if name == x || name == y || part.MatchString(name) {
			continue
		}
		if err := l.column(f, name); err != nil {
			return err
		}
	}
	return nil
}

// place takes the coordinates of a plane of a table.
func (l *Layout) place(f *frame.Frame, x, y []float64, plane string) error {
	if f.Has("plane") {
		of, err := f.Texts("plane")
		if err != nil {
			return err
		}
		if names := distinct(of); len(names) > 1 {
			l.Planes = names
		}
		if plane != "" && !slices.Contains(l.Planes, plane) {
			return fmt.Errorf("plane %q; expected %s", plane, strings.Join(l.Planes, ", "))
		}
		for i := range x {
			if plane != "" && of[i] == plane {
				l.rows = append(l.rows, i)
			}
		}
	} else if plane != "" {
		return fmt.Errorf("plane %q; the file holds one layout", plane)
	}
	l.each(len(x), func(i int) { l.X, l.Y = append(l.X, float32(x[i])), append(l.Y, float32(y[i])) })
	if len(l.X) == 0 {
		return errors.New("no points")
	}
	for i := range l.X {
		if bad(l.X[i]) || bad(l.Y[i]) {
			return fmt.Errorf("point %d is (%g, %g); expected finite numbers", i, l.X[i], l.Y[i])
		}
	}
	return nil
}

func bad(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) }

// each calls f for the rows of a table of n that are the layout's.
func (l *Layout) each(n int, f func(i int)) {
	if l.rows == nil {
		for i := range n {
			f(i)
		}
		return
	}
	for _, i := range l.rows {
		f(i)
	}
}

// fewValues is up to how many whole numbers in a column are taken for names of groups.
const fewValues = 40

// groups reports whether numbers stand for groups.
func groups(x []float64) bool {
	known := map[float64]bool{}
	for _, v := range x {
		if v != math.Trunc(v) || math.IsInf(v, 0) || len(known) > fewValues {
			return false
		}
		known[v] = true
	}
	return len(known) <= fewValues
}

// column takes a property of the points.
func (l *Layout) column(f *frame.Frame, name string) error {
	if x, err := f.Numbers(name); err == nil && !groups(x) {
		c := Column{Name: name}
		l.each(len(x), func(i int) { c.Values = append(c.Values, float32(x[i])) })
		l.Columns = append(l.Columns, c)
		return nil
	}
	of, err := f.Texts(name)
	if err != nil {
		return err
	}
	var own []string
	l.each(len(of), func(i int) { own = append(own, of[i]) })
	l.Columns = append(l.Columns, coded(name, own))
	return nil
}

// distinct are the different texts of a column: numbers by size, others by letter.
func distinct(of []string) []string {
	seen := map[string]bool{}
	for _, v := range of {
		seen[v] = true
	}
	names := slices.Sorted(maps.Keys(seen))
	numbers := map[string]float64{}
	for _, v := range names {
		x, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return names
		}
		numbers[v] = x
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
	return names
}

func coded(name string, of []string) Column {
	c := Column{Name: name, Names: distinct(of), Values: make([]float32, len(of))}
	code := map[string]float32{}
	for i, v := range c.Names {
		code[v] = float32(i)
	}
	for i, v := range of {
		c.Values[i] = code[v]
	}
	return c
}

// Find returns a column by its name.
func (l *Layout) Find(name string) (*Column, error) {
	var names []string
	for i := range l.Columns {
		if l.Columns[i].Name == name {
			return &l.Columns[i], nil
		}
		names = append(names, l.Columns[i].Name)
	}
	return nil, fmt.Errorf("column %q; expected one of %s", name, strings.Join(names, ", "))
}

// HasVectors reports whether there is a file that may have the vectors from which the layout was made.
func (l *Layout) HasVectors() bool { return l.file != "" }

// originals reads the vectors, once.
func (l *Layout) originals() (vectors, error) {
	l.once.Do(func() {
		if l.file == "" {
			l.problem = fmt.Errorf("the vectors of %s are not known: %s is not beside it, or has other points", l.Name,
				embeddingsFile)
			return
		}
		e, err := tsne.Load(l.file, "")
		if err != nil {
			l.problem = err
			return
		}
		l.vectors = vectors{dim: e.Mean.Cols, data: make([]float32, 0, len(l.X)*e.Mean.Cols)}
		l.each(e.Mean.Rows, func(i int) {
			for _, v := range e.Mean.Row(i) {
				l.vectors.data = append(l.vectors.data, float32(v))
			}
		})
		if len(l.vectors.data) != len(l.X)*e.Mean.Cols {
			l.problem = fmt.Errorf("%s has %d vectors; the layout has %d points", filepath.Base(l.file),
				e.Mean.Rows, len(l.X))
		}
	})
	return l.vectors, l.problem
}

// missing reports whether an error says that nothing is there.
func missing(err error) bool { return errors.Is(err, ErrNone) || errors.Is(err, fs.ErrNotExist) }
