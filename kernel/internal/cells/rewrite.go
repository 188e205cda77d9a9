package cells

import (
	"go/types"
	"strconv"
	"strings"
)

// Alias is the name under which cells import the package that runs the commands of their lines.
const Alias = "shell__"

// WithCommands returns a cell whose lines for a shell are calls of a package that it imports: !ls calls Run, and files
// := !ls calls Lines. The number of lines stays the same. Commands that have another form here are errors.
func WithCommands(src, path string, known func(name string) bool) (string, error) {
	list := Commands(src, known)
	if len(list) == 0 {
		return src, nil
	}
	var b strings.Builder
	at := 0
	for k, c := range list {
		line := strings.LastIndexByte(src[:c.From], '\n') + 1
		say := unfit(c.Text)
		if say == "" && path == "" {
			say = "cells of this kernel run no commands"
		}
		if say != "" {
			e := Error{Msg: say}
			e.Pos.Line, e.Pos.Column = strings.Count(src[:line], "\n")+1, c.From-line+1
			return "", Errors{e}
		}
		if k == 0 {
			b.WriteString(src[at:line] + ImportCommands(path))
			at = line
		}
		function := ".Run("
		if c.Assigned {
			function = ".Lines("
		}
		b.WriteString(src[at:c.From] + Alias + function + strings.Repeat("\n", strings.Count(src[c.From:c.To], "\n")) +
			strconv.Quote(c.Text) + ")")
		at = c.To
	}
	return b.String() + src[at:], nil
}

// ImportCommands is an import of the package that runs commands, to stand before a statement.
func ImportCommands(path string) string { return "import " + Alias + " " + strconv.Quote(path) + "; " }

// unfit says what to type instead of a command that does not do here what it does elsewhere; "" for others.
func unfit(command string) string {
	known, _ := habits()
	for _, h := range known {
		if !strings.HasPrefix(h.line.String(), "^!") {
			continue
		}
		if m := h.line.FindStringSubmatchIndex("!" + command); m != nil {
			return string(h.line.ExpandString(nil, h.say, "!"+command, m))
		}
	}
	return ""
}

// Knows reports whether the cells before have a name.
func (p *Scope) Knows(name string) bool {
	return p.Vars[name] != nil || p.Imports[name] != "" || p.find(name) != nil || types.Universe.Lookup(name) != nil
}
