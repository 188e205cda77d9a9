// Package fatal ends tests at an error.
//
//	fatal.On(t, os.WriteFile(name, data, 0o644))
package fatal

import "testing"

// On ends a test at the first of errs that is an error.
func On(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}
