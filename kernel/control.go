package kernel

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// ErrNoControl is the error of Move if no cell of the session shows that control.
var ErrNoControl = errors.New("this control is not connected: run its cell")

// scalars are the values of the variables that are numbers, texts and truth values.
func (s *session) scalars() map[string]any {
	m := map[string]any{}
	for name, v := range s.prog.Vars {
		if x, ok := s.engine.Read(v); ok && scalar(x) {
			m[name] = x
		}
	}
	return m
}

// scalar reports whether a value is a number, a text or a truth value.
func scalar(x any) bool {
	switch k := reflect.ValueOf(x).Kind(); k {
	case reflect.Bool, reflect.String:
		return true
	default:
		return reflect.Int <= k && k <= reflect.Complex128
	}
}

// Control registers a control that code shows in the cell. The function called set takes the value that the user chose.
// The function called now returns how the control is to be shown, and whether its variable has changed since the last
// call. Both are called between cells only. Control returns the id under which the control is to be shown and moved. It
// also returns the control's state in the notebook when the cell began to run; nil if the notebook had no control of
// this label.
func (c *Cell) Control(label string, set func(value []byte) error,
	now func() (shown any, changed bool)) (id string, was []byte) {
	s := c.r.session
	s.controlling.Lock()
	defer s.controlling.Unlock()
	name := label
	for n := 2; s.controls[c.r.place(name)] != nil; n++ {
		name = fmt.Sprint(label, " ", n)
	}
	id = c.r.place(name)
	s.controls[id] = &control{c.r, set, now}
	return id, c.r.kept[name]
}

// place is the id of a control by its label.
func (r *run) place(label string) string {
	if r.cell == "" {
		return fmt.Sprintf("control %d/%s", r.number, label)
	}
	return "control " + r.cell + "/" + label
}

// Move is Session's.
func (s *session) Move(id string, value []byte) error {
	s.exec.Lock()
	defer s.exec.Unlock()
	s.controlling.Lock()
	c := s.controls[id]
	s.controlling.Unlock()
	if c == nil {
		return ErrNoControl
	}
	if s.zombies.Load() > 0 {
		return errors.New("an interrupted cell still runs: controls can be moved when it has ended")
	}
	before := s.scalars()
	if err := c.set(value); err != nil {
		return err
	}
	after := s.scalars()
	var names []string
	for name, x := range after {
		if before[name] != x {
			names = append(names, name)
		}
	}
	s.info.Lock()
	if r := s.history.cells[c.run.cell]; names == nil && r != nil { // a part of something larger
		names = slices.DeleteFunc(slices.Sorted(maps.Keys(r.Pointers)), func(n string) bool { return after[n] != nil })
	}
	s.history.move(c.run.cell, names)
	s.info.Unlock()
	s.show(id, c)
	s.snapshot()
	return nil
}

// show shows a control as it is now.
func (s *session) show(id string, c *control) {
	v, _ := c.now()
	d, err := s.forms(v)
	if err != nil {
		d = unshown(err)
	}
	d.ID = id
	c.run.out.Update(d)
}

// follow updates the controls whose variables cells have changed.
func (s *session) follow() {
	if s.zombies.Load() > 0 {
		return
	}
	s.controlling.Lock()
	list := maps.Clone(s.controls)
	s.controlling.Unlock()
	for _, id := range slices.Sorted(maps.Keys(list)) {
		if _, changed := list[id].now(); changed {
			s.show(id, list[id])
		}
	}
}

// forget drops the controls of a cell, which is about to run again.
func (s *session) forget(cell string) {
	s.controlling.Lock()
	defer s.controlling.Unlock()
	for id, c := range s.controls {
		if c.run.cell == cell && cell != "" {
			delete(s.controls, id)
		}
	}
}
