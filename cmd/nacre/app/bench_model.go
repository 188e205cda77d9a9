package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"nacre/core"
	"nacre/core/cuda"
	"nacre/core/gpu"
	"nacre/core/gpu/roofline"
	"nacre/core/ref"
	"nacre/rl/yardstick"
)

// UpdateModel is what nacre bench update --explain --gpu prints of one kind of update.
type UpdateModel struct {
	Algorithm string `json:"algorithm"`
	Size      string `json:"size"`
	*roofline.Model
}

// UpdateModels is what nacre bench update --explain --gpu prints.
type UpdateModels []UpdateModel

// model prints how updates would run on a GPU that need not be there.
func (o BenchUpdateOptions) model(ctx context.Context, env *Env) error {
	card, err := roofline.Find(o.GPU)
	if err != nil {
		return Usagef("--gpu: %w", err)
	}
	if _, err := o.host(o.Workers); err != nil {
		return err
	}
	var r UpdateModels
	err = o.each(ctx, func(size yardstick.Size, algorithm string) error {
		y, err := newBenchmark(size, algorithm, ref.Device)
		if err != nil {
			return err
		}
		defer y.Close()
		p, err := programOf(y)
		if err != nil {
			return err
		}
		pl, err := gpu.New(p, cuda.Planning(cuda.Options{Precision: o.Precision}))
		if err != nil {
			return err
		}
		as := roofline.Options{Precision: o.Precision, Memories: o.Seeds}
		if d, ok := y.(yardstick.Drawn); ok {
			if as.Drawing, err = gpu.NewDrawing(d.Drawing()); err != nil {
				return err
			}
		}
		m := roofline.New(pl, card, as)
		text, names := cuda.Source(pl)
		m.Name(names)
		r = append(r, UpdateModel{algorithm, size.Name, m})
		if o.Dump == "" {
			return nil
		}
		base := filepath.Join(o.Dump, algorithm+"-"+size.Name)
		if err := os.MkdirAll(o.Dump, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(base+".dot", []byte(m.DOT()), 0o644); err != nil {
			return err
		}
		return os.WriteFile(base+".cu", []byte(text), 0o644)
	})
	if err != nil {
		return err
	}
	return env.Print(r, r.WriteText)
}

// programOf is the program of an update that is one.
func programOf(y yardstick.Benchmark) (*core.Program, error) {
	one, ok := y.(interface{ Program() *core.Program })
	if !ok {
		return nil, Usagef("--explain --algo %s: expected an update that is one program, as those of %v are; its own is several that run many times", y.Algorithm(), compared)
	}
	return one.Program(), nil
}

// WriteText prints the models for a person.
func (r UpdateModels) WriteText(w io.Writer) error {
	for _, m := range r {
		if _, err := fmt.Fprintf(w, "%s, %s, %s: %v\n", m.Algorithm, m.Size, cmp.Or(m.Options.Precision, cuda.Precisions[0]), m.Model); err != nil {
			return err
		}
	}
	return nil
}
