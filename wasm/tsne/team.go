//go:build js && wasm

package main

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"syscall/js"
	"unsafe"

	"nacre/tsne"
)

// Orders of the first program to the others of its team.
const (
	orderStep       = iota // an iteration
	orderMore              // so many iterations more
	orderPerplexity        // another perplexity
)

// crew is a team of programs in workers of their own; web/src/worker/team.ts carries what they exchange.
type crew struct {
	team js.Value
	cuts []any
}

func (c *crew) Place() (rank, of int) { return c.team.Get("rank").Int(), c.team.Get("of").Int() }

var errGone = errors.New("a worker that computed a part of the layout has ended, perhaps for want of memory")

func (c *crew) Share(b []byte, cuts []int) error {
	c.cuts = append(c.cuts[:0], uintptr(unsafe.Pointer(&b[0])))
	for _, at := range cuts {
		c.cuts = append(c.cuts, at)
	}
	whole := c.team.Call("share", c.cuts...).Bool()
	runtime.KeepAlive(b)
	if !whole {
		return errGone
	}
	return nil
}

// dismiss ends the other programs.
func (c *crew) dismiss() { js.Global().Call("nacreDismiss") }

// order has the others of the team do what this program does next.
func (p *program) order(what int, value float64) error {
	if p.team != nil && !p.team.team.Call("command", what, value).Bool() {
		return errGone
	}
	return nil
}

// teamPoints is the number of points from which starting other programs costs less than they save.
const teamPoints = 5000

// worthATeam reports whether several programs compute a layout that the page asks for: of what they share most is a
// field's.
func worthATeam(m js.Value, points int) bool {
	method := tsne.Method(m.Get("method").String())
	return js.Global().Get("nacrePrograms").Int() > 1 && points >= teamPoints &&
		(method == tsne.MethodAuto || method == tsne.MethodFFT)
}

// recruit starts the other programs of a team.
func recruit(ctx context.Context, m js.Value, data tsne.Matrix) (*crew, error) {
	mean := js.Global().Get("Float64Array").New(len(data.Data))
	js.CopyBytesToJS(js.Global().Get("Uint8Array").New(mean.Get("buffer")), bytesOf(data.Data))
	job := js.Global().Get("Object").Call("assign",
		js.ValueOf(map[string]any{"points": data.Rows, "columns": data.Cols, "mean": mean}), m)
	came, failed := make(chan js.Value, 1), make(chan js.Value, 1)
	send := func(to chan js.Value) js.Func {
		return js.FuncOf(func(_ js.Value, args []js.Value) any {
			to <- args[0]
			return nil
		})
	}
	// one of them may come too late to be released here
	js.Global().Call("nacreRecruit", job).Call("then", send(came), send(failed))
	select {
	case team := <-came:
		return &crew{team: team}, nil
	case e := <-failed:
		return nil, errors.New(e.Get("message").String())
	case <-ctx.Done():
		js.Global().Call("nacreDismiss")
		return nil, ctx.Err()
	}
}

// help computes a layout as one of a team's other programs, until the worker is ended.
func help(job js.Value) {
	post("ready", nil)
	c := &crew{team: job.Get("team")}
	x := tsne.NewMatrix(job.Get("points").Int(), job.Get("columns").Int())
	mean := job.Get("mean")
	js.CopyBytesToGo(bytesOf(x.Data), js.Global().Get("Uint8Array").New(mean.Get("buffer"), mean.Get("byteOffset"),
		mean.Get("byteLength")))
	s, err := tsne.New(append(optionsOf(job, x.Rows), tsne.WithTeam(c))...).Start(context.Background(), x)
	for err == nil {
		order := c.team.Call("next")
		switch value := order.Get("value").Float(); order.Get("what").Int() {
		case orderStep:
			_, err = s.Step(context.Background(), 1)
		case orderMore:
			err = s.SetPlan(more(int(value)))
		case orderPerplexity:
			_ = s.SetPerplexity(context.Background(), value) // what is refused here is refused by all
		}
	}
}

// optionsOf are the options that a layout message has, but for a team.
func optionsOf(m js.Value, points int) []tsne.Option {
	r := tsne.CurrentFor(points)
	r.Perplexity, r.Method = m.Get("perplexity").Float(), tsne.Method(m.Get("method").String())
	if m.Get("start").String() == string(tsne.StartRandom) {
		r.Start = tsne.StartRandom
	}
	return []tsne.Option{tsne.WithRecipe(r), tsne.WithSeed(uint64(m.Get("seed").Int()))}
}

// more is a plan of so many iterations like the last.
func more(iterations int) []tsne.Phase {
	last := tsne.Current().Phases
	phase := slices.Clone(last[len(last)-1:])
	phase[0].Iterations, phase[0].Restart = iterations, false
	return phase
}

// bytesOf are the bytes of values.
func bytesOf(v []float64) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), 8*len(v))
}
