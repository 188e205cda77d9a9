package hub

import (
	"cmp"
	"fmt"
	"os"
	"sync"

	"nacre/kernel/jupyter"
)

// maxRest bounds, in bytes, the file of one cell.
const maxRest = 1 << 30

// overflow is a folder of the text that cells print and that is not shown, because it is too much. It is made when it
// is needed and goes with the server. Its zero value is ready.
type overflow struct {
	mu  sync.Mutex
	dir string
}

// rest is the file of one cell's text, from where it is not shown any more.
type rest struct {
	file  string
	bytes int
	err   error
}

// add appends a message's text to a cell's file and says where that is.
func (o *overflow) add(r *rest, m *jupyter.Message) (place string) {
	var c struct {
		Text string `json:"text"`
	}
	if r.err == nil {
		r.err = m.Decode(&c)
	}
	if r.err == nil && r.file == "" {
		r.err = o.create(r)
	}
	if r.err == nil && r.bytes < maxRest {
		r.err = r.write(c.Text)
	}
	if r.err != nil {
		return "the rest could not be written to a file: " + r.err.Error()
	}
	return fmt.Sprintf("the rest, up to %d MiB of it, is in %s while the server runs", maxRest>>20, r.file)
}

func (o *overflow) create(r *rest) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.dir == "" {
		dir, err := os.MkdirTemp("", "nacre-output-") // other users must not read it
		if err != nil {
			return err
		}
		o.dir = dir
	}
	f, err := os.CreateTemp(o.dir, "cell-*.txt")
	if err != nil {
		return err
	}
	r.file = f.Name()
	return f.Close()
}

func (r *rest) write(text string) error {
	f, err := os.OpenFile(r.file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	n, err := f.WriteString(text[:min(len(text), maxRest-r.bytes)])
	r.bytes += n
	return cmp.Or(err, f.Close())
}

// close removes the folder.
func (o *overflow) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.dir != "" {
		_ = os.RemoveAll(o.dir)
		o.dir = ""
	}
}
