package cells

import (
	"context"
	"go/token"
	"go/types"
	"maps"
	"math"
	"slices"
)

// firstDraft is the number of the first cell of a draft. It is above the numbers of all cells that run.
const firstDraft = 1 << 30

// Draft is a scope as it would be after some more cells. These cells are checked but not run. The original scope stays
// as it is.
type Draft struct {
	*Scope
	cells int
	files []*token.File // files of its cells' texts
}

// Fresh returns a scope without cells that can import what p can.
func (p *Scope) Fresh() *Scope {
	q := New(token.NewFileSet(), p.Packages)
	q.Load, q.Absent = p.Load, p.Absent
	return q
}

// Draft returns a draft of the scope, without further cells.
func (p *Scope) Draft() *Draft {
	q := New(p.Fset, p.Packages)
	q.Load, q.Absent = p.Load, p.Absent
	q.Imports, q.Dots, q.Vars, q.layouts = maps.Clone(p.Imports), slices.Clone(p.Dots), maps.Clone(p.Vars),
		maps.Clone(p.layouts)
	for name, d := range p.Decls {
		q.Decls[name] = d.copy()
	}
	return &Draft{Scope: q}
}

// Check checks a cell. If add is true, it adds the cell's declarations. If the cell has errors, it adds the
// declarations that it understood, so that one error does not cause errors in the cells below.
func (d *Draft) Check(src string, add bool) Errors {
	d.cells++
	base := d.Fset.Base()
	u, err := d.Scope.Check(context.Background(), firstDraft+d.cells, src)
	d.Fset.Iterate(func(f *token.File) bool {
		if f.Base() >= base {
			d.files = append(d.files, f)
		}
		return true
	})
	switch {
	case !add:
	case err == nil:
		u.Commit()
		u.CommitVars(math.MaxInt)
	default:
		d.guess(src)
	}
	if err == nil {
		return nil
	}
	return err.(Errors)
}

// guess adds what a cell with errors seems to declare.
func (d *Draft) guess(src string) {
	s := d.scratch(d.Fset, CellName(firstDraft+d.cells), src, "", nil)
	if s == nil {
		return
	}
	d.Imports = s.Imports
	decls, vars := s.Declared()
	for _, x := range decls {
		x.Cell = firstDraft + d.cells
		x.Uses = map[string]bool{}
		x.From = newText(d.Fset, "")
		delete(d.Vars, x.Name)
		d.Decls[x.Name] = x
	}
	for _, v := range vars {
		delete(d.Decls, v.Name())
		delete(d.Imports, v.Name())
		d.Vars[v.Name()] = &Var{Name: v.Name(), Obj: types.NewVar(token.NoPos, s.pkg, v.Name(), v.Type()),
			Cell: firstDraft + d.cells}
	}
}

// Own reports whether cell, the number of a cell that declares a name, is the number of a cell in a draft. Otherwise it
// is that of a cell that ran.
func Own(cell int) bool { return cell >= firstDraft }

// Close forgets the texts of the draft's cells. Positions in them cannot be looked up after it.
func (d *Draft) Close() {
	for _, f := range d.files {
		d.Fset.RemoveFile(f)
	}
	d.files = nil
}
