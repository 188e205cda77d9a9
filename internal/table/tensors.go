package table

import (
	"bytes"

	"nacre/internal/safetensors"
	"nacre/internal/whole"
)

// readTensors reads the tensors of a safetensors file.
func readTensors(raw []byte) (*File, error) {
	s, err := safetensors.Read(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, err
	}
	f := &File{}
	for _, t := range s.Tensors {
		v := Values{Num: t.Data64, Bool: t.DType == "BOOL"}
		if v.Num == nil {
			v.Num = make([]float64, t.Len())
		}
		for i, x := range t.Data32 {
			v.Num[i] = float64(x)
		}
		for i, x := range t.Ints {
			near, rest := whole.Int(x)
			if t.DType == "U64" {
				near, rest = whole.Uint(uint64(x))
			}
			v.set(i, near, rest)
		}
		f.Arrays = append(f.Arrays, Array{Name: t.Name, Shape: t.Shape, Values: v})
	}
	f.tellApart("tensor")
	return f, nil
}
