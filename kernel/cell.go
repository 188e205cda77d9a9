package kernel

import "context"

// Cell is a running cell as the packages that it imports see it. Its methods may be called from any goroutine.
type Cell struct{ r *run }

// Current returns the cell that the calling goroutine belongs to, even if that cell has ended. It returns nil outside
// cells.
func Current() *Cell {
	if r := current(); r != nil {
		return &Cell{r}
	}
	return nil
}

// Context ends when the cell is interrupted.
func (c *Cell) Context() context.Context {
	if c.r.ctx == nil {
		return context.Background()
	}
	return c.r.ctx
}

// Show shows v as the cell's last expression would be shown. If id is not empty, the output is kept under it; with
// update, it replaces the earlier output of that id. A value that cannot be shown is kept as its error, or is not shown
// at all if id is empty. The error says why v cannot be shown.
func (c *Cell) Show(v any, id string, update bool) error {
	d, err := c.r.session.forms(v)
	if err != nil {
		if id == "" {
			return err
		}
		d = unshown(err)
	}
	d.ID = id
	if update {
		c.r.sink().Update(d)
	} else {
		c.r.sink().Display(d)
	}
	return err
}

// Stream prints text to "stdout" or "stderr" of the cell.
func (c *Cell) Stream(name, text string) { c.r.out.Stream(name, text) }

// Captured calls fill when the cell has ended, if it began with %%capture, with what it printed and what it showed.
func (c *Cell) Captured(fill func(stdout, stderr string, shown []map[string]any)) {
	if held, ok := c.r.out.(*capture); ok {
		held.wanted(fill)
	}
}

// Clear removes what the cell has shown so far. If wait is true, it does so only when the cell shows something again.
func (c *Cell) Clear(wait bool) {
	c.r.cleared.Store(true)
	c.r.out.Clear(wait)
}

// Input asks the user for a line. It fails if there is no user to ask.
func (c *Cell) Input(prompt string, password bool) (string, error) {
	return c.r.out.Input(prompt, password)
}
