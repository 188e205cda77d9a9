package onpolicy

import (
	"encoding/gob"
	"io"

	"nacre/rl/replay"
)

// Held is the part of a checkpoint with the data of the running iteration. These data are what the argument, a
// function, returns; between iterations it returns nil. An earlier part of the checkpoint must say whether there are
// data. If there are, the function must not return nil when this part is loaded.
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
