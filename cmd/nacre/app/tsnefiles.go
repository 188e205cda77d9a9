package app

import (
	"io"
	"regexp"
	"slices"

	"github.com/sbinet/npyio/npz"
	"gonum.org/v1/gonum/mat"

	"nacre/analysis/frame"
	"nacre/internal/atomicfile"
)

// writePlanes writes the coordinates of all layouts below each other. The CSV also has their labels and the columns of
// the inputs that were not laid out. The NumPy arrays are z (n×2), label (numbers) and plane (number of the input, from
// 0).
func writePlanes(arrays, table string, planes []TSNEPlane, inputs []tsneInput) error {
	all := frame.New()
	var z []float64
	var label, plane []int64
	for k, p := range planes {
		y, e := p.Report.Layout.Y, inputs[k].points
		of, err := frame.Of(e)
		if err != nil {
			return err
		}
		f := frame.New()
		if len(planes) > 1 {
			f = f.With(frame.Texts("plane", slices.Repeat([]string{p.Name}, y.Rows)))
		}
		for j, name := range []string{"x", "y"} {
			c := make([]float64, y.Rows)
			for i := range c {
				c[i] = y.Data[i*y.Cols+j]
			}
			f = f.With(frame.Numbers(name, c))
		}
		if f, err = beside(f, of, inputs[k]); err != nil {
			return err
		}
		if k == 0 {
			all = f
		} else {
			all = all.Append(f)
		}
		z = append(z, y.Data...)
		for i := range y.Rows {
			plane = append(plane, int64(k))
			if e.Label != nil {
				label = append(label, int64(e.Label[i]))
			}
		}
	}
	if err := all.Err(); err != nil {
		return err
	}
	data, err := all.CSV()
	if err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(table, data); err != nil {
		return err
	}
	return atomicfile.Write(arrays, func(w io.Writer) error {
		a := npz.NewWriter(w)
		err := a.Write("z.npy", mat.NewDense(len(z)/2, 2, z))
		if err == nil {
			err = a.Write("plane.npy", plane)
		}
		if err == nil && len(label) == len(plane) {
			err = a.Write("label.npy", label)
		}
		if err != nil {
			return err
		}
		return a.Close()
	})
}

// asRead returns the options by which the points were read.
func (in tsneInput) asRead() (out []frame.ReadOption) {
	c := in.choice
	if c.Separator != 0 {
		out = append(out, frame.Separator(c.Separator))
	}
	if c.Decimal != 0 {
		out = append(out, frame.Decimal(c.Decimal))
	}
	if c.Encoding != "" {
		out = append(out, frame.Encoding(c.Encoding))
	}
	return out
}

// laidOut matches names of columns of matrices that hold the points.
var laidOut = regexp.MustCompile(`^(mean|std|z)[0-9]+$`)

// beside adds the labels and the other columns of the input's file.
func beside(f, points *frame.Frame, in tsneInput) (*frame.Frame, error) {
	add := func(from *frame.Frame, name string) *frame.Frame { return f.With(from.Column(name)) }
	if points.Has("label") {
		f = add(points, "label")
	}
	file, err := frame.Read(in.path, in.asRead()...)
	if err != nil || file.Len() != f.Len() {
		return f, nil // tsne.Load reads more than tables, such as several arrays of other lengths
	}
	for _, name := range file.Names() {
		if !f.Has(name) && !points.Has(name) && !laidOut.MatchString(name) && name != in.choice.Label &&
			name != "label_name" {
			f = add(file, name)
		}
	}
	return f, f.Err()
}
