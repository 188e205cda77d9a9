//go:build !unix

package pyfamily

import (
	"fmt"
	"runtime"

	"nacre/internal/python"
	"nacre/sim"
)

// available says that there are no processes of Python.
func available() error {
	where := runtime.GOOS
	if where == "js" {
		where = "a page in a browser"
	}
	return fmt.Errorf("families in Python are %w, on %s: use nacre on Linux or macOS", sim.ErrUnavailable, where)
}

// worker is a process that cannot be had here.
type worker struct {
	act, obs, reward           []float64
	active, done, cut, success []byte
}

func (*Family) start(python.Python) (*worker, error) { return nil, available() }
func (*worker) post(request) error                   { return available() }
func (*worker) ask(request, any) error               { return available() }
func (*worker) share(int, int, int) error            { return available() }
func (*worker) step() error                          { return available() }
func (*worker) close()                               {}
