package kernel

import "context"

// Cell is a running cell as the packages that it imports see it. Its methods may be called from any goroutine.
type Cell struct{ r *run }

// Current is the cell that the calling goroutine belongs to, also when that cell has ended; nil outside cells.
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

// Show shows v as the cell's last expression would be shown. With an id, it is kept under that id, a value that cannot
// be shown as its error; with update, it replaces what was shown under it. Without one, such a value is not shown. The
// error is that of showing v.
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
		c.r.out.Update(d)
	} else {
		c.r.out.Display(d)
	}
	return err
}

// Clear removes what the cell has shown so far; with wait, when it shows something next.
func (c *Cell) Clear(wait bool) { c.r.out.Clear(wait) }

// Input asks the user for a line. It fails where there is no one to ask.
func (c *Cell) Input(prompt string, password bool) (string, error) {
	return c.r.out.Input(prompt, password)
}
