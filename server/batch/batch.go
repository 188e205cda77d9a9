// Package batch runs a notebook from top to bottom without a browser. It inserts parameters, runs the cells in order in
// a kernel process of its own, and writes their outputs into the notebook. Its error names the first cell that fails.
//
//	nb, err := nbformat.Parse(file)
//	err = batch.SetParameters(nb, []string{"seed=3", "family=point-goal"})
//	err = batch.Run(ctx, nb, batch.Options{Process: process.Config{Argv: argv, Dir: "notebooks"}})
//	var failed *batch.CellError
//	if errors.As(err, &failed) {
//		fmt.Println(failed.Number, failed.Name)
//	}
package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"nacre/kernel/jupyter"
	"nacre/server/nbformat"
	"nacre/server/process"
)

// Options says how a notebook is run.
type Options struct {
	Process process.Config
	Timing  bool // cells' metadata say when they ran, and on which engine
	// Started and Ended are called before and after each code cell; they may be nil. The argument number counts all
	// cells from 1; the argument `of` is the number of all cells.
	Started func(number, of int, c nbformat.Cell)
	Ended   func(number, of int, c nbformat.Cell) error
	// Skipped is called for a cell that is not run because of its tag; it may be nil.
	Skipped func(number int, c nbformat.Cell)
}

// CellError is the failure of a cell.
type CellError struct {
	Number      int    // number of the cell among all cells of the notebook, from 1
	ID          string // identifier of the cell
	FirstLine   string // first line of its source
	Name, Value string // name of the error
}

func (e *CellError) Error() string {
	return fmt.Sprintf("cell %d (id %s, %q) failed: %s: %s", e.Number, e.ID, e.FirstLine, e.Name, e.Value)
}

// mayFail is the tag of cells whose error is part of the notebook, skipped that of cells which keep their outputs and
// are not run. Jupyter's programs know both.
const (
	mayFail = "raises-exception"
	skipped = "skip-execution"
)

// Run runs all code cells. It ends with a *CellError at the first cell that fails, or with the cause if ctx ends first.
// In both cases the notebook has the outputs up to that point.
func Run(ctx context.Context, nb *nbformat.Notebook, o Options) error {
	r := &runner{nb: nb, timing: o.Timing}
	r.client = jupyter.NewClient(func(m *jupyter.Message) error { return r.child.Send(m) })
	r.client.Stray = func(m *jupyter.Message) { r.stray(m) }
	started := make(chan struct{})
	var err error
	r.child, err = process.Start(o.Process, process.Handlers{
		Message: func(m *jupyter.Message) {
			<-started
			r.client.Deliver(m)
		},
		Output: func(name, text string) { r.printed(name, text) },
		Exit:   func(e process.Exit) { r.client.Lost(e) },
	})
	if err != nil {
		return err
	}
	close(started)
	defer func() { // goroutines may print until the end
		r.child.Stop(time.Second)
		r.write()
	}()
	cells := nb.Cells()
	for _, c := range cells {
		if c.Type() == "code" && !c.Tagged(skipped) {
			c.SetOutputs(nil, 0)
		}
	}
	r.tell(ctx)
	for i, c := range cells {
		if c.Type() != "code" || strings.TrimSpace(c.Source()) == "" {
			continue
		}
		if c.Tagged(skipped) {
			if o.Skipped != nil {
				o.Skipped(i+1, c)
			}
			continue
		}
		if o.Started != nil {
			o.Started(i+1, len(cells), c)
		}
		failure := r.cell(ctx, i+1, c)
		if o.Ended != nil {
			if err := o.Ended(i+1, len(cells), c); err != nil {
				return err
			}
		}
		if failure != nil {
			return failure
		}
	}
	return nil
}

// runner is one run.
type runner struct {
	nb     *nbformat.Notebook
	timing bool
	child  *process.Process
	client *jupyter.Client

	mu    sync.Mutex // guards what was shown
	shown []*shown
}

// tell lets the kernel know the notebook's cells, so that its errors can name them.
func (r *runner) tell(ctx context.Context) {
	type source struct {
		ID   string `json:"id"`
		Code string `json:"code"`
	}
	var list []source
	for _, c := range r.nb.Cells() {
		if c.Type() == "code" {
			list = append(list, source{c.ID(), c.Source()})
		}
	}
	// a kernel that cannot be told, or that has ended, is met again by the first cell
	_, _ = r.client.Request(ctx, jupyter.Shell, "stale_request", map[string]any{"cells": list}, nil)
}

// shown is a cell's outputs so far; a later cell may still update its displays.
type shown struct {
	cell    nbformat.Cell
	request string // its message's identifier
	outputs nbformat.Outputs
	count   int
}

// cell runs one cell and writes its outputs into it.
func (r *runner) cell(ctx context.Context, number int, c nbformat.Cell) error {
	began := time.Now()
	no := false
	request := jupyter.NewMessage(jupyter.Shell, "execute_request", r.client.Session, nil,
		jupyter.ExecuteRequest{Code: c.Source(), AllowStdin: no, StopOnError: &no,
			UserExpressions: map[string]string{}})
	request.Metadata, _ = json.Marshal(map[string]string{"cellId": c.ID()})
	s := &shown{cell: c, request: request.Head().MsgID}
	r.mu.Lock()
	r.shown = append(r.shown, s)
	r.mu.Unlock()
	message, err := r.execute(ctx, request, func(m *jupyter.Message) { r.take(s, m) })
	failure := &CellError{Number: number, ID: c.ID(), FirstLine: firstLine(c.Source())}
	var reply jupyter.ExecuteReply
	if err == nil {
		err = message.Decode(&reply)
	}
	if err != nil {
		var died process.Exit
		failure.Name, failure.Value = "KernelDied", err.Error()
		if errors.As(err, &died) {
			failure.Value = died.Reason
			if died.Stderr != "" {
				failure.Value += ": " + firstLine(died.Stderr)
			}
		} else if ctx.Err() != nil {
			failure.Name = "Timeout"
		}
		r.mu.Lock()
		s.outputs.List = append(s.outputs.List, nbformat.Output{
			Type: "error", EName: failure.Name, EValue: failure.Value,
			Traceback: []string{failure.Name + ": " + failure.Value},
		})
		r.mu.Unlock()
	}
	s.count = reply.Count
	r.write()
	r.time(c, began, reply.Engine)
	if err == nil && (reply.Status == "ok" || c.Tagged(mayFail)) {
		return nil
	}
	if err == nil {
		failure.Name, failure.Value = reply.Name, reply.Value
	}
	return failure
}

// time writes down when a cell ran, where that is wanted; what it says of an earlier run is not true any more.
func (r *runner) time(c nbformat.Cell, began time.Time, engine string) {
	if !r.timing {
		c.SetExecution(nil)
		return
	}
	times := map[string]string{
		"iopub.execute_input": began.UTC().Format(time.RFC3339Nano),
		"shell.execute_reply": time.Now().UTC().Format(time.RFC3339Nano),
	}
	if engine != "" {
		times["engine"] = engine
	}
	c.SetExecution(times)
}

// interruptGrace is how long an interrupted cell has to show its end.
const interruptGrace = 3 * time.Second

// execute waits for a request's end. If ctx ends first, the cell is interrupted, so that its outputs are kept.
func (r *runner) execute(ctx context.Context, request *jupyter.Message,
	on func(*jupyter.Message)) (*jupyter.Message, error) {
	interrupt := context.AfterFunc(ctx, func() {
		_ = r.child.Send(jupyter.NewMessage(jupyter.Control, "interrupt_request", r.client.Session, nil, nil))
	})
	defer interrupt()
	late, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	end := context.AfterFunc(ctx, func() {
		time.AfterFunc(interruptGrace, func() { cancel(context.Cause(ctx)) })
	})
	defer end()
	m, err := r.client.Do(late, request, on)
	if err == nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return m, err
}

// stray applies a message of a cell that has ended: of its goroutines.
func (r *runner) stray(m *jupyter.Message) {
	parent := m.ParentHead().MsgID
	r.mu.Lock()
	i := slices.IndexFunc(r.shown, func(s *shown) bool { return s.request == parent })
	r.mu.Unlock()
	if i >= 0 {
		r.take(r.shown[i], m)
	}
}

// printed applies what the kernel's process prints itself: it belongs to the running cell, or the last one.
func (r *runner) printed(name, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.shown); n > 0 {
		content, _ := json.Marshal(map[string]string{"name": name, "text": strings.ToValidUTF8(text, "\uFFFD")})
		r.shown[n-1].outputs.Apply("stream", content)
	}
}

// take applies a message of a cell.
func (r *runner) take(s *shown, m *jupyter.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.Type() != "update_display_data" {
		s.outputs.Apply(m.Type(), m.Content)
		return
	}
	for _, other := range r.shown {
		other.outputs.Update(m.Content)
	}
}

// write puts all outputs into the notebook.
func (r *runner) write() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.shown {
		s.cell.SetOutputs(s.outputs.List, s.count)
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
