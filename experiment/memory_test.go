package experiment_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"nacre/core"
	"nacre/experiment"
	"nacre/experiment/checkpoint"
	"nacre/internal/safetensors"
)

// fakeMemory is a device's memory that holds float64.
type fakeMemory struct {
	specs  []core.ParamSpec
	values map[string][]float64
}

func newMemory(specs ...core.ParamSpec) *fakeMemory {
	m := &fakeMemory{specs, map[string][]float64{}}
	for _, p := range specs {
		for _, suffix := range []string{"", ".m", ".v"} {
			m.values[p.Name+suffix] = make([]float64, p.Rows*p.Cols)
		}
		m.values[p.Name+".t"] = make([]float64, 1)
	}
	return m
}

func (m *fakeMemory) Params() []core.ParamSpec { return m.specs }

func (m *fakeMemory) entry(name string, n int) ([]float64, error) {
	v, ok := m.values[name]
	if !ok || len(v) != n {
		return nil, fmt.Errorf("no entry %s of %d", name, n)
	}
	return v, nil
}

func (m *fakeMemory) Read(entry string, dst []float64) error {
	v, err := m.entry(entry, len(dst))
	copy(dst, v)
	return err
}

func (m *fakeMemory) Write(entry string, src []float64) error {
	v, err := m.entry(entry, len(src))
	copy(v, src)
	return err
}

// fill gives every entry its own values; thirds are not exact in float32.
func (m *fakeMemory) fill(divisor float64) {
	n := 0.0
	for _, p := range m.specs {
		for _, suffix := range []string{"", ".m", ".v", ".t"} {
			v := m.values[p.Name+suffix]
			for i := range v {
				n++
				v[i] = n / divisor
			}
		}
	}
}

var specs = []core.ParamSpec{{Name: "q1/w0", Rows: 2, Cols: 3}, {Name: "q1/b0", Rows: 1, Cols: 3}}

func TestMemoryInCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	m := newMemory(specs...)
	m.fill(3)
	err := checkpoint.Save(path, checkpoint.Header{}, func(w *checkpoint.Writer) error {
		return experiment.SaveMemory(w, "params", m)
	})
	if err != nil {
		t.Fatal(err)
	}
	load := func(into *fakeMemory) error {
		return checkpoint.Load(path, "", func(r *checkpoint.Reader) error {
			return experiment.LoadMemory(r, "params", into)
		})
	}
	back := newMemory(specs...)
	if err := load(back); err != nil || !reflect.DeepEqual(back.values, m.values) {
		t.Errorf("restored %v, want %v (%v)", back.values, m.values, err)
	}
	for what, other := range map[string]*fakeMemory{
		"has 2 parameters; expected 1":            newMemory(specs[0]),
		"parameter q1/b0 1×3; expected q1/b1 1×3": newMemory(specs[0], core.ParamSpec{Name: "q1/b1", Rows: 1, Cols: 3}),
		"parameter q1/w0 2×3; expected q1/w0 3×2": newMemory(core.ParamSpec{Name: "q1/w0", Rows: 3, Cols: 2}, specs[1]),
	} {
		if err := load(other); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	delete(m.values, "q1/b0.v")
	err = checkpoint.Save(path, checkpoint.Header{}, func(w *checkpoint.Writer) error {
		return experiment.SaveMemory(w, "params", m)
	})
	if err == nil || !strings.Contains(err.Error(), "no entry q1/b0.v") {
		t.Errorf("an entry that cannot be read: %v", err)
	}
	if err := load(back); err != nil {
		t.Errorf("the previous checkpoint: %v", err)
	}
}

func TestWeights(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	for divisor, dtype := range map[float64]string{3: "F64", 4: "F32"} {
		m := newMemory(specs...)
		m.fill(divisor)
		if err := experiment.SaveWeights(path, m, map[string]string{"family": "point-goal"}); err != nil {
			t.Fatal(err)
		}
		file, err := safetensors.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if w, _ := file.Tensor("q1/w0"); len(file.Tensors) != 2 || w.DType != dtype ||
			!reflect.DeepEqual(w.Shape, []int{2, 3}) {
			t.Errorf("divisor %g: %d tensors, q1/w0 is %s %v", divisor, len(file.Tensors), w.DType, w.Shape)
		}
		back := newMemory(specs...)
		metadata, err := experiment.LoadWeights(path, back)
		if err != nil || metadata["family"] != "point-goal" {
			t.Fatalf("metadata %v, %v", metadata, err)
		}
		for _, p := range specs {
			if !reflect.DeepEqual(back.values[p.Name], m.values[p.Name]) {
				t.Errorf("%s: %v, want %v", p.Name, back.values[p.Name], m.values[p.Name])
			}
			if back.values[p.Name+".t"][0] != 0 {
				t.Errorf("%s: optimiser state was written", p.Name)
			}
		}
	}
	for what, other := range map[string]*fakeMemory{
		"has no tensor q2":            newMemory(core.ParamSpec{Name: "q2", Rows: 1, Cols: 1}),
		"has shape [2 3]; expected [": newMemory(core.ParamSpec{Name: "q1/w0", Rows: 3, Cols: 2}),
		"has 2 tensors; expected 1":   newMemory(specs[0]),
	} {
		if _, err := experiment.LoadWeights(path, other); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	whole := newMemory(append(slices.Clone(specs), core.ParamSpec{Name: "policy/w0", Rows: 2, Cols: 2},
		core.ParamSpec{Name: "log_alpha", Rows: 1, Cols: 1})...)
	whole.fill(4)
	if err := experiment.SaveWeights(path, whole, map[string]string{"family": "point-goal"}); err != nil {
		t.Fatal(err)
	}
	// A copy of a copy, too: what both left out is named once.
	for _, networks := range [][]string{{"policy", "log_alpha", "obs"}, {"policy"}} {
		if err := experiment.CopyWeights(path, path, networks); err != nil {
			t.Fatal(err)
		}
	}
	acting := newMemory(whole.Params()...)
	metadata, err := experiment.LoadWeights(path, acting)
	if want := map[string]string{"family": "point-goal", "left_out": "log_alpha q1"}; err != nil ||
		!reflect.DeepEqual(metadata, want) {
		t.Fatalf("a copy of the policy: metadata %v, want %v; %v", metadata, want, err)
	}
	for _, p := range whole.Params() {
		kept := reflect.DeepEqual(acting.values[p.Name], whole.values[p.Name])
		lost := !slices.ContainsFunc(acting.values[p.Name], func(v float64) bool { return v == v })
		if is := p.Name == "policy/w0"; kept != is || lost == is {
			t.Errorf("%s of a copy of the policy: %v", p.Name, acting.values[p.Name])
		}
	}
	if _, err := experiment.LoadWeights(path, newMemory(core.ParamSpec{Name: "v/w0", Rows: 1, Cols: 1})); err == nil ||
		!strings.Contains(err.Error(), "has no tensor v/w0") {
		t.Errorf("a network that was not left out: %v", err)
	}
	broken := newMemory(specs...)
	broken.values = nil
	if err := experiment.SaveWeights(path, broken, nil); err == nil || errors.Unwrap(err) == nil {
		t.Errorf("unreadable memory: %v", err)
	}
}
