// Package heavy marks the tests that take many seconds. `make test` leaves them out, `make test-all` runs them, and so
// does go test without -short.
//
//	func TestPush(t *testing.T) {
//		heavy.Skip(t, "the simulator takes a minute")
package heavy

import "testing"

// Skip skips a heavy test in a short run. The message says why the test is heavy and which command runs it. Why is the
// rest of a sentence that begins with "heavy:".
func Skip(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("heavy: " + why + "; make test-all runs it")
	}
}
