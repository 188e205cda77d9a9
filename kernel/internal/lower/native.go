package lower

import "strings"

// mode says what a native function does with an argument of type any.
type mode int

const (
	keeps   mode = iota // it only keeps, prints, encodes or compares it: boxed
	plain               // it looks at its kind: the plain value
	logged              // it asks for the value to be logged
	scanned             // it fills the target of the pointer, or lets the target fill itself
	refused             // it looks for more than a cell's type can show
)

// anyMode returns what the native function or method where does with its parameters of type any.
func (l *Lowerer) anyMode(where string) mode {
	for _, m := range []struct {
		prefix string
		mode   mode
	}{
		{"reflect.", keeps},
		{"encoding/json.", keeps},
		{"database/sql", refused},
		{"encoding/gob.", refused},
		{"encoding/xml.", refused},
		{"encoding/asn1.", refused},
		{"testing/quick.", refused},
		{"sort.", plain},
		{"fmt.Sscan", scanned}, {"fmt.Fscan", scanned}, {"fmt.Scan", scanned},
		{"runtime.", plain},
		{"log/slog.", logged},
	} {
		if strings.HasPrefix(where, m.prefix) {
			return m.mode
		}
	}
	for _, path := range l.Keeps {
		if strings.HasPrefix(where, path+".") {
			return keeps
		}
	}
	if root, _, _ := strings.Cut(where, "/"); strings.Contains(root, ".") && strings.Contains(where, "/") ||
		strings.HasPrefix(where, "nacre/") {
		return plain // it is not in the standard library
	}
	return keeps
}
