package nbformat

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Repair makes the notebook follow its format and returns what it changed, a sentence each. Fields that the format does
// not know become metadata; what has no place in the format is shown as text.
func (n *Notebook) Repair() []string {
	r := &repair{}
	if n.form.mark {
		n.form.mark = false
		r.say("the byte order mark is left out")
	}
	n.repairNotebook(r)
	list, _ := n.doc["cells"].([]any)
	for i, v := range list {
		r.where = fmt.Sprintf("cell %d: ", i+1)
		c, ok := v.(map[string]any)
		if !ok {
			r.say("%.40s became a raw cell", asText(v))
			c = map[string]any{"cell_type": "raw", "id": n.freeID(i), "metadata": map[string]any{}, "source": asText(v)}
			list[i] = c
			if !n.hasIDs() {
				n.made[Cell(c).ID()] = absent{}
			}
		}
		if id := Cell(c).ID(); n.checkID(c, map[string]int{}) != nil && n.hasIDs() {
			delete(n.made, id)
			r.say("its id is now %s", id)
		}
		n.repairCell(r, c)
	}
	return r.done
}

// repair notes what a repair changes.
type repair struct {
	where string
	done  []string
}

func (r *repair) say(format string, args ...any) {
	r.done = append(r.done, r.where+fmt.Sprintf(format, args...))
}

// freeID is an identifier that no cell has, for the one at index i.
func (n *Notebook) freeID(i int) string {
	for {
		id := identifier(i, Cell{})
		if n.Cell(id) == nil {
			return id
		}
		i += 100_003
	}
}

func (n *Notebook) repairNotebook(r *repair) {
	if minor, ok := integer(n.doc["nbformat_minor"]); !ok || minor < 0 {
		n.doc["nbformat_minor"] = json.Number(fmt.Sprint(Minor))
		r.say("the format is now 4.%d", Minor)
	}
	if !n.hasIDs() && slices.ContainsFunc(n.Cells(), func(c Cell) bool { return n.made[c.ID()] != absent{} }) {
		n.doc["nbformat_minor"] = json.Number(fmt.Sprint(Minor))
		r.say("the format is now 4.%d, as cells have ids", Minor)
	}
	r.object(n.doc, "metadata")
	meta := n.Metadata()
	if n.Minor() <= Minor {
		r.moveUnknown(n.doc, meta, "metadata", "nbformat", "nbformat_minor", "cells")
	}
	for key, needed := range map[string][]string{"kernelspec": {"name", "display_name"}, "language_info": {"name"}} {
		v, ok := meta[key]
		if !ok {
			continue
		}
		o, ok := v.(map[string]any)
		if name, text := o["name"].(string); !ok || !text {
			delete(meta, key)
			r.say("metadata.%s without a name is left out: %.80s", key, asText(v))
		} else if _, text := o["display_name"].(string); !text && len(needed) > 1 {
			o["display_name"] = name
			r.say("metadata.%s.display_name is now %q", key, name)
		}
	}
}

func (n *Notebook) repairCell(r *repair, c map[string]any) {
	r.object(c, "metadata")
	meta := c["metadata"].(map[string]any)
	kind := Cell(c).Type()
	if _, known := cellTypes[kind]; !known {
		was := c["cell_type"]
		c["cell_type"] = "raw"
		switch kind {
		case "heading", "html":
			c["cell_type"] = "markdown"
		default:
			r.put(meta, "cell_type", was)
		}
		r.say("its type %.40s is now %s", asText(was), c["cell_type"])
		kind = Cell(c).Type()
		if level, ok := integer(c["level"]); ok && was == "heading" {
			text, _ := c["source"].(string)
			c["source"] = strings.Repeat("#", min(max(level, 1), 6)) + " " + text
			delete(c, "level")
		}
	}
	if _, ok := c["source"].(string); !ok {
		was := c["source"]
		c["source"] = plainText(was)
		r.say("its source was %.40s and is now text", asText(was))
	}
	if n.Minor() <= Minor {
		r.moveUnknown(c, meta, append([]string{"cell_type", "id", "metadata", "source"}, cellTypes[kind]...)...)
	}
	if err := checkAttachments(c); err != nil {
		r.put(meta, "attachments", c["attachments"])
		delete(c, "attachments")
		r.say("its attachments are now metadata: %v", err)
	}
	r.cellMetadata(c, meta)
	if kind == "code" {
		r.code(c)
	}
}

// cellMetadata takes out what the format does not allow, which is said.
func (r *repair) cellMetadata(c, meta map[string]any) {
	if tags, ok := meta["tags"].([]any); ok && checkCellMetadata(c) != nil {
		fixed := []any{}
		for _, v := range tags {
			for tag := range strings.SplitSeq(plainText(v), ",") {
				tag = strings.TrimSpace(tag)
				if tagPattern.MatchString(tag) && !slices.Contains(fixed, any(tag)) {
					fixed = append(fixed, tag)
				}
			}
		}
		if asText(fixed) != asText(tags) {
			meta["tags"] = fixed
			r.say("metadata.tags was %.80s and is now %.80s", asText(tags), asText(fixed))
		}
	}
	for _, key := range []string{"execution", "tags", "jupyter", "name", "collapsed", "scrolled"} {
		v, ok := meta[key]
		if ok && checkCellMetadata(Cell{"metadata": map[string]any{key: v}}) != nil {
			delete(meta, key)
			r.say("metadata.%s is left out: %.80s", key, asText(v))
		}
	}
}

func (r *repair) code(c map[string]any) {
	r.count(c)
	outputs, ok := c["outputs"].([]any)
	if !ok {
		if v := c["outputs"]; v != nil {
			outputs = []any{shownAsText(v)}
		} else {
			outputs = []any{}
		}
		c["outputs"] = outputs
		r.say("its outputs are now a list")
	}
	cell := r.where
	for i, v := range outputs {
		r.where = fmt.Sprintf("%soutput %d: ", cell, i+1)
		o, ok := v.(map[string]any)
		if ok && checkOutput(o) == nil {
			continue
		}
		if ok {
			r.output(o)
		}
		if o == nil || checkOutput(o) != nil {
			outputs[i] = shownAsText(v)
			r.say("it is shown as text now")
		}
	}
	r.where = cell
}

// output mends what can be mended of an output.
func (r *repair) output(o map[string]any) {
	if kind := o["output_type"]; kind == "pyout" || kind == "pyerr" {
		modernizeOutput(o)
		r.say("its type %s is now %s", kind, o["output_type"])
	}
	kind, _ := o["output_type"].(string)
	keys, known := outputKeys[kind]
	if !known {
		return
	}
	for key, v := range o {
		if key != "output_type" && !slices.Contains(keys, key) {
			delete(o, key)
			r.say("the field %.40q is left out: %.80s", key, asText(v))
		}
	}
	for _, key := range keys {
		switch v := o[key]; key {
		case "name":
			if _, ok := v.(string); !ok {
				o[key] = "stdout"
				r.say("its name is now stdout")
			}
		case "text", "ename", "evalue":
			if _, ok := v.(string); !ok {
				o[key] = plainText(v)
				r.say("%s was %.40s and is now text", key, asText(v))
			}
		case "metadata":
			r.object(o, "metadata")
		case "traceback":
			if !isTexts(v) {
				o[key] = lines(plainText(v))
				r.say("traceback is now a list of texts")
			}
		case "execution_count":
			r.count(o)
		case "data":
			r.object(o, "data")
			for mime, v := range o["data"].(map[string]any) {
				if _, text := v.(string); !text && !isJSON(mime) {
					o["data"].(map[string]any)[mime] = plainText(v)
					r.say("data of %.60s are now text", mime)
				}
			}
		}
	}
}

func (r *repair) count(m map[string]any) {
	if checkCount(m) != nil {
		was, ok := m["execution_count"]
		m["execution_count"] = nil
		if ok {
			r.say("execution_count %.40s is now null", asText(was))
		} else {
			r.say("execution_count was missing and is now null")
		}
	}
}

func (r *repair) object(m map[string]any, key string) {
	if was, ok := m[key].(map[string]any); !ok || was == nil {
		v, there := m[key]
		m[key] = map[string]any{}
		if there {
			r.say("%s was %.80s and is now empty", key, asText(v))
		} else {
			r.say("%s was missing and is now empty", key)
		}
	}
}

// moveUnknown makes metadata of the fields of m that are not known.
func (r *repair) moveUnknown(m, meta map[string]any, known ...string) {
	var unknown []string
	for key := range m {
		if !slices.Contains(known, key) {
			unknown = append(unknown, key)
		}
	}
	sort.Strings(unknown)
	for _, key := range unknown {
		r.say("the field %.40q is now metadata", key)
		r.put(meta, key, m[key])
		delete(m, key)
	}
}

// put adds a value under a key that is free, or the key with a number.
func (r *repair) put(meta map[string]any, key string, v any) {
	name := key
	for i := 2; meta[name] != nil; i++ {
		name = fmt.Sprintf("%s_%d", key, i)
	}
	meta[name] = v
}

func shownAsText(v any) map[string]any {
	return map[string]any{"output_type": "stream", "name": "stdout", "text": asText(v) + "\n"}
}

// plainText is a value as text: a text itself, a list's elements one after the other, nothing for null.
func plainText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		var b strings.Builder
		for _, v := range v {
			b.WriteString(plainText(v))
		}
		return b.String()
	}
	return asText(v)
}

func asText(v any) string {
	b, err := encode(v, "")
	if err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(string(b), "\n")
}
