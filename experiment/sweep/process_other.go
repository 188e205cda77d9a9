//go:build !linux

package sweep

import (
	"errors"
	"os/exec"
	"runtime"
)

func allowedCores() []int {
	cores := make([]int, runtime.NumCPU())
	for c := range cores {
		cores[c] = c
	}
	return cores
}

func pin([]int) error { return errors.New("only Linux can") }

func endWithParent(*exec.Cmd) {}
