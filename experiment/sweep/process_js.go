package sweep

import (
	"os"
	"os/exec"
)

// In the browser there are no processes to end.
func askToEnd(p *os.Process) error { return p.Kill() }

func ownGroup(*exec.Cmd) {}
