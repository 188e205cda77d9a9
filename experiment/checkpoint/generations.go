package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Previous is the path of the generation before the checkpoint at path, for example checkpoint.previous.bin for
// checkpoint.bin.
func Previous(path string) string {
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + ".previous" + ext
}

// keep gives the checkpoint at path a second name. Its content exists at every moment. The file at path is replaced
// afterwards, in one step.
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
	return os.Rename(path, previous) // for a file system without second names
}

// Damaged reports whether err, returned by Load, says that the file is damaged or incomplete. Then an older generation
// may help.
func Damaged(err error) bool {
	var corrupt *CorruptError
	return errors.Is(err, ErrNotCheckpoint) || errors.Is(err, ErrTruncated) || errors.As(err, &corrupt)
}

// Restore loads the checkpoint at path or, if it is missing or damaged, the generation before it. In the second case
// the result lost is an error that says what is wrong with the newer one. If both cannot be loaded, err names both; it
// is os.ErrNotExist if both do not exist. If the newer checkpoint belongs to another program or configuration, that is
// an error; the older one is not tried.
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
