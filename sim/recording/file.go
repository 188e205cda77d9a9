package recording

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"slices"

	"nacre/internal/atomicfile"
	"nacre/internal/numpy"
	"nacre/internal/plainfile"

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

// maxFile is the size of the largest file that is read, in bytes: a million steps of a hundred numbers are less.
const maxFile = 1 << 30

func load(path string) (*Recording, error) {
	raw, err := plainfile.Read(path, maxFile)
	if err != nil {
		return nil, err
	}
	return parse(raw)
}

// parse reads a file's contents. Nothing much larger than them is ever made.
func parse(file []byte) (*Recording, error) {
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	left := numpy.Unpacked(int64(len(file)))
	r := &Recording{}
	var family, success, done []uint8
	vectors := map[string]any{
		"family": &family, "success": &success, "done": &done,
		"params": &r.Params, "reward": &r.Reward, "context_reward": &r.Context,
	}
	matrices := map[string]*[][]float64{"obs": &r.Obs, "act": &r.Act, "qpos": &r.QPos, "mocap": &r.Mocap}
	for name, to := range vectors {
		if _, err := read(z, &left, name, to); err != nil {
			return nil, err
		}
	}
	for name, to := range matrices {
		var flat []float64
		shape, err := read(z, &left, name, &flat)
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
	for name, length := range map[string]int{"obs": len(r.Obs) - 1, "reward": len(r.Reward), "success": len(r.Success),
		"done": len(r.Done)} {
		if n == 0 || length != n {
			return nil, fmt.Errorf("array %s is of %d steps and act of %d", name, length, n)
		}
	}
	for name, length := range map[string]int{"qpos": len(r.QPos), "mocap": len(r.Mocap)} {
		if length != 0 && length != n+1 {
			return nil, fmt.Errorf("array %s is of %d states, expected %d, or none", name, length, n+1)
		}
	}
	return r, nil
}

// read reads array name into the slice that to points to and returns its shape, nil if there is none.
func read(z *zip.Reader, left *int64, name string, to any) (shape []int, err error) {
	i := slices.IndexFunc(z.File, func(f *zip.File) bool { return f.Name == name+".npy" })
	if i < 0 {
		return nil, nil
	}
	f, err := z.File[i].Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := numpy.ReadAll(f, left)
	if err != nil {
		return nil, fmt.Errorf("array %s: %w", name, err)
	}
	a, _, _, err := numpy.Open(raw)
	if err == nil {
		err = a.Read(to)
	}
	if err != nil {
		return nil, fmt.Errorf("array %s: %w", name, err)
	}
	return a.Header.Descr.Shape, nil
}

func booleans(v []uint8) []bool {
	out := make([]bool, len(v))
	for i, b := range v {
		out[i] = b != 0
	}
	return out
}
