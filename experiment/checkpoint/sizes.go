package checkpoint

import (
	"fmt"

	"nacre/internal/plainfile"
)

// Sizes are the bytes of each section of the checkpoint at path, by its name. Only the index is read and verified.
func Sizes(path string) (map[string]int64, error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	r, err := newReader(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %s: %w", path, err)
	}
	sizes := map[string]int64{}
	for _, s := range r.sections {
		sizes[s.Name] = s.Size
	}
	return sizes, nil
}
