package kernel

import (
	"errors"

	"nacre/kernel/internal/cells"
)

// Format returns a cell as gofmt writes Go. Helpers such as %time, lines for a shell, and a semicolon that hides the
// last
// value stay. If the cell does not parse, the error is its first Problem.
func Format(code string) (string, error) {
	out, err := cells.Format(code)
	var errs cells.Errors
	if errors.As(err, &errs) {
		return "", Problem{Position: Position{errs[0].Pos.Line, errs[0].Pos.Column}, Message: errs[0].Msg}
	}
	return out, err
}
