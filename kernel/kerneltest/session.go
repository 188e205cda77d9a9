// Package kerneltest has a kernel.Session for tests of the servers and programs that run a kernel, and helpers for
// tests of cells. The language of its Session has one command a line, so that a test can make a cell do exactly what
// the test needs:
//
//	print TEXT | error-print TEXT   write a line to stdout, stderr
//	many N                          write N lines
//	value TEXT                      the cell's value
//	display ID TEXT | update ID TEXT
//	clear | clear wait
//	input PROMPT | password PROMPT  ask, then print what was answered
//	sleep MS                        wait; an interrupt ends it
//	spin                            wait for an interrupt only
//	late MS TEXT                    print after the cell has ended
//	fail NAME TEXT                  end with an error
//	exit N | panic TEXT | eat BYTES end the process, crash it, use up memory
//	native TEXT                     write to the process's own standard error
//	native-late MS TEXT             write to its standard output after the cell has ended
//	next TEXT | page TEXT           Jupyter's payloads
package kerneltest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"nacre/kernel"
	"nacre/kernel/jupyter"
)

// Session runs cells in the language of commands that the package's comment lists. Its zero value is ready.
type Session struct {
	mu    sync.Mutex
	count int
	stop  chan struct{}     // stops the running cell
	ran   map[string]string // what each cell ran
	eaten [][]byte
}

// Info implements kernel.Session.
func (s *Session) Info() kernel.Info {
	return kernel.Info{
		Implementation: "kerneltest", Version: "1.0", Engine: "none", Language: "go", LanguageVersion: "1.26",
		MIMEType: "text/x-go", FileExtension: ".go", Mode: "go", Banner: "a kernel for tests",
	}
}

// Execute implements kernel.Session.
func (s *Session) Execute(ctx context.Context, r kernel.Request, out kernel.Output) kernel.Reply {
	s.mu.Lock()
	if r.StoreHistory {
		s.count++
	}
	if s.ran == nil {
		s.ran = map[string]string{}
	}
	s.ran[r.CellID] = r.Code
	c := &cell{s: s, out: out, reply: kernel.Reply{Count: s.count}, ctx: ctx}
	s.stop = make(chan struct{})
	c.stop = s.stop
	s.mu.Unlock()
	for i, line := range strings.Split(r.Code, "\n") {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if word == "" {
			continue
		}
		do := commands[word]
		if do == nil {
			c.fail("CompileError", fmt.Sprintf("line %d: unknown command %s", i+1, word))
		} else {
			do(c, rest)
		}
		if c.reply.Error != nil {
			return c.reply
		}
	}
	c.reply.Expressions = map[string]kernel.ExpressionData{}
	for name, x := range r.UserExpressions {
		c.reply.Expressions[name] = kernel.ExpressionData{Data: text(x)}
	}
	return c.reply
}

// cell is a cell being run.
type cell struct {
	s     *Session
	out   kernel.Output
	ctx   context.Context
	stop  chan struct{}
	reply kernel.Reply
}

func text(s string) *kernel.Data { return &kernel.Data{MIME: map[string]any{"text/plain": s}} }

func (c *cell) fail(name, message string) {
	c.reply.Error = &kernel.Error{Name: name, Message: message,
		Traceback: []string{"\x1b[31m" + name + "\x1b[0m: " + message}}
}

// wait returns false after an interrupt.
func (c *cell) wait(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-c.stop:
	case <-c.ctx.Done():
	}
	c.fail("Interrupted", "the cell was interrupted")
	return false
}

func shown(rest string) kernel.Data {
	id, what, _ := strings.Cut(rest, " ")
	d := *text(what)
	d.ID = id
	return d
}

var commands = map[string]func(c *cell, rest string){
	"print":       func(c *cell, rest string) { c.out.Stream("stdout", rest+"\n") },
	"error-print": func(c *cell, rest string) { c.out.Stream("stderr", rest+"\n") },
	"many": func(c *cell, rest string) {
		for i := range number(rest) {
			c.out.Stream("stdout", "line "+strconv.Itoa(i)+"\n")
		}
	},
	"value":    func(c *cell, rest string) { c.reply.Value = text(rest) },
	"display":  func(c *cell, rest string) { c.out.Display(shown(rest)) },
	"update":   func(c *cell, rest string) { c.out.Update(shown(rest)) },
	"clear":    func(c *cell, rest string) { c.out.Clear(rest == "wait") },
	"input":    func(c *cell, rest string) { c.ask(rest, false) },
	"password": func(c *cell, rest string) { c.ask(rest, true) },
	"sleep":    func(c *cell, rest string) { c.wait(time.Duration(number(rest)) * time.Millisecond) },
	"spin":     func(c *cell, _ string) { c.wait(time.Hour) },
	"late": func(c *cell, rest string) {
		ms, what, _ := strings.Cut(rest, " ")
		time.AfterFunc(time.Duration(number(ms))*time.Millisecond, func() { c.out.Stream("stdout", what+"\n") })
	},
	"fail": func(c *cell, rest string) {
		name, message, _ := strings.Cut(rest, " ")
		c.fail(name, message)
	},
	"exit":   func(_ *cell, rest string) { os.Exit(number(rest)) },
	"panic":  func(_ *cell, rest string) { go panic(rest); select {} },
	"eat":    func(c *cell, rest string) { c.s.eat(number(rest)) },
	"native": func(_ *cell, rest string) { fmt.Fprintln(os.Stderr, rest) },
	"native-late": func(_ *cell, rest string) {
		ms, what, _ := strings.Cut(rest, " ")
		time.AfterFunc(time.Duration(number(ms))*time.Millisecond, func() { fmt.Println(what) })
	},
	"next": func(c *cell, rest string) {
		c.reply.Payload = append(c.reply.Payload, map[string]any{"source": "set_next_input", "text": rest,
			"replace": false})
	},
	"page": func(c *cell, rest string) {
		c.reply.Payload = append(c.reply.Payload,
			map[string]any{"source": "page", "data": map[string]any{"text/plain": rest}, "start": 0})
	},
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

func (c *cell) ask(prompt string, password bool) {
	answer, err := c.out.Input(prompt, password)
	switch {
	case errors.Is(err, jupyter.ErrInterrupted):
		c.fail("Interrupted", err.Error())
	case err != nil:
		c.fail("InputRefused", err.Error())
	default:
		c.out.Stream("stdout", "got "+answer+"\n")
	}
}

// eat writes to n bytes, so that they are really used.
func (s *Session) eat(n int) {
	for n > 0 {
		b := make([]byte, 16<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		s.eaten = append(s.eaten, b)
		n -= len(b)
	}
}

// Complete implements kernel.Session: it completes command names.
func (s *Session) Complete(_ context.Context, code string, cursor int) kernel.Completion {
	return s.Draft().Complete(code, cursor)
}

// Inspect implements kernel.Session.
func (s *Session) Inspect(_ context.Context, code string, cursor, detail int) kernel.Inspection {
	return s.Draft().Inspect(code, cursor, detail)
}

// Draft implements kernel.Session. The cells above have no effect.
func (s *Session) Draft(...string) kernel.Draft { return draft{} }

type draft struct{}

// Complete implements kernel.Draft: it completes command names.
func (draft) Complete(code string, cursor int) kernel.Completion {
	r := []rune(code)
	start := cursor
	for start > 0 && r[start-1] != ' ' && r[start-1] != '\n' {
		start--
	}
	c := kernel.Completion{Start: start, End: cursor}
	for name := range commands {
		if strings.HasPrefix(name, string(r[start:cursor])) {
			c.Matches = append(c.Matches, kernel.Match{Text: name, Kind: "function"})
		}
	}
	return c
}

// Inspect implements kernel.Draft.
func (draft) Inspect(code string, _, _ int) kernel.Inspection {
	word, _, _ := strings.Cut(code, " ")
	if commands[word] == nil {
		return kernel.Inspection{}
	}
	return kernel.Inspection{Found: true, Data: *text("command " + word)}
}

// Signature implements kernel.Draft: every command takes a text.
func (draft) Signature(code string, _ int) kernel.Signature {
	word, _, called := strings.Cut(code, "(")
	if commands[word] == nil || !called {
		return kernel.Signature{}
	}
	from := len(word) + 1
	return kernel.Signature{Label: word + "(text)", Parameters: [][2]int{{from, from + len("text")}}, Doc: "A command."}
}

// Import implements kernel.Draft: nothing has to be imported.
func (draft) Import(string, string) *kernel.Edit { return nil }

// Problems implements kernel.Session: unknown commands are problems.
func (s *Session) Problems(cells []kernel.Source) [][]kernel.Problem {
	out := make([][]kernel.Problem, len(cells))
	for k, c := range cells {
		for i, line := range strings.Split(c.Code, "\n") {
			if word, _, _ := strings.Cut(strings.TrimSpace(line), " "); word != "" && commands[word] == nil {
				out[k] = append(out[k], kernel.Problem{Position: kernel.Position{Line: i + 1, Column: 1},
					Message: "unknown command " + word})
			}
		}
	}
	return out
}

// Definition implements kernel.Session: it finds no definition, because cells define no names.
func (s *Session) Definition([]string, int, int) kernel.Definition {
	return kernel.Definition{Cell: -1}
}

// Rename implements kernel.Session: there are no names.
func (s *Session) Rename([]string, int, int, string) (kernel.Renaming, error) {
	return kernel.Renaming{}, errors.New("the scripted kernel has no names")
}

// Search implements kernel.Session: it finds commands.
func (s *Session) Search(words string, most int) []kernel.Entry {
	list := []kernel.Entry{}
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		if strings.Contains(name, words) && len(list) < most {
			list = append(list, kernel.Entry{Path: "commands", Package: "commands", Name: name, Kind: "function",
				Doc: "command " + name, Snippet: name + " ${text}"})
		}
	}
	return list
}

// IsComplete implements kernel.Session.
func (s *Session) IsComplete(code string) kernel.Completeness {
	switch {
	case strings.HasSuffix(code, "{"):
		return kernel.Completeness{Status: "incomplete", Indent: "\t"}
	case strings.HasPrefix(code, ")"):
		return kernel.Completeness{Status: "invalid"}
	}
	return kernel.Completeness{Status: "complete"}
}

// Program implements kernel.Session: commands have no errors to handle, so the cells stay as they are.
func (s *Session) Program(cells []string) ([]string, string) { return cells, "" }

// Parts implements kernel.Session: no variable has parts.
func (s *Session) Parts(string, []int) ([]kernel.Variable, int, error) { return nil, 0, nil }

// Stale implements kernel.Session: commands read nothing, so only an edit makes a cell stale.
func (s *Session) Stale(cells []kernel.Source) []kernel.Staleness {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]kernel.Staleness, len(cells))
	for i, c := range cells {
		code, ran := s.ran[c.ID]
		list[i] = kernel.Staleness{Ran: ran, Edited: ran && code != c.Code}
	}
	return list
}

// Move implements kernel.Session: there are no controls.
func (s *Session) Move(string, []byte) error { return kernel.ErrNoControl }

// Variables implements kernel.Session.
func (s *Session) Variables() []kernel.Variable {
	s.mu.Lock()
	defer s.mu.Unlock()
	return []kernel.Variable{{Name: "cells", Type: "int", Value: strconv.Itoa(s.count), Size: -1}}
}

// Interrupt implements kernel.Session.
func (s *Session) Interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		select {
		case <-s.stop:
		default:
			close(s.stop)
		}
	}
}

// Close implements kernel.Session.
func (s *Session) Close() error { return nil }
