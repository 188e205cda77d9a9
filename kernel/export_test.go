package kernel

import "context"

// Prepare compiles a cell without running it and returns its error, nil where it has none.
func Prepare(s Session, code string) *Error {
	x := s.(*session)
	x.number++
	_, _, fail := x.prepare(context.Background(), x.number, "", code)
	return fail
}
