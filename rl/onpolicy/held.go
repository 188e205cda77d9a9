package onpolicy

import (
	"encoding/gob"
	"io"

	"nacre/rl/replay"
)

// Held is the part of a checkpoint with the data of the running iteration. The function at returns these data, or nil
// between iterations. When a checkpoint that has such data is loaded, at must return a value to put them into. So an
// earlier part of the checkpoint must say whether it has data.
func Held[T any](name string, at func() *T) replay.Part {
	return replay.Part{
		Name: name,
		Save: func(w io.Writer) error {
			if at() == nil {
				return nil
			}
			return gob.NewEncoder(w).Encode(at())
		},
		Load: func(r io.Reader) error {
			if at() == nil {
				return nil
			}
			return gob.NewDecoder(r).Decode(at())
		},
	}
}
