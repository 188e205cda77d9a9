package replay

import (
	"encoding/json"
	"io"
)

// Part is one section of a learner's state in a checkpoint.
type Part struct {
	Name string
	Save func(io.Writer) error
	Load func(io.Reader) error
}

// After returns the part with a function that is called each time before the part is saved.
func (p Part) After(before func() error) Part {
	save := p.Save
	p.Save = func(w io.Writer) error {
		if err := before(); err != nil {
			return err
		}
		return save(w)
	}
	return p
}

// JSONPart is a part whose state get returns and set restores. JSON keeps float64 exactly.
func JSONPart[T any](name string, get func() any, set func(T) error) Part {
	return Part{name,
		func(w io.Writer) error { return json.NewEncoder(w).Encode(get()) },
		func(r io.Reader) error {
			var v T
			if err := json.NewDecoder(r).Decode(&v); err != nil {
				return err
			}
			return set(v)
		}}
}
