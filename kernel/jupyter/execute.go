package jupyter

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"nacre/kernel"
)

// ExecuteRequest is the content of an execute_request.
type ExecuteRequest struct {
	Code   string `json:"code"`
	Silent bool   `json:"silent"`
	// whether the cell is stored; nil means true unless Silent
	StoreHistory    *bool             `json:"store_history,omitempty"`
	UserExpressions map[string]string `json:"user_expressions"`
	AllowStdin      bool              `json:"allow_stdin"`
	// whether an error stops the cells that wait; nil means true
	StopOnError *bool `json:"stop_on_error,omitempty"`
}

// ExecuteReply is the content of an execute_reply.
type ExecuteReply struct {
	Status      string                    `json:"status"` // "ok", "error" or "aborted"
	Count       int                       `json:"execution_count"`
	Expressions map[string]map[string]any `json:"user_expressions"`
	Payload     []map[string]any          `json:"payload"`
	Name        string                    `json:"ename,omitempty"`
	Value       string                    `json:"evalue,omitempty"`
	Traceback   []string                  `json:"traceback,omitempty"`
	Engine      string                    `json:"engine,omitempty"` // engine that ran the cell
}

// execute runs a cell, replies, and reports whether the cells that wait are to be stopped.
func (k *Kernel) execute(m *Message) (stop bool) {
	var c ExecuteRequest
	if err := m.Decode(&c); err != nil {
		k.reply(m, "execute_reply", failed("BadRequest", err.Error()))
		return false
	}
	store := !c.Silent && (c.StoreHistory == nil || *c.StoreHistory)
	k.mu.Lock()
	if store {
		k.count++
	}
	count := k.count
	run := &running{answer: make(chan string, 1)}
	run.ctx, run.stop = context.WithCancel(k.ctx)
	defer run.stop()
	k.running = run
	k.mu.Unlock()
	if !c.Silent {
		k.publish(m, "execute_input", map[string]any{"code": c.Code, "execution_count": count})
	}
	out := newOutput(k, m, run, c.AllowStdin)
	reply := k.run(run.ctx, kernel.Request{
		Code: c.Code, CellID: CellID(m), Silent: c.Silent, StoreHistory: store,
		AllowStdin: c.AllowStdin, UserExpressions: c.UserExpressions, Controls: controls(m),
	}, out)
	k.mu.Lock()
	k.running = nil
	k.mu.Unlock()
	if reply.Value != nil && !c.Silent {
		out.result(*reply.Value, count)
	}
	if reply.Error != nil && !c.Silent {
		out.failed(reply.Error)
	}
	out.flush()
	if store {
		k.history.add(count, c.Code, reply.Value)
	}
	answer := executeReply(reply, count)
	answer.Engine = k.session.Info().Engine
	k.reply(m, "execute_reply", answer)
	return reply.Error != nil && (c.StopOnError == nil || *c.StopOnError)
}

// run calls the session. A panic in the session itself, which is a bug of ours and not of the cell, fails the cell.
func (k *Kernel) run(ctx context.Context, r kernel.Request, out kernel.Output) (reply kernel.Reply) {
	defer func() {
		if p := recover(); p != nil {
			reply.Error = &kernel.Error{Name: "EngineError", Message: fmt.Sprint(p),
				Traceback: []string{fmt.Sprint(p), string(debug.Stack())}}
		}
	}()
	return k.session.Execute(ctx, r, out)
}

func executeReply(r kernel.Reply, count int) ExecuteReply {
	reply := ExecuteReply{Status: "ok", Count: count, Payload: r.Payload, Expressions: map[string]map[string]any{}}
	if reply.Payload == nil {
		reply.Payload = []map[string]any{}
	}
	if e := r.Error; e != nil {
		reply.Status, reply.Name, reply.Value, reply.Traceback = "error", e.Name, e.Message, traceback(e)
		return reply
	}
	for name, x := range r.Expressions {
		switch {
		case x.Error != nil:
			reply.Expressions[name] = map[string]any{"status": "error", "ename": x.Error.Name,
				"evalue": x.Error.Message, "traceback": traceback(x.Error)}
		case x.Data != nil:
			data, metadata := bundle(*x.Data)
			reply.Expressions[name] = map[string]any{"status": "ok", "data": data, "metadata": metadata}
		}
	}
	return reply
}

// CellID is the identifier of the notebook's cell that an execute request runs. Front ends put it into the message's
// metadata; it is "" if they do not.
func CellID(m *Message) string {
	var meta struct {
		CellID any `json:"cellId"`
	}
	if json.Unmarshal(m.Metadata, &meta) != nil {
		return ""
	}
	id, _ := meta.CellID.(string)
	return id
}

// runID names the cells that a user runs at once, "" if the front end does not tell. When one of them fails, some of
// the others may not have arrived yet. Nacre's front end puts it in the message's metadata.
func runID(m *Message) string {
	var meta struct {
		Run any `json:"run"`
	}
	if json.Unmarshal(m.Metadata, &meta) != nil {
		return ""
	}
	id, _ := meta.Run.(string)
	return id
}

// controls are the controls that the notebook's cell showed before an execute request runs it, by label. Nacre's front
// end puts them in the message's metadata.
func controls(m *Message) map[string][]byte {
	var meta struct {
		Controls map[string]json.RawMessage `json:"controls"`
	}
	if json.Unmarshal(m.Metadata, &meta) != nil || meta.Controls == nil {
		return nil
	}
	list := make(map[string][]byte, len(meta.Controls))
	for label, v := range meta.Controls {
		list[label] = v
	}
	return list
}
