package jupyter

import (
	"errors"

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
