//go:build unix

package process

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"

	"nacre/kernel"
	"nacre/kernel/jupyter"
)

// Serve is the code of the child. It applies the memory limit and answers requests until the parent closes the pipe or
// asks for a shutdown.
func Serve(ctx context.Context, s kernel.Session) error {
	preferAsVictim()
	if err := applyLimit(); err != nil {
		return err
	}
	requests, messages := inheritedPipes()
	for _, pipe := range []*os.File{requests, messages} {
		if _, err := pipe.Stat(); err != nil {
			return fmt.Errorf("the kernel has no pipes: with --pipe it is started by a notebook server, not by hand")
		}
	}
	return jupyter.ServePipe(ctx, s, requests, messages)
}

// applyLimit takes the limit from the environment. The garbage collector works harder from nine tenths of it on.
func applyLimit() error {
	text := os.Getenv(MemoryVariable)
	if text == "" {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 {
		return fmt.Errorf("%s=%.40s: expected a number of bytes", MemoryVariable, text)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(n / 10 * 9)
	}
	return limitMemory(n)
}
