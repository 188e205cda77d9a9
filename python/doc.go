// Package python has the Python package nacre_rl, which lies in this folder: run folders and trained agents for
// programs in Python, with NumPy alone. It is not package internal/python, which finds the user's Python.
//
//	err := python.Unpack(folder) // for PYTHONPATH
package python

import (
	"embed"
	"fmt"
	"os"
)

//go:embed nacre_rl/*.py
var files embed.FS

// Unpack writes the package into a folder, which must not have it yet. A Python whose PYTHONPATH names the folder finds
// it.
func Unpack(folder string) error {
	if err := os.CopyFS(folder, files); err != nil {
		return fmt.Errorf("the Python package: %w", err)
	}
	return nil
}
