package jupyter

import (
	"strings"
)

// info is the content of a kernel_info_reply.
func (k *Kernel) info() map[string]any {
	i := k.session.Info()
	return map[string]any{
		"status": "ok", "protocol_version": ProtocolVersion, "implementation": i.Implementation,
		"implementation_version": i.Version, "banner": i.Banner, "debugger": false,
		"help_links": []any{}, "supported_features": []string{}, "engine": i.Engine,
		"language_info": map[string]any{
			"name": i.Language, "version": i.LanguageVersion, "mimetype": i.MIMEType, "file_extension": i.FileExtension,
			"codemirror_mode": i.Mode, "pygments_lexer": i.Language, "nbconvert_exporter": "script", "engine": i.Engine,
		},
	}
}

// complete answers with the matches twice: as plain text, and with kind and signature as front ends understand it.
func (k *Kernel) complete(m *Message) {
	var c struct {
		Code   string `json:"code"`
		Cursor int    `json:"cursor_pos"`
	}
	if err := m.Decode(&c); err != nil {
		k.reply(m, "complete_reply", failed("BadRequest", err.Error()))
		return
	}
	r := k.session.Complete(k.ctx, c.Code, clamp(c.Cursor, c.Code))
	texts := make([]string, len(r.Matches))
	typed := make([]map[string]any, len(r.Matches))
	for i, match := range r.Matches {
		texts[i] = match.Text
		typed[i] = map[string]any{"start": r.Start, "end": r.End, "text": match.Text, "type": match.Kind, "signature": match.Signature}
	}
	k.reply(m, "complete_reply", map[string]any{
		"status": "ok", "matches": texts, "cursor_start": r.Start, "cursor_end": r.End,
		"metadata": map[string]any{"_jupyter_types_experimental": typed},
	})
}

func (k *Kernel) inspect(m *Message) {
	var c struct {
		Code   string `json:"code"`
		Cursor int    `json:"cursor_pos"`
		Detail int    `json:"detail_level"`
	}
	if err := m.Decode(&c); err != nil {
		k.reply(m, "inspect_reply", failed("BadRequest", err.Error()))
		return
	}
	r := k.session.Inspect(k.ctx, c.Code, clamp(c.Cursor, c.Code), c.Detail)
	data, metadata := bundle(r.Data)
	k.reply(m, "inspect_reply", map[string]any{"status": "ok", "found": r.Found, "data": data, "metadata": metadata})
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

// variables answers nacre's own variables_request: with all variables, or with the parts of one, "of" that name, along a
// "path" of indices.
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
		list = append(list, map[string]any{"name": v.Name, "type": v.Type, "value": v.Value, "size": v.Size, "parts": v.Parts})
	}
	k.reply(m, "variables_reply", map[string]any{"status": "ok", "variables": list, "total": total})
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
