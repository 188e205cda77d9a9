package lower

import "strings"

// mode is how a native function treats the `any` it is given.
type mode int

const (
	keeps   mode = iota // only keeps, prints, encodes or compares it: boxed
	plain               // looks at its kind: the plain value
	logged              // asks it what it logs as
	scanned             // fills what it points to, or has it do so
	refused             // looks at more than a cell's type can show it
)

// anyMode says how the native function or method where treats its `any` parameters.
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
		return plain // not the standard library
	}
	return keeps
}
