package onpolicy

import (
	"encoding/gob"
	"io"

	"nacre/rl/replay"
)

// Held is the part of a checkpoint for what an iteration learns from; between iterations that is nothing, and at is
// nil. A part before it must have restored whether there is something: at is then not nil.
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
