package kernel

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// capture is the output of a cell that begins with %%capture: what it prints and shows is held until the cell ends.
// What its goroutines print later goes on to the cell's own output.
type capture struct {
	Output
	mu      sync.Mutex
	ended   bool
	clear   bool // the next output replaces what is held
	streams map[string]*strings.Builder
	shown   []Data
	fills   []func(stdout, stderr string, shown []map[string]any)
}

// hold calls keep while the cell runs, and otherwise goes on.
func (c *capture) hold(keep func(), otherwise func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		otherwise()
		return
	}
	if c.clear {
		c.streams, c.shown, c.clear = nil, nil, false
	}
	keep()
}

func (c *capture) Stream(name, text string) {
	c.hold(func() {
		if c.streams == nil {
			c.streams = map[string]*strings.Builder{"stdout": {}, "stderr": {}}
		}
		if b := c.streams[name]; b != nil {
			b.WriteString(text)
		}
	}, func() { c.Output.Stream(name, text) })
}

func (c *capture) Display(d Data) {
	c.hold(func() { c.shown = append(c.shown, d) }, func() { c.Output.Display(d) })
}

func (c *capture) Update(d Data) {
	c.hold(func() {
		k := slices.IndexFunc(c.shown, func(old Data) bool { return old.ID == d.ID })
		if k < 0 { // of another cell
			c.Output.Update(d)
			return
		}
		c.shown[k] = d
	}, func() { c.Output.Update(d) })
}

func (c *capture) Clear(wait bool) {
	c.hold(func() {
		if c.clear = wait; !wait {
			c.streams, c.shown = nil, nil
		}
	}, func() { c.Output.Clear(wait) })
}

func (c *capture) wanted(fill func(stdout, stderr string, shown []map[string]any)) {
	c.hold(func() { c.fills = append(c.fills, fill) }, func() {})
}

// end gives away what was held, and the cell's value.
func (c *capture) end(value *Data) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if value != nil {
		c.shown = append(c.shown, *value)
	}
	text := func(name string) string {
		if b := c.streams[name]; b != nil {
			return b.String()
		}
		return ""
	}
	for _, fill := range c.fills {
		var shown []map[string]any
		for _, d := range c.shown {
			shown = append(shown, maps.Clone(d.MIME))
		}
		fill(text("stdout"), text("stderr"), shown)
	}
}
