package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"nacre/core"
	"nacre/core/cuda"
	"nacre/core/gpu"
	"nacre/core/gpu/roofline"
	"nacre/core/ref"
	"nacre/rl/benchmark"
)

// UpdateModel is the output of nacre bench update --explain --gpu for one kind of update.
type UpdateModel struct {
	Algorithm string `json:"algorithm"`
	Size      string `json:"size"`
	*roofline.Model
}

// UpdateModels is the output of nacre bench update --explain --gpu.
type UpdateModels []UpdateModel

// model prints how updates would run on a modelled GPU, which the machine need not have.
func (o BenchUpdateOptions) model(ctx context.Context, env *Env) error {
	card, err := roofline.Find(o.GPU)
	if err != nil {
		return Usagef("--gpu: %w", err)
	}
	return o.models(ctx, env, card, ref.Device)
}

// measured prints the same for the machine's own GPU, with the time of every launch. If this GPU has no model, the
// model of another GPU is printed beside the times.
func (o BenchUpdateOptions) measured(ctx context.Context, env *Env, device core.Device) error {
	card, ok := roofline.Of(device.Name())
	if !ok {
		card = roofline.Cards[0]
	}
	return o.models(ctx, env, card, device)
}

// models prints updates on a modelled GPU. If device is a GPU too, its launches are timed.
func (o BenchUpdateOptions) models(ctx context.Context, env *Env, card roofline.Card, device core.Device) error {
	var r UpdateModels
	err := o.each(ctx, func(size benchmark.Size, algorithm string) error {
		y, err := newBenchmark(size, algorithm, device)
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
		if d, ok := y.(benchmark.Drawn); ok {
			if as.Drawing, err = gpu.NewDrawing(d.Drawing()); err != nil {
				return err
			}
		}
		m := roofline.New(pl, card, as)
		text, names := cuda.Source(pl)
		m.Name(names)
		if device != ref.Device {
			if err := o.measure(y, m); err != nil {
				return err
			}
		}
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

// measure times the launches of an update on data that the GPU draws.
func (o BenchUpdateOptions) measure(y benchmark.Update, m *roofline.Model) error {
	drawn, ok := y.(benchmark.Drawn)
	if !ok {
		return Usagef("--explain --algo %s --device cuda: expected an update whose data the GPU draws, as those of "+
			"%v are", y.Algorithm(), compared)
	}
	burst, err := drawn.Draw()
	if err != nil {
		return err
	}
	defer burst.Close()
	if err := burst.Make(1); err != nil {
		return err
	}
	us, err := cuda.Times(burst.(interface{ Runner() core.Runner }).Runner(), o.Updates)
	if err != nil {
		return err
	}
	return m.Measure(us)
}

// programOf returns the program of an update that consists of one program.
func programOf(y benchmark.Update) (*core.Program, error) {
	one, ok := y.(interface{ Program() *core.Program })
	if !ok {
		return nil, errSeveral(y)
	}
	return one.Program(), nil
}

// errSeveral says that an update that is not one program cannot be explained.
func errSeveral(y benchmark.Update) error {
	return Usagef("--explain --algo %s: expected an update that is one program, as those of %s are; its own is "+
		"several that run many times", y.Algorithm(), strings.Join(compared, " and "))
}

// WriteText prints the models as text.
func (r UpdateModels) WriteText(w io.Writer) error {
	for _, m := range r {
		if _, err := fmt.Fprintf(w, "%s, %s, %s: %v\n", m.Algorithm, m.Size,
			cmp.Or(m.Options.Precision, cuda.Precisions[0]), m.Model); err != nil {
			return err
		}
	}
	return nil
}
