package recording

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"slices"

	"nacre/internal/atomicfile"
	"nacre/internal/plainfile"

	"github.com/sbinet/npyio/npy"
	"github.com/sbinet/npyio/npz"
	"gonum.org/v1/gonum/mat"
)

// Save writes the recording as an .npz file with the arrays obs (T+1×o), act (T×a), reward (T), context_reward (T),
// success and done (T, 0 or 1), params, qpos (T+1×nq) and mocap (T+1×3·bodies) where there are any, and family, the
// name in bytes.
func (r *Recording) Save(path string) error {
	if len(r.Act) == 0 {
		return fmt.Errorf("recording: %s: the recording of %s has no steps", path, r.Family)
	}
	err := atomicfile.Write(path, func(w io.Writer) error {
		z := npz.NewWriter(w)
		for _, a := range []struct {
			name string
			v    any
		}{
			{"family", []byte(r.Family)}, {"params", r.Params}, {"obs", matrix(r.Obs)}, {"act", matrix(r.Act)},
			{"reward", r.Reward}, {"context_reward", r.Context}, {"success", flags(r.Success)}, {"done", flags(r.Done)},
			{"qpos", matrix(r.QPos)}, {"mocap", matrix(r.Mocap)},
		} {
			if m, ok := a.v.(*mat.Dense); ok && m == nil {
				continue
			}
			if err := z.Write(a.name+".npy", a.v); err != nil {
				return err
			}
		}
		return z.Close()
	})
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return nil
}

func matrix(rows [][]float64) *mat.Dense {
	if len(rows) == 0 {
		return nil
	}
	return mat.NewDense(len(rows), len(rows[0]), slices.Concat(rows...))
}

func flags(v []bool) []uint8 {
	out := make([]uint8, len(v))
	for i, on := range v {
		if on {
			out[i] = 1
		}
	}
	return out
}

// Load reads what Save wrote.
func Load(path string) (*Recording, error) {
	r, err := load(path)
	if err != nil {
		return nil, fmt.Errorf("recording: %s: %w", path, err)
	}
	return r, nil
}

func load(path string) (*Recording, error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return decode(f, info.Size())
}

// maxArray is the size of the largest array that is read, in bytes: a million steps of a hundred numbers are less.
const maxArray = 1 << 30

func decode(file io.ReaderAt, size int64) (*Recording, error) {
	z, err := zip.NewReader(file, size)
	if err != nil {
		return nil, err
	}
	r := &Recording{}
	var family, success, done []uint8
	vectors := map[string]any{
		"family": &family, "success": &success, "done": &done,
		"params": &r.Params, "reward": &r.Reward, "context_reward": &r.Context,
	}
	matrices := map[string]*[][]float64{"obs": &r.Obs, "act": &r.Act, "qpos": &r.QPos, "mocap": &r.Mocap}
	for name, to := range vectors {
		if _, err := read(z, name, to); err != nil {
			return nil, err
		}
	}
	for name, to := range matrices {
		var flat []float64
		shape, err := read(z, name, &flat)
		if err != nil {
			return nil, err
		}
		if shape == nil {
			continue
		}
		if len(shape) != 2 || shape[1] < 1 || shape[0]*shape[1] != len(flat) {
			return nil, fmt.Errorf("array %s has shape %v; expected rows and columns", name, shape)
		}
		*to = slices.Collect(slices.Chunk(flat, shape[1]))
	}
	r.Family, r.Success, r.Done = string(family), booleans(success), booleans(done)
	n := len(r.Act)
	for name, length := range map[string]int{"obs": len(r.Obs) - 1, "reward": len(r.Reward), "success": len(r.Success), "done": len(r.Done)} {
		if n == 0 || length != n {
			return nil, fmt.Errorf("array %s is of %d steps and act of %d", name, length, n)
		}
	}
	return r, nil
}

// read reads array name into the slice that to points to and returns its shape, nil if there is none. It decompresses
// first: the npy reader takes short reads for full ones.
func read(z *zip.Reader, name string, to any) (shape []int, err error) {
	i := slices.IndexFunc(z.File, func(f *zip.File) bool { return f.Name == name+".npy" })
	if i < 0 {
		return nil, nil
	}
	f, err := z.File[i].Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxArray+1))
	if err == nil && len(raw) > maxArray {
		err = fmt.Errorf("more than %d bytes", maxArray)
	}
	if err == nil {
		shape, err = array(raw, to)
	}
	if err != nil {
		return nil, fmt.Errorf("array %s: %w", name, err)
	}
	return shape, nil
}

// array decodes an .npy file. The reader believes whatever the header says of the shape, and panics at headers that are
// none, so both are checked here.
func array(raw []byte, to any) (shape []int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("not an .npy array: %v", r)
		}
	}()
	a, err := npy.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	shape = a.Header.Descr.Shape
	size := 1
	for _, n := range shape {
		if n < 0 || n > 0 && size > len(raw)/n {
			return nil, fmt.Errorf("shape %v in %d bytes", shape, len(raw))
		}
		size *= n
	}
	return shape, a.Read(to)
}

func booleans(v []uint8) []bool {
	out := make([]bool, len(v))
	for i, b := range v {
		out[i] = b != 0
	}
	return out
}
