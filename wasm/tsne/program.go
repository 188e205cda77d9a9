//go:build js && wasm

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall/js"
	"time"

	"nacre/tsne"
	"nacre/tsne/webgpu"
)

// program is the state of the worker: the data and the layout that is being made.
type program struct {
	inbox   chan js.Value
	pause   *pause
	running bool
	data    *tsne.Embeddings
	name    string
	raw     []byte // contents of the file, for another choice of labels
	session *tsne.Optimization
	spare   []js.Value // arrays for positions that the page has given back
	arrays  int        // number of such arrays
	used    time.Duration
	team    *crew               // workers that compute the layout; nil if this program computes it alone
	gpu     *webgpu.Accelerator // GPU that makes its iterations, or nil
	stride  int                 // iterations that the GPU makes between two looks at messages
	told    int                 // notes of the session that the page knows
	cancel  func()              // of what takes long: it hands the thread back now and then, for messages; or nil
	stopped bool                // by the page's wish
}

// hear takes a message of the page. Those that want something else end what takes long.
func (p *program) hear(m js.Value) {
	if p.cancel != nil {
		switch m.Get("kind").String() {
		case "stop":
			p.stopped = true
			p.cancel()
		case "open", "example", "layout":
			p.cancel()
		}
	}
	p.inbox <- m
}

// long calls f with a context that messages end; then it returns that context's error.
func (p *program) long(f func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel, p.stopped = cancel, false
	defer func() {
		cancel()
		p.cancel = nil
	}()
	return f(ctx)
}

// drop forgets the layout.
func (p *program) drop() {
	if p.team != nil {
		p.team.dismiss()
	}
	if p.gpu != nil {
		p.gpu.Close()
	}
	p.running, p.session, p.team, p.gpu = false, nil, nil, nil
}

func (p *program) handle(m js.Value) {
	err := guard(func() error {
		switch kind := m.Get("kind").String(); kind {
		case "open":
			return p.open(m)
		case "example":
			p.drop()
			p.name, p.raw, p.data = "example", nil, example()
			return p.show()
		case "label":
			return p.relabel(m.Get("label").String())
		case "layout":
			return p.layout(m)
		case "perplexity":
			return p.setPerplexity(m.Get("value").Float())
		case "stop": // heard while it could be obeyed
		case "pause":
			p.running = false
		case "continue":
			return p.goOn(m.Get("iterations").Int())
		case "back":
			p.spare = append(p.spare, m.Get("positions"))
		default:
			return fmt.Errorf("unknown message %q", kind)
		}
		return nil
	})
	if err != nil {
		problem(err)
	}
}

// open reads a file the page has.
func (p *program) open(m js.Value) error {
	p.drop()
	p.data = nil
	bytes := m.Get("bytes")
	p.name, p.raw = m.Get("name").String(), make([]byte, bytes.Length())
	js.CopyBytesToGo(p.raw, bytes)
	err := p.relabel(m.Get("label").String())
	if err != nil { // perhaps for a column of text, which another choice of labels makes good
		post("labels", map[string]any{"labels": texts(tsne.Labels(p.name, p.raw))})
	}
	return err
}

// relabel reads the file anew with other labels. Where the points are the same, their layout stays.
func (p *program) relabel(label string) error {
	e, err := tsne.Read(p.name, p.raw, label)
	if err != nil {
		return plain(err)
	}
	if p.data == nil || !slices.Equal(e.Mean.Data, p.data.Mean.Data) {
		p.drop()
	}
	p.data = e
	return p.show()
}

// mostLabels is how many groups a page can tell apart by any means.
const mostLabels = 1000

// show sends the data to the page: the groups by number, in the order of their labels, and the values.
func (p *program) show() error {
	e := p.data
	group, names := groups(e)
	if len(names) > mostLabels {
		return fmt.Errorf("%s: the labels have %d different values; expected at most %d", p.name, len(names),
			mostLabels)
	}
	values := make([]float32, len(e.Mean.Data))
	for i, v := range e.Mean.Data {
		values[i] = float32(v)
	}
	g, v := int32s(group), float32s(values)
	post("data", map[string]any{
		"name": p.name, "points": e.Mean.Rows, "columns": e.Mean.Cols, "group": g, "names": texts(names), "values": v,
		"same": p.session != nil, "labels": texts(tsne.Labels(p.name, p.raw)), "notes": texts(e.Read),
		"largest": tsne.LargestPerplexity(e.Mean.Rows),
	}, g.Get("buffer"), v.Get("buffer"))
	return nil
}

// layout begins anew.
func (p *program) layout(m js.Value) error {
	if p.data == nil {
		return errors.New("there is no data yet: open a file first")
	}
	p.drop()
	p.spare, p.arrays = nil, 0
	began, programs := time.Now(), 1
	var s *tsne.Optimization
	notice := p.engage(m)
	err := p.long(func(ctx context.Context) (err error) {
		options := optionsOf(m, p.data.Mean.Rows)
		if worthATeam(m, p.data.Mean.Rows) {
			if p.team, err = recruit(ctx, m, p.data.Mean); err != nil {
				return err
			}
			options = append(options, tsne.WithTeam(p.team))
			_, programs = p.team.Place()
		}
		if p.gpu != nil {
			options = append(options, tsne.WithEngine(p.gpu))
		}
		s, err = tsne.New(options...).Start(ctx, p.data.Mean)
		return err
	})
	if err != nil {
		p.drop()
		if errors.Is(err, context.Canceled) {
			if p.stopped {
				post("stopped", nil)
			}
			return nil
		}
		return plain(err)
	}
	if s.Device() != "" && p.team != nil { // they have helped to find the neighbours
		p.team.dismiss()
		p.team, programs = nil, 1
	}
	p.session, p.running, p.used, p.stride, p.told = s, true, time.Since(began), 1, 0
	post("began", map[string]any{
		"of": s.Remaining(), "method": string(s.Method()), "seconds": p.used.Seconds(), "programs": programs,
		"device": s.Device(), "notice": notice,
	})
	p.tell()
	p.send(true)
	return nil
}

// setPerplexity changes a layout where it stands.
func (p *program) setPerplexity(value float64) error {
	if p.session == nil {
		return nil
	}
	err := p.long(func(ctx context.Context) error {
		if err := p.order(orderPerplexity, value); err != nil {
			return err
		}
		return p.session.SetPerplexity(ctx, value)
	})
	if errors.Is(err, context.Canceled) {
		if p.team != nil { // the others are elsewhere
			p.drop()
		}
		return nil
	}
	if err != nil {
		return plain(err)
	}
	return nil
}

// goOn runs what is left, and that many iterations more where nothing is.
func (p *program) goOn(iterations int) error {
	if p.session == nil {
		return nil
	}
	if p.session.Remaining() == 0 {
		if err := p.order(orderMore, float64(iterations)); err != nil {
			return err
		}
		if err := p.session.SetPlan(more(iterations)); err != nil {
			return plain(err)
		}
	}
	p.running = true
	return nil
}

// piece makes some iterations and sends what came of them.
func (p *program) piece() {
	began := time.Now()
	err := p.long(func(ctx context.Context) error {
		for p.session.Remaining() > 0 && time.Since(began) < pieceTime {
			if err := p.order(orderStep, 0); err != nil {
				return err
			}
			if p.team != nil {
				ctx = context.Background() // the others would go on alone
			}
			if _, err := p.session.Step(ctx, p.stride); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, context.Canceled) { // for a message that comes next
		err = nil
	}
	if err != nil {
		p.drop()
		problem(plain(err))
		return
	}
	took := time.Since(began)
	p.used += took
	p.setStride(took)
	p.tell()
	over := p.session.Remaining() == 0
	p.send(over)
	if over {
		p.running = false
		l := p.session.Layout()
		post("done", map[string]any{"iteration": p.session.Iteration(), "seconds": p.used.Seconds(), "kl": l.KL,
			"notes": texts(l.Notes)})
	}
}

// inFlight is how many arrays of positions there are: the page draws one while the next is filled.
const inFlight = 2

// send hands the positions over where the page has given an array back; must sends them in any case.
func (p *program) send(must bool) {
	y := p.session.Positions()
	var array js.Value
	for array.IsUndefined() && len(p.spare) > 0 {
		last := len(p.spare) - 1
		array, p.spare = p.spare[last], p.spare[:last]
		if array.Length() != len(y) {
			array = js.Undefined()
		}
	}
	if array.IsUndefined() {
		if !must && p.arrays >= inFlight {
			return
		}
		p.arrays++
		array = js.Global().Get("Float32Array").New(len(y))
	}
	copyTo(array, y)
	post("positions", map[string]any{
		"positions": array, "iteration": p.session.Iteration(), "of": p.session.Iteration() + p.session.Remaining(),
		"seconds": p.used.Seconds(),
	}, array.Get("buffer"))
}

// groups numbers the labels in their order; points without labels are one group.
func groups(e *tsne.Embeddings) (group []int32, names []string) {
	group = make([]int32, e.Mean.Rows)
	if e.Label == nil {
		return group, []string{""}
	}
	known := slices.Compact(slices.Sorted(slices.Values(e.Label)))
	for _, l := range known {
		names = append(names, e.Name(l))
	}
	for i, l := range e.Label {
		at, _ := slices.BinarySearch(known, l)
		group[i] = int32(at)
	}
	return group, names
}

// plain leaves the package's name out of an error's text.
func plain(err error) error { return errors.New(strings.TrimPrefix(err.Error(), "tsne: ")) }

// example is eight Gaussian clusters of 200 points in seven dimensions, the shape of the paper's embeddings.
func example() *tsne.Embeddings {
	const clusters, points, columns = 8, 200, 7
	r := rand.New(rand.NewPCG(1, 2))
	e := &tsne.Embeddings{Mean: tsne.NewMatrix(clusters*points, columns), Label: make([]int, clusters*points)}
	var centre [clusters][columns]float64
	for k := range centre {
		for c := range centre[k] {
			centre[k][c] = 2 * r.NormFloat64()
		}
	}
	for i := range e.Label {
		e.Label[i] = i % clusters
		for c, m := range centre[i%clusters] {
			e.Mean.Row(i)[c] = m + r.NormFloat64()
		}
	}
	return e
}
