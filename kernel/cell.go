package kernel

import (
	"context"

	"nacre/internal/notebook"
)

func init() {
	notebook.SetCurrent(func() notebook.Cell {
		if r := current(); r != nil {
			return runningCell{r}
		}
		return nil
	})
}

// runningCell is what packages that cells import see of a run.
type runningCell struct{ r *run }

func (c runningCell) Context() context.Context {
	if c.r.ctx == nil {
		return context.Background()
	}
	return c.r.ctx
}

func (c runningCell) Show(v any, id string, update bool) {
	d := c.r.session.renderOne(v)
	d.ID = id
	if update {
		c.r.out.Update(d)
	} else {
		c.r.out.Display(d)
	}
}

func (c runningCell) Clear(wait bool) { c.r.out.Clear(wait) }

func (c runningCell) Input(prompt string, password bool) (string, error) {
	return c.r.out.Input(prompt, password)
}
