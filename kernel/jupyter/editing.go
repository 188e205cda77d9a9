package jupyter

import (
	"errors"
	"fmt"

	"nacre/kernel"
)

// formatted is a cell as gofmt writes it, or what keeps gofmt from it: Message, at a place as Go's compiler counts.
type formatted struct {
	Code    string `json:"code"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message,omitempty"`
}

// format answers Nacre's own format_request.
func (k *Kernel) format(m *Message) {
	var c struct {
		Cells []string `json:"cells"`
	}
	if err := m.Decode(&c); err != nil {
		k.reply(m, "format_reply", failed("BadRequest", err.Error()))
		return
	}
	list := []formatted{}
	for _, code := range c.Cells {
		out, err := kernel.Format(code)
		f := formatted{Code: out}
		var p kernel.Problem
		switch {
		case errors.As(err, &p):
			f = formatted{Code: code, Line: p.Line, Column: p.Column, Message: p.Message}
		case err != nil:
			f = formatted{Code: code, Message: err.Error()}
		}
		list = append(list, f)
	}
	k.reply(m, "format_reply", map[string]any{"status": "ok", "cells": list})
}

// inNotebook is the content of a request about a name in one of a notebook's cells, which are given with those that are
// no code as empty ones. Name is the new one of a rename_request.
type inNotebook struct {
	Cells  []string `json:"cells"`
	Cell   int      `json:"cell"`
	Cursor int      `json:"cursor_pos"`
	Name   string   `json:"name"`
}

// named reads such a request; a bad one is answered.
func (k *Kernel) named(m *Message) (c inNotebook, ok bool) {
	err := m.Decode(&c)
	if err == nil && (c.Cell < 0 || c.Cell >= len(c.Cells)) {
		err = fmt.Errorf("cell %d: expected a cell from 0 to %d", c.Cell, len(c.Cells)-1)
	}
	if err != nil {
		name, _ := replyName(m.Type())
		k.reply(m, name, failed("BadRequest", err.Error()))
		return c, false
	}
	c.Cursor = clamp(c.Cursor, c.Cells[c.Cell])
	return c, true
}

// definition answers Nacre's own definition_request: with a place in a cell, or with a description, as inspect_reply
// has
// it.
func (k *Kernel) definition(m *Message) {
	c, ok := k.named(m)
	if !ok {
		return
	}
	d := k.session.Definition(c.Cells, c.Cell, c.Cursor)
	content := map[string]any{"status": "ok", "cell": d.Cell, "line": d.Line, "column": d.Column, "uses": d.Uses}
	if d.Card != nil {
		content["data"] = map[string]any{"text/plain": d.Card.Text, "text/markdown": d.Card.Markdown}
	}
	k.reply(m, "definition_reply", content)
}

// rename answers Nacre's own rename_request.
func (k *Kernel) rename(m *Message) {
	c, ok := k.named(m)
	if !ok {
		return
	}
	r, err := k.session.Rename(c.Cells, c.Cell, c.Cursor, c.Name)
	if err != nil {
		k.reply(m, "rename_reply", failed("RenameError", err.Error()))
		return
	}
	type change struct {
		From int    `json:"from"`
		To   int    `json:"to"`
		Text string `json:"text"`
	}
	edits := make([][]change, len(r.Edits))
	for i, list := range r.Edits {
		edits[i] = []change{}
		for _, e := range list {
			edits[i] = append(edits[i], change(e))
		}
	}
	k.reply(m, "rename_reply", map[string]any{"status": "ok", "name": r.Name, "edits": edits,
		"notes": append([]string{}, r.Notes...)})
}
