package display

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"nacre/internal/nearest"
	"nacre/library/cell"
)

// ControlMIME is the type of controls, by which the user sets a variable.
const ControlMIME = "application/vnd.nacre.control+json"

var controlType = Type{"control", ControlMIME, "text/html", func() Renderer {
	v := 0.5
	return &control{kind: "slider", label: "share", p: reflect.ValueOf(&v).Elem(), initial: 0.5, low: 0, high: 1,
		step: 0.01}
}}

// The limits of what a control holds.
const (
	mostOptions = 1000
	mostText    = 10_000 // bytes of a text field
)

// Slider shows a slider with which the user sets the number that p points to, from low to high. The number has any of
// Go's integer or float types. The step is 1 for integers and a hundredth of the range for other numbers, unless a step
// is given. The first value of *p is the slider's start; it must be in the range.
//
//	speed := 1.5
//	display.Slider("target speed", &speed, 0, 5)
//
// Sliders and the other controls keep the user's value. When their cell runs again, even after the notebook was closed,
// the variable gets that value. If the code has another start, the variable gets the new start. Controls are moved
// between cells, never while a cell runs.
func Slider(label string, p any, low, high float64, step ...float64) error {
	v, err := pointed("Slider", p, "a number", func(k reflect.Kind) bool {
		return whole(k) || k == reflect.Float32 || k == reflect.Float64
	})
	if err != nil {
		return err
	}
	c := &control{kind: "slider", label: label, p: v, low: low, high: high, step: (high - low) / 100}
	if whole(v.Kind()) {
		c.step = 1
	}
	for _, c.step = range step {
	}
	switch {
	case len(step) > 1:
		return fmt.Errorf("display: Slider with %d steps; expected one", len(step))
	case !(low < high) || math.IsInf(high-low, 0):
		return fmt.Errorf("display: Slider from %v to %v; expected a range of numbers, the smaller first", low, high)
	case !(c.step > 0) || c.step > high-low:
		return fmt.Errorf("display: Slider from %v to %v in steps of %v; expected more than 0 and at most the range",
			low, high, c.step)
	case whole(v.Kind()) && (low != math.Trunc(low) || high != math.Trunc(high) || c.step != math.Trunc(c.step)):
		return fmt.Errorf("display: Slider of integers from %v to %v in steps of %v; expected whole numbers", low,
			high, c.step)
	case !fits(v, low) || !fits(v, high):
		return fmt.Errorf("display: Slider from %v to %v; expected a range within that of %v", low, high, v.Type())
	}
	return c.open()
}

// Select shows a choice among options. They have the type that p points to (text or numbers) and may be in one slice.
// The first value of *p must be one of them.
//
//	task := "left"
//	display.Select("task", &task, "left", "right")
func Select(label string, p any, options ...any) error {
	v, err := pointed("Select", p, "text or a number", func(k reflect.Kind) bool {
		return k == reflect.String || whole(k) || k == reflect.Float32 || k == reflect.Float64
	})
	if err != nil {
		return err
	}
	c := &control{kind: "select", label: label, p: v}
	if len(options) == 1 {
		if list := reflect.ValueOf(options[0]); list.Kind() == reflect.Slice {
			options = nil
			for k := range list.Len() {
				options = append(options, list.Index(k).Interface())
			}
		}
	}
	if len(options) == 0 || len(options) > mostOptions {
		return fmt.Errorf("display: Select among %d options; expected 1 to %d", len(options), mostOptions)
	}
	for k, o := range options {
		x := reflect.ValueOf(o)
		numbers := v.Kind() != reflect.String && x.IsValid() && (whole(x.Kind()) || x.CanFloat())
		if !x.IsValid() || x.Kind() != v.Kind() && !numbers {
			return fmt.Errorf("display: option %d of Select is %#v, a %T; expected a %v, as the variable is", k,
				o, o, v.Type())
		}
		y := x.Convert(v.Type())
		if numbers && !y.Convert(x.Type()).Equal(x) {
			return fmt.Errorf("display: option %d of Select is %v; expected a %v, as the variable is", k, o, v.Type())
		}
		c.options = append(c.options, fmt.Sprint(y.Interface()))
		c.values = append(c.values, y)
	}
	return c.open()
}

// Toggle shows a box to tick.
func Toggle(label string, p *bool) error {
	if p == nil {
		return nilPointer("Toggle", "a bool")
	}
	return (&control{kind: "toggle", label: label, p: reflect.ValueOf(p).Elem()}).open()
}

// Button shows a button and counts in p how often it was pressed. The count starts again when its cell runs again.
func Button(label string, p *int) error {
	if p == nil {
		return nilPointer("Button", "an int")
	}
	return (&control{kind: "button", label: label, p: reflect.ValueOf(p).Elem()}).open()
}

// TextField shows a line to write in.
func TextField(label string, p *string) error {
	if p == nil {
		return nilPointer("TextField", "a string")
	}
	return (&control{kind: "text", label: label, p: reflect.ValueOf(p).Elem()}).open()
}

func nilPointer(name, what string) error {
	return fmt.Errorf("display: %s of a nil pointer; expected a pointer to %s", name, what)
}

// pointed is the variable behind a pointer that a control takes.
func pointed(name string, p any, what string, takes func(reflect.Kind) bool) (reflect.Value, error) {
	v := reflect.ValueOf(p)
	switch {
	case !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil():
		return v, nilPointer(name, what)
	case v.Kind() != reflect.Pointer || !takes(v.Elem().Kind()):
		return v, fmt.Errorf("display: %s of a %T; expected a pointer to %s", name, p, what)
	}
	return v.Elem(), nil
}

// fits reports whether a variable of integers can hold x.
func fits(v reflect.Value, x float64) bool {
	switch {
	case v.CanInt():
		return math.Abs(x) < 1<<53 && !v.OverflowInt(int64(x))
	case v.CanUint():
		return 0 <= x && x < 1<<53 && !v.OverflowUint(uint64(x))
	}
	return true
}

func whole(k reflect.Kind) bool { return reflect.Int <= k && k <= reflect.Uint64 }

// control is a control and the variable that it sets.
type control struct {
	kind, label     string
	id              string
	p               reflect.Value // the variable
	low, high, step float64       // range and step of a slider
	options         []string      // options of a choice, as they are shown
	values          []reflect.Value
	initial, shown  any
}

// open checks the start, takes over how the notebook had the control, and shows it.
func (c *control) open() error {
	c.label = cmp.Or(c.label, c.kind)
	if !utf8.ValidString(c.label) || len(c.label) > 200 {
		return fmt.Errorf("display: the label of a control is %.40q…; expected up to 200 bytes of text", c.label)
	}
	c.initial = c.value()
	if err := c.check(c.initial); err != nil {
		return err
	}
	at := cell.Current()
	if at == nil { // a program: the variable keeps its value
		return show(nil, c, "", false)
	}
	id, was := at.Control(c.label, c.set, func() (any, bool) {
		changed := c.value() != c.shown
		c.shown = c.value()
		return c.still(), changed
	})
	c.id = id
	c.restore(was)
	c.shown = c.value()
	return show(at, c.still(), id, false)
}

// restore puts the control where the user had put one of the same kind and start.
func (c *control) restore(was []byte) {
	var old struct {
		Kind           string
		Initial, Value json.RawMessage
	}
	initial, err := json.Marshal(c.initial)
	if err != nil || was == nil || json.Unmarshal(was, &old) != nil || c.kind == "button" {
		return
	}
	if old.Kind == c.kind && string(old.Initial) == string(initial) {
		_ = c.set(old.Value) // a value that no longer fits is left out
	}
}

// value is the variable's, as JSON has it: of a choice the index of its option, -1 where it is none.
func (c *control) value() any {
	switch {
	case c.kind == "select":
		return slices.IndexFunc(c.values, func(v reflect.Value) bool { return v.Equal(c.p) })
	case c.p.CanInt():
		return float64(c.p.Int())
	case c.p.CanUint():
		return float64(c.p.Uint())
	case c.p.CanFloat():
		return c.p.Float()
	case c.kind == "toggle":
		return c.p.Bool()
	}
	return c.p.String()
}

// check says why a value, as value returns it, is none for the control.
func (c *control) check(v any) error {
	switch c.kind {
	case "slider":
		if x := v.(float64); !(c.low <= x && x <= c.high) {
			return fmt.Errorf("display: the slider %q is at %v; expected %v to %v", c.label, x, c.low, c.high)
		}
	case "select":
		if v.(int) < 0 {
			now := fmt.Sprint(c.p.Interface())
			return fmt.Errorf("display: the choice %q is %q, which is no option%s", c.label, now,
				nearest.Hint(now, c.options))
		}
	case "text":
		if n := len(v.(string)); n > mostText {
			return fmt.Errorf("display: the text of %q has %d bytes; expected at most %d", c.label, n, mostText)
		}
	}
	return nil
}

// set gives the variable a value in JSON.
func (c *control) set(text []byte) error {
	var err error
	take := func(v any) bool { err = json.Unmarshal(text, v); return err == nil && string(text) != "null" }
	var x float64
	var k int
	var b bool
	var s string
	switch {
	case c.kind == "slider" && take(&x):
		if err := c.check(x); err != nil {
			return err
		}
		switch {
		case c.p.CanFloat():
			c.p.SetFloat(x)
		case x != math.Trunc(x):
			return fmt.Errorf("display: the slider %q is set to %v; expected a whole number", c.label, x)
		case c.p.CanInt():
			c.p.SetInt(int64(x))
		default:
			c.p.SetUint(uint64(x))
		}
	case c.kind == "select" && take(&k):
		if k < 0 || k >= len(c.values) {
			return fmt.Errorf("display: the choice %q is set to option %d; expected 0 to %d", c.label, k,
				len(c.values)-1)
		}
		c.p.Set(c.values[k])
	case c.kind == "toggle" && take(&b):
		c.p.SetBool(b)
	case c.kind == "button" && take(&k) && k > 0: // k more presses
		c.p.SetInt(c.p.Int() + int64(k))
	case c.kind == "text" && take(&s):
		if err := c.check(s); err != nil {
			return err
		}
		c.p.SetString(s)
	default:
		return errors.Join(fmt.Errorf("display: %q, a %s, is set to %.40q", c.label, c.kind, text), err)
	}
	return nil
}

// still is the control as it is now.
func (c *control) still() Bundle {
	b, err := c.MIMEBundle()
	if err != nil {
		return Text(err.Error())
	}
	return b
}

// MIMEBundle returns the control for this notebook's front end, and as text.
func (c *control) MIMEBundle() (map[string]any, error) {
	m := map[string]any{"version": 1, "id": c.id, "kind": c.kind, "label": c.label, "value": c.value(),
		"initial": c.initial}
	text, hint := fmt.Sprint(c.p.Interface()), ""
	switch c.kind {
	case "slider":
		if x := c.value().(float64); math.IsNaN(x) || math.IsInf(x, 0) {
			m["value"] = nil
		}
		m["low"], m["high"], m["step"] = c.low, c.high, c.step
		hint = fmt.Sprintf("%v to %v", c.low, c.high)
	case "select":
		m["options"] = c.options
		hint = strconv.Itoa(len(c.options)) + " options"
	case "toggle":
		text = map[bool]string{true: "on", false: "off"}[c.p.Bool()]
	case "button":
		text = fmt.Sprintf("pressed %s times", text)
	}
	plain, rich := c.label+": "+text, "<p><b>"+html.EscapeString(c.label)+"</b> "+html.EscapeString(text)
	if hint != "" {
		plain, rich = plain+" ("+hint+")", rich+" <small>("+hint+")</small>"
	}
	return Bundle{ControlMIME: m, "text/html": rich + "</p>", "text/plain": plain}, nil
}
