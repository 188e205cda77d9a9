package cell

import (
	"fmt"
	"strings"
)

// Captured is what a cell that begins with %%capture NAME printed and showed. The variable NAME points to it.
type Captured struct {
	Stdout, Stderr string
	Outputs        []Output // what was shown, the value of the last expression among it
}

// Output is something that a cell showed: its forms by MIME type.
type Output map[string]any

// MIMEBundle returns the forms, so that cells show an Output as what it is.
func (o Output) MIMEBundle() (map[string]any, error) { return o, nil }

// Capture returns what its cell prints and shows. It is filled when a cell that begins with %%capture ends, and stays
// empty in others.
func Capture() *Captured {
	c := &Captured{}
	if now := Current(); now != nil {
		now.Captured(func(stdout, stderr string, shown []map[string]any) {
			c.Stdout, c.Stderr = stdout, stderr
			for _, forms := range shown {
				c.Outputs = append(c.Outputs, Output(forms))
			}
		})
	}
	return c
}

// Show prints again what was printed, and shows again what was shown.
func (c *Captured) Show() error {
	if c.Stdout != "" {
		stream{"stdout"}.Write([]byte(c.Stdout))
	}
	if c.Stderr != "" {
		stream{"stderr"}.Write([]byte(c.Stderr))
	}
	for _, o := range c.Outputs {
		if now := Current(); now != nil {
			if err := now.Show(o, "", false); err != nil {
				return err
			}
		}
	}
	return nil
}

// String says how much was captured.
func (c *Captured) String() string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", what, n))
		}
	}
	lines := func(text string) int { return len(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })) }
	add(lines(c.Stdout), "lines of stdout")
	add(lines(c.Stderr), "of stderr")
	add(len(c.Outputs), "outputs")
	if parts == nil {
		return "captured nothing"
	}
	return "captured " + strings.Join(parts, ", ") + "; Show() shows it again"
}
