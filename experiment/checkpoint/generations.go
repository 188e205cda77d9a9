package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Previous is the path of the generation before the checkpoint at path: checkpoint.bin has checkpoint.previous.bin.
func Previous(path string) string {
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + ".previous" + ext
}

// keep gives the checkpoint at path its second name. At no moment is there none of that content; what is at path is
// replaced afterwards, in one step.
func keep(path string) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	previous := Previous(path)
	if err := os.Remove(previous); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if os.Link(path, previous) == nil {
		return nil
	}
	return os.Rename(path, previous) // a file system without second names
}

// Damaged reports whether err, of Load, is about a file whose content is not that of a checkpoint of this program, or
// not all of it, so that an older generation may serve.
func Damaged(err error) bool {
	var corrupt *CorruptError
	return errors.Is(err, ErrNotCheckpoint) || errors.Is(err, ErrTruncated) || errors.As(err, &corrupt)
}

// Restore is Load of the checkpoint at path or, where that is missing or damaged, of the generation before; lost then
// says what is the matter with the newer one. Where neither can be loaded err names both, and is os.ErrNotExist where
// there is neither. A checkpoint of another program or configuration is an error, whatever the one before is.
func Restore(path, configHash string, read func(*Reader) error) (lost, err error) {
	err = Load(path, configHash, read)
	if err == nil || !Damaged(err) && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	older := Load(Previous(path), configHash, read)
	switch {
	case older == nil:
		return err, nil
	case errors.Is(older, fs.ErrNotExist):
		return nil, err
	case errors.Is(err, fs.ErrNotExist):
		return nil, older
	}
	return nil, fmt.Errorf("%w; and the one before it: %w", err, older)
}
