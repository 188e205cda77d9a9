package kernel

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"strings"
	"sync"

	"nacre/kernel/internal/cells"
	"nacre/kernel/internal/engine"
	"nacre/kernel/internal/lower"
	"nacre/kernel/internal/rt"
)

// unwound collects the functions that panics leave, by goroutine, innermost first: the interpreter writes a line for
// each, with the function's name in lowered code.
type unwound struct {
	mu    sync.Mutex
	names map[int64][]string
}

// mostFrames is the number of frames kept of one panic; a recursion can have many more.
const mostFrames = 1000

func (u *unwound) Write(p []byte) (int, error) {
	_, name, ok := bytes.Cut(p, []byte(": panic: main."))
	name, _, found := bytes.Cut(name, []byte("("))
	if ok && found {
		id := rt.Goroutine()
		u.mu.Lock()
		defer u.mu.Unlock()
		if u.names == nil {
			u.names = map[int64][]string{}
		}
		if len(u.names[id]) < mostFrames {
			u.names[id] = append(u.names[id], string(name))
		}
	}
	return len(p), nil
}

// forget drops the frames of the calling goroutine's panic after it is recovered.
func (u *unwound) forget() { u.take() }

func (u *unwound) take() []string {
	id := rt.Goroutine()
	u.mu.Lock()
	defer u.mu.Unlock()
	list := u.names[id]
	delete(u.names, id)
	return list
}

// frames are the calls that the calling goroutine's panic ended, innermost first. The line of the innermost call is the
// line of the statement at, which ran last. The line of another call is known if its function calls the next one in
// only one place. The last frame is statement stmt of the cell.
func (u *unwound) frames(low *lower.Lowerer, at token.Pos, body []ast.Stmt, stmt int) []engine.Frame {
	var list []engine.Frame
	add := func(f *lower.Func, pos token.Pos) {
		p := low.Fset.Position(pos)
		var cell int
		if _, err := fmt.Sscanf(p.Filename, strings.ReplaceAll(cells.CellName(0), "0", "%d"), &cell); err != nil {
			return
		}
		name := ""
		if f != nil {
			name = f.Name
		}
		list = append(list, engine.Frame{Func: name, Cell: cell, Line: p.Line})
	}
	var inner *lower.Func
	for k, name := range u.take() {
		f := low.Lowered(name)
		if f == nil {
			continue
		}
		switch {
		case len(list) == 0 && f.Decl.Pos() <= at && at < f.Decl.End():
			add(f, at)
		case k > 0 && f == inner && f.Calls(low.Info, f) == token.NoPos: // a closure of the function before
			continue
		default:
			pos := f.Calls(low.Info, inner)
			if pos == token.NoPos {
				pos = f.Decl.Pos()
			}
			add(f, pos)
		}
		inner = f
	}
	if len(list) == 0 {
		add(nil, at)
		return list
	}
	if stmt >= 0 && stmt < len(body) {
		add(nil, body[stmt].Pos())
	}
	return list
}
