package experiment

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"nacre/core"
	"nacre/experiment/checkpoint"
	"nacre/internal/atomicfile"
	"nacre/internal/safetensors"
	"nacre/rl/weights"
)

// entries lists the arrays of a parameter on a device, with the number of values of each.
func entries(p core.ParamSpec) []struct {
	name string
	size int
} {
	n := p.Rows * p.Cols
	return []struct {
		name string
		size int
	}{{p.Name, n}, {p.Name + ".m", n}, {p.Name + ".v", n}, {p.Name + ".t", 1}}
}

// SaveMemory adds a section with every parameter of m and its optimiser state.
func SaveMemory(w *checkpoint.Writer, section string, m core.Memory) error {
	specs := m.Params()
	if err := w.JSON(section+"/specs", specs); err != nil {
		return err
	}
	return w.Section(section, func(out io.Writer) error {
		for _, p := range specs {
			for _, e := range entries(p) {
				values := make([]float64, e.size)
				if err := m.Read(e.name, values); err != nil {
					return err
				}
				if err := checkpoint.WriteSlice(out, values); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// LoadMemory restores what SaveMemory wrote. m must have the same parameters, in the same order, with the same
// shapes.
func LoadMemory(r *checkpoint.Reader, section string, m core.Memory) error {
	var saved []core.ParamSpec
	if err := r.JSON(section+"/specs", &saved); err != nil {
		return err
	}
	specs := m.Params()
	if len(saved) != len(specs) {
		return fmt.Errorf("section %s has %d parameters; expected %d", section, len(saved), len(specs))
	}
	for i := range specs {
		if saved[i] != specs[i] {
			return fmt.Errorf("section %s: parameter %s %d×%d; expected %s %d×%d", section,
				saved[i].Name, saved[i].Rows, saved[i].Cols, specs[i].Name, specs[i].Rows, specs[i].Cols)
		}
	}
	in, err := r.Section(section)
	if err != nil {
		return err
	}
	for _, p := range specs {
		for _, e := range entries(p) {
			values := make([]float64, e.size)
			if err := checkpoint.ReadSlice(in, values); err != nil {
				return fmt.Errorf("section %s: %s: %w", section, e.name, err)
			}
			if err := m.Write(e.name, values); err != nil {
				return fmt.Errorf("section %s: %w", section, err)
			}
		}
	}
	return nil
}

// SaveWeights writes the parameters of m, without optimiser state, as a safetensors file. It uses float32 if that is
// exact, as it is for every device that computes in float32, otherwise float64. If the metadata describe the networks
// (package weights), tensors have the names that the description gives them.
func SaveWeights(path string, m core.Memory, metadata map[string]string) error {
	return atomicfile.Write(path, func(w io.Writer) error { return writeWeights(w, m, metadata) })
}

func writeWeights(w io.Writer, m core.Memory, metadata map[string]string) error {
	description, _, err := weights.Parse(metadata)
	if err != nil {
		return err
	}
	var tensors []safetensors.Tensor
	for _, p := range m.Params() {
		values := make([]float64, p.Rows*p.Cols)
		if err := m.Read(p.Name, values); err != nil {
			return fmt.Errorf("weights: %w", err)
		}
		t := tensor(p, values)
		t.Name = description.Stored(p.Name)
		tensors = append(tensors, t)
	}
	return safetensors.Write(w, tensors, metadata)
}

func tensor(p core.ParamSpec, values []float64) safetensors.Tensor {
	shape := []int{p.Rows, p.Cols}
	single := make([]float32, len(values))
	for i, v := range values {
		single[i] = float32(v)
		if float64(single[i]) != v && v == v {
			return safetensors.F64(p.Name, shape, values)
		}
	}
	return safetensors.F32(p.Name, shape, single)
}

// leftOut is the key of the metadata of a file of weights that lists the networks left out of it, separated by blanks.
const leftOut = "left_out"

// halfPrecision is the key under which LoadWeights says that weights have fewer bits than training leaves, and which
// type they have.
const halfPrecision = "half_precision"

// networkOf returns the network of a parameter: "policy" for "policy/w0".
func networkOf(name string) string {
	network, _, _ := strings.Cut(name, "/")
	return network
}

// ReadWeights reads a file written by SaveWeights, of this program or an older one. Its tensors have the names of
// parameters.
func ReadWeights(path string) (*safetensors.File, error) {
	file, err := safetensors.Load(path)
	if err != nil {
		return nil, err
	}
	for i, t := range file.Tensors {
		file.Tensors[i].Name = weights.Parameter(t.Name)
	}
	return file, nil
}

// CopyWeights copies a file written by SaveWeights with only these networks (rl.Algorithm.Acts), which are enough to
// act. The copy's metadata list the missing networks under left_out.
func CopyWeights(from, to string, networks []string) error {
	file, err := safetensors.Load(from)
	if err != nil {
		return err
	}
	metadata := maps.Clone(file.Metadata)
	left := strings.Fields(metadata[leftOut])
	tensors := slices.DeleteFunc(file.Tensors, func(t safetensors.Tensor) bool {
		network := networkOf(t.Name)
		if slices.Contains(networks, network) {
			return false
		}
		left = append(left, network)
		return true
	})
	for k, t := range tensors {
		if t.Half() {
			tensors[k] = safetensors.F32(t.Name, t.Shape, t.Data32) // the same values
		}
	}
	if len(left) > 0 {
		if metadata == nil {
			metadata = map[string]string{}
		}
		slices.Sort(left)
		metadata[leftOut] = strings.Join(slices.Compact(left), " ")
	}
	return safetensors.Save(to, tensors, metadata)
}

// LoadWeights reads a file written by SaveWeights into m, which must have exactly its parameters, and returns the
// file's metadata. Parameters that CopyWeights left out become NaN, so that their use is noticed. Optimiser state is
// not changed.
func LoadWeights(path string, m core.Memory) (map[string]string, error) {
	file, err := ReadWeights(path)
	if err != nil {
		return nil, err
	}
	specs := m.Params()
	want := len(specs)
	left := strings.Fields(file.Metadata[leftOut])
	for _, p := range specs {
		t, ok := file.Tensor(p.Name)
		if !ok && slices.Contains(left, networkOf(p.Name)) {
			want--
			if err := m.Write(p.Name, slices.Repeat([]float64{math.NaN()}, p.Rows*p.Cols)); err != nil {
				return nil, fmt.Errorf("weights: %w", err)
			}
			continue
		}
		if !ok {
			return nil, fmt.Errorf("weights: %s has no tensor %s", path, p.Name)
		}
		if len(t.Shape) != 2 || t.Shape[0] != p.Rows || t.Shape[1] != p.Cols {
			return nil, fmt.Errorf("weights: %s: tensor %s has shape %v; expected [%d %d]", path, p.Name, t.Shape,
				p.Rows, p.Cols)
		}
		if t.Ints != nil {
			return nil, fmt.Errorf("weights: %s: tensor %s is of type %s; expected floating-point numbers", path,
				p.Name, t.DType)
		}
		if t.Half() {
			if file.Metadata == nil {
				file.Metadata = map[string]string{}
			}
			file.Metadata[halfPrecision] = t.DType
		}
		values := t.Data64
		if t.Data32 != nil {
			values = make([]float64, len(t.Data32))
			for i, v := range t.Data32 {
				values[i] = float64(v)
			}
		}
		if err := m.Write(p.Name, values); err != nil {
			return nil, fmt.Errorf("weights: %w", err)
		}
	}
	if len(file.Tensors) != want {
		return nil, fmt.Errorf("weights: %s has %d tensors; expected %d: it belongs to another network", path,
			len(file.Tensors), want)
	}
	return file.Metadata, nil
}
