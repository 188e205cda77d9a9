package hub

import (
	"maps"

	"nacre/kernel/jupyter"
	"nacre/server/nbformat"
)

// The states of a cell's run.
const (
	Queued  = "queued"
	Running = "running"
	OK      = "ok"
	Failed  = "error"
	Aborted = "aborted"
)

// runs are the executions of a notebook's cells. They hold the outputs that the kernel's document has and the file
// lacks.
type runs struct {
	byMessage map[string]*run
	byCell    map[string]*run // the newest of each cell
	timing    bool            // files get the times
	aloneFrom uint64          // while no client is connected: the last message that one got; else the largest number
}

// run is one execution of a cell.
type run struct {
	cell    string
	message string // msg_id of its request
	state   string
	count   int
	outputs nbformat.Outputs
	times   map[string]string // of its messages, as the cell's metadata has them
	changed uint64            // number of the message that last changed it
	dirty   bool              // the file does not have the outputs yet
}

const connected = ^uint64(0)

func newRuns(timing bool) runs {
	return runs{byMessage: map[string]*run{}, byCell: map[string]*run{}, timing: timing, aloneFrom: connected}
}

// queue notes an execute request. One without a cell is no part of the document.
func (rs *runs) queue(m *jupyter.Message, now uint64) {
	cell := jupyter.CellID(m)
	var c jupyter.ExecuteRequest
	if cell == "" || m.Decode(&c) != nil || c.Silent {
		return
	}
	if old := rs.byCell[cell]; old != nil && old.state != Running && old.state != Queued {
		delete(rs.byMessage, old.message)
	}
	r := &run{cell: cell, message: m.Head().MsgID, state: Queued, changed: now, times: map[string]string{}}
	rs.byMessage[r.message], rs.byCell[cell] = r, r
}

// apply takes in a message on the iopub channel with its number and reports whether the document has changed.
func (rs *runs) apply(m *jupyter.Message, n uint64) bool {
	msgType := m.Type()
	if msgType == "update_display_data" {
		return rs.update(m, n)
	}
	r := rs.byMessage[m.ParentHead().MsgID]
	if r == nil {
		return false
	}
	switch msgType {
	case "execute_input":
		var c struct {
			Count int `json:"execution_count"`
		}
		if m.Decode(&c) == nil {
			r.count = c.Count
		}
		r.state = Running
		r.times["iopub.execute_input"] = m.Head().Date
	case "status":
		return rs.status(r, m, n)
	default:
		if !r.outputs.Apply(msgType, m.Content) {
			return false
		}
		if msgType == "error" {
			r.state = Failed
		}
	}
	r.mark(n)
	return true
}

func (r *run) mark(n uint64) { r.changed, r.dirty = n, true }

func (rs *runs) status(r *run, m *jupyter.Message, n uint64) bool {
	var s struct {
		State string `json:"execution_state"`
	}
	if m.Decode(&s) != nil || s.State != Idle {
		return false
	}
	switch r.state {
	case Running:
		r.state = OK
	case Queued: // it never began
		r.state = Aborted
	}
	r.times["iopub.status.idle"] = m.Head().Date
	r.mark(n)
	return true
}

// update shows new data in every cell that shows the display.
func (rs *runs) update(m *jupyter.Message, n uint64) bool {
	found := false
	for _, r := range rs.byMessage {
		if r.outputs.Update(m.Content) {
			r.mark(n)
			found = true
		}
	}
	return found
}

// reply takes in the end of a run.
func (rs *runs) reply(m *jupyter.Message, n uint64) {
	r := rs.byMessage[m.ParentHead().MsgID]
	var c jupyter.ExecuteReply
	if r == nil || m.Type() != "execute_reply" || m.Decode(&c) != nil {
		return
	}
	switch c.Status {
	case "aborted":
		r.state = Aborted
	case "error":
		r.state = Failed
	default:
		r.state = OK
	}
	r.times["shell.execute_reply"] = m.Head().Date
	if c.Engine != "" {
		r.times["engine"] = c.Engine
	}
	r.changed = n
}

// put puts the outputs of a run into its cell. Once the run has begun, it replaces the times of an earlier run, which
// are no longer true.
func (rs *runs) put(r *run, c nbformat.Cell) {
	c.SetOutputs(r.outputs.List, r.count)
	switch {
	case !r.began():
	case rs.timing:
		c.SetExecution(r.times)
	default:
		c.SetExecution(nil)
	}
}

func (r *run) began() bool { return r.times["iopub.execute_input"] != "" }

// alone notes that the last client is gone, and how far it got; connected, that one is there.
func (rs *runs) alone(last uint64) { rs.aloneFrom = last }

// Live describes a notebook with a running kernel. The notebook has the outputs of all messages up to number Seq.
type Live struct {
	KernelID string            `json:"kernel_id"`
	Seq      uint64            `json:"seq"`
	Cells    map[string]string `json:"cells"` // "busy" or "queued"; other cells are not being run
	// Times holds the times of the messages of cells' last runs, by Jupyter's names.
	Times map[string]map[string]string `json:"times"`
}

// Show puts everything the kernel has shown into a notebook that a browser opens. Outputs under a display id carry it,
// in "transient", so that later updates find them.
func (k *Kernel) Show(nb *nbformat.Notebook) Live {
	k.mu.Lock()
	defer k.mu.Unlock()
	live := Live{KernelID: k.ID, Seq: k.ring.last, Cells: map[string]string{},
		Times: map[string]map[string]string{}}
	for id, r := range k.runs.byCell {
		switch r.state {
		case Running:
			live.Cells[id] = "busy"
		case Queued:
			live.Cells[id] = "queued"
		}
		c := nb.Cell(id)
		if c == nil || c.Type() != "code" {
			continue
		}
		if r.began() {
			live.Times[id] = maps.Clone(r.times)
		}
		if r.dirty || live.Cells[id] != "" {
			k.runs.put(r, c)
		}
		c.MarkDisplays(r.outputs.List)
	}
	return live
}

// Merge puts the outputs that the file does not have yet into a notebook and reports whether that changed it.
func (k *Kernel) Merge(nb *nbformat.Notebook) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.runs.merge(nb, func(r *run) bool { return r.dirty })
}

// Saved is called when a client saves the notebook nb. It adds the outputs to nb that the client cannot know: those
// after message number seen, or, if seen is nil, those since the last client left. The caller must call written when
// the file is saved.
func (k *Kernel) Saved(nb *nbformat.Notebook, seen *uint64) (written func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	from := k.runs.aloneFrom
	if seen != nil {
		from = *seen
	}
	k.runs.merge(nb, func(r *run) bool { return r.changed > from })
	var cleared []*run
	for id, r := range k.runs.byCell {
		c := nb.Cell(id)
		if c == nil || r.changed > from {
			continue
		}
		if !c.HasOutputs() {
			cleared = append(cleared, r) // by the user
		}
		if k.runs.timing && r.began() && c["execution_count"] != nil { // which clients leave to the server
			c.SetExecution(r.times)
		}
	}
	n := k.ring.last
	return func() {
		k.mu.Lock()
		for _, r := range cleared {
			if r.changed <= from {
				r.outputs = nbformat.Outputs{}
			}
		}
		k.mu.Unlock()
		k.Flushed(n)
	}
}

// Flushed notes that the file has the outputs of all messages up to number n.
func (k *Kernel) Flushed(n uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range k.runs.byCell {
		if r.changed <= n {
			r.dirty = false
		}
	}
}

// Dirty reports whether there are outputs that the file does not have, and returns the number of the last message.
func (k *Kernel) Dirty() (n uint64, dirty bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range k.runs.byCell {
		dirty = dirty || r.dirty
	}
	return k.ring.last, dirty
}

func (rs *runs) merge(nb *nbformat.Notebook, which func(*run) bool) bool {
	changed := false
	for id, r := range rs.byCell {
		if !which(r) {
			continue
		}
		if c := nb.Cell(id); c != nil && c.Type() == "code" {
			rs.put(r, c)
			changed = true
		}
	}
	return changed
}
