package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

// Two hundred thousand displays in one cell: what is beyond the limits is left out with a note, the server's memory
// stays bounded, the notebook has what the client got, and the kernel answers. make soak runs it.
func TestManyDisplays(t *testing.T) {
	if os.Getenv("NACRE_SOAK") == "" {
		t.Skip("takes a minute: make soak runs it")
	}
	p, _ := served(t)
	c := client(t, p)
	before := resident(p.PID())
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cell, err := c.Run(ctx, "import (\"nacre/library/display\"; \"strconv\")\nfor i := range 200000 { "+
		"display.Show(display.Text(strconv.Itoa(i))) }", "show")
	if err != nil {
		t.Fatal(err)
	}
	after := resident(p.PID())
	t.Logf("%d displays, %d notes; the server had %d MiB and has %d", len(cell.Shown),
		strings.Count(cell.Text, "left out"), before, after)
	if len(cell.Shown) < 6000 || len(cell.Shown) < 200_000 && !strings.Contains(cell.Text, "left out") ||
		cell.Error != "" || c.Missing+c.Forgotten > 0 {
		t.Errorf("%d displays, %.100q, error %q, %d messages missing", len(cell.Shown), cell.Text, cell.Error,
			c.Missing)
	}
	if after > before+400 {
		t.Errorf("the server had %d MiB and has %d", before, after)
	}
	if kept := notebookText(t, p, "n.ipynb", "show"); kept != cell.Text+strings.Join(cell.Shown, "\n") {
		t.Errorf("the notebook has %d bytes", len(kept))
	}
	if cell := cellOf(t, c, `println("alive")`); !strings.Contains(cell.Text, "alive") {
		t.Errorf("afterwards the kernel says %q %q", cell.Text, cell.Error)
	}
}
