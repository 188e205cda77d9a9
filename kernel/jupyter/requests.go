package jupyter

import (
	"encoding/json"
	"errors"
	"strings"

	"nacre/kernel"
)

// info is the content of a kernel_info_reply.
func (k *Kernel) info() map[string]any {
	i := k.session.Info()
	return map[string]any{
		"status": "ok", "protocol_version": ProtocolVersion, "implementation": i.Implementation,
		"implementation_version": i.Version, "banner": i.Banner, "debugger": false,
		"help_links": []any{}, "supported_features": []string{}, "engine": i.Engine, "engine_note": i.Note,
		"language_info": map[string]any{
			"name": i.Language, "version": i.LanguageVersion, "mimetype": i.MIMEType, "file_extension": i.FileExtension,
			"codemirror_mode": i.Mode, "pygments_lexer": i.Language, "nbconvert_exporter": "script", "engine": i.Engine,
		},
	}
}

// writing is the content of requests about a cell that is being written. Above is Nacre's own: the cells over it that
// did not run as they are.
type writing struct {
	Code   string   `json:"code"`
	Cursor int      `json:"cursor_pos"`
	Detail int      `json:"detail_level"`
	Above  []string `json:"above"`
}

// written reads a request about a cell that is being written; a bad one is answered.
func (k *Kernel) written(m *Message) (c writing, ok bool) {
	err := m.Decode(&c)
	if err != nil {
		name, _ := replyName(m.Type())
		k.reply(m, name, failed("BadRequest", err.Error()))
	}
	c.Cursor = clamp(c.Cursor, c.Code)
	return c, err == nil
}

// edit is an insertion besides the completion, of an import.
type edit struct {
	At   int    `json:"at"`
	Text string `json:"text"`
}

func editOf(e *kernel.Edit) *edit {
	if e == nil {
		return nil
	}
	return &edit{e.At, e.Text}
}

// typed is a match as front ends understand it. Insert and Import are Nacre's own fields.
type typed struct {
	Start     int    `json:"start"`
	End       int    `json:"end"`
	Text      string `json:"text"`
	Type      string `json:"type"`
	Signature string `json:"signature"`
	Insert    string `json:"insert,omitempty"`
	Import    *edit  `json:"import,omitempty"`
}

// complete answers with the matches twice: as plain text, and with kind and signature.
func (k *Kernel) complete(m *Message) {
	c, ok := k.written(m)
	if !ok {
		return
	}
	r := k.session.Draft(c.Above...).Complete(c.Code, c.Cursor)
	texts, list := make([]string, len(r.Matches)), make([]typed, len(r.Matches))
	for i, match := range r.Matches {
		texts[i] = match.Text
		list[i] = typed{r.Start, r.End, match.Text, match.Kind, match.Signature, match.Insert, editOf(match.Import)}
	}
	k.reply(m, "complete_reply", map[string]any{
		"status": "ok", "matches": texts, "cursor_start": r.Start, "cursor_end": r.End,
		"metadata": map[string]any{"_jupyter_types_experimental": list},
	})
}

func (k *Kernel) inspect(m *Message) {
	c, ok := k.written(m)
	if !ok {
		return
	}
	r := k.session.Draft(c.Above...).Inspect(c.Code, c.Cursor, c.Detail)
	data, metadata := bundle(r.Data)
	k.reply(m, "inspect_reply", map[string]any{"status": "ok", "found": r.Found, "data": data, "metadata": metadata})
}

// signature answers Nacre's own signature_request.
func (k *Kernel) signature(m *Message) {
	c, ok := k.written(m)
	if !ok {
		return
	}
	r := k.session.Draft(c.Above...).Signature(c.Code, c.Cursor)
	if r.Parameters == nil {
		r.Parameters = [][2]int{}
	}
	k.reply(m, "signature_reply", map[string]any{"status": "ok", "label": r.Label, "parameters": r.Parameters,
		"active": r.Active, "doc": r.Doc})
}

// problems answers Nacre's own problems_request.
func (k *Kernel) problems(m *Message) {
	var c struct {
		Cells []struct {
			Code string `json:"code"`
			Ran  bool   `json:"ran"`
		} `json:"cells"`
	}
	if err := m.Decode(&c); err != nil {
		k.reply(m, "problems_reply", failed("BadRequest", err.Error()))
		return
	}
	list := make([]kernel.Source, len(c.Cells))
	for i, x := range c.Cells {
		list[i] = kernel.Source{Code: x.Code, Ran: x.Ran}
	}
	type problem struct {
		Line    int    `json:"line"`
		Column  int    `json:"column"`
		Message string `json:"message"`
		Import  *edit  `json:"import,omitempty"`
	}
	out := [][]problem{}
	for _, found := range k.session.Problems(list) {
		of := []problem{}
		for _, p := range found {
			of = append(of, problem{p.Line, p.Column, p.Message, editOf(p.Import)})
		}
		out = append(out, of)
	}
	k.reply(m, "problems_reply", map[string]any{"status": "ok", "cells": out})
}

// stale answers Nacre's own stale_request.
func (k *Kernel) stale(m *Message) {
	var c struct {
		Cells []struct {
			ID   string `json:"id"`
			Code string `json:"code"`
		} `json:"cells"`
	}
	if err := m.Decode(&c); err != nil {
		k.reply(m, "stale_reply", failed("BadRequest", err.Error()))
		return
	}
	list := make([]kernel.Source, len(c.Cells))
	for i, x := range c.Cells {
		list[i] = kernel.Source{ID: x.ID, Code: x.Code}
	}
	out := []map[string]any{}
	for _, s := range k.session.Stale(list) {
		out = append(out, map[string]any{
			"ran": s.Ran, "edited": s.Edited, "because": append([]string{}, s.Because...), "own": s.Own,
			"after": append([]string{}, s.After...),
		})
	}
	k.reply(m, "stale_reply", map[string]any{"status": "ok", "cells": out})
}

// move answers Nacre's own control_request.
func (k *Kernel) move(m *Message) {
	var c struct {
		ID    string          `json:"id"`
		Value json.RawMessage `json:"value"`
	}
	err := m.Decode(&c)
	if err != nil {
		k.reply(m, "control_reply", failed("BadRequest", err.Error()))
		return
	}
	if err := k.session.Move(c.ID, c.Value); err != nil {
		name := "ControlError"
		if errors.Is(err, kernel.ErrNoControl) {
			name = "NoControl"
		}
		k.reply(m, "control_reply", failed(name, err.Error()))
		return
	}
	k.reply(m, "control_reply", map[string]any{"status": "ok"})
}

// mostEntries answer a search.
const mostEntries = 60

// search answers Nacre's own search_request.
func (k *Kernel) search(m *Message) {
	var c struct {
		Words string   `json:"words"`
		Code  string   `json:"code"`
		Above []string `json:"above"`
	}
	if err := m.Decode(&c); err != nil {
		k.reply(m, "search_reply", failed("BadRequest", err.Error()))
		return
	}
	list, draft, imports := []map[string]any{}, k.session.Draft(c.Above...), map[string]*edit{}
	for _, e := range k.session.Search(c.Words, mostEntries) {
		if _, known := imports[e.Path]; !known {
			imports[e.Path] = editOf(draft.Import(c.Code, e.Path))
		}
		list = append(list, map[string]any{"path": e.Path, "package": e.Package, "import": imports[e.Path],
			"name": e.Name, "kind": e.Kind, "signature": e.Signature, "doc": e.Doc, "snippet": e.Snippet})
	}
	k.reply(m, "search_reply", map[string]any{"status": "ok", "entries": list})
}

func (k *Kernel) isComplete(m *Message) {
	var c struct {
		Code string `json:"code"`
	}
	if err := m.Decode(&c); err != nil {
		k.reply(m, "is_complete_reply", failed("BadRequest", err.Error()))
		return
	}
	r := k.session.IsComplete(c.Code)
	content := map[string]any{"status": r.Status}
	if r.Status == "incomplete" {
		content["indent"] = r.Indent
	}
	k.reply(m, "is_complete_reply", content)
}

// variables answers nacre's own variables_request: with all variables, or with the parts of one, "of" that name, along
// a "path" of indices.
func (k *Kernel) variables(m *Message) {
	var c struct {
		Of   string `json:"of"`
		Path []int  `json:"path"`
	}
	if err := m.Decode(&c); err != nil {
		k.reply(m, "variables_reply", failed("BadRequest", err.Error()))
		return
	}
	vars := k.session.Variables()
	total := len(vars)
	if c.Of != "" {
		var err error
		if vars, total, err = k.session.Parts(c.Of, c.Path); err != nil {
			k.reply(m, "variables_reply", failed("NoParts", err.Error()))
			return
		}
	}
	list := []map[string]any{}
	for _, v := range vars {
		list = append(list, map[string]any{"name": v.Name, "type": v.Type, "value": v.Value, "size": v.Size,
			"parts": v.Parts})
	}
	k.reply(m, "variables_reply", map[string]any{"status": "ok", "variables": list, "total": total})
}

// program answers nacre's own program_request: the cells of a notebook as a program has them.
func (k *Kernel) program(m *Message) {
	var c struct {
		Cells []string `json:"cells"`
	}
	if err := m.Decode(&c); err != nil {
		k.reply(m, "program_reply", failed("BadRequest", err.Error()))
		return
	}
	cells, decls := k.session.Program(c.Cells)
	k.reply(m, "program_reply", map[string]any{"status": "ok", "cells": cells, "declarations": decls})
}

// refuseComm closes a comm at once: this kernel has no targets.
func (k *Kernel) refuseComm(m *Message) {
	var c struct {
		ID string `json:"comm_id"`
	}
	if m.Decode(&c) == nil {
		k.publish(m, "comm_close", map[string]any{"comm_id": c.ID, "data": map[string]any{}})
	}
}

func replyName(request string) (string, bool) {
	name, ok := strings.CutSuffix(request, "_request")
	return name + "_reply", ok
}

// clamp keeps a cursor inside code.
func clamp(cursor int, code string) int {
	return max(0, min(cursor, len([]rune(code))))
}

func (k *Kernel) recall(m *Message) {
	var c historyRequest
	if err := m.Decode(&c); err != nil {
		k.reply(m, "history_reply", failed("BadRequest", err.Error()))
		return
	}
	list := [][3]any{}
	for _, e := range k.history.find(c) {
		var what any = e.code
		if c.Output {
			what = [2]any{e.code, e.output}
		}
		list = append(list, [3]any{1, e.count, what})
	}
	k.reply(m, "history_reply", map[string]any{"status": "ok", "history": list})
}
