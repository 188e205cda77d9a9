package breathe

import "time"

// every is the time between two turns. A browser makes a timer wait one to four milliseconds, so turns cost about a
// tenth of the time at most.
const every = 30 * time.Millisecond

var last time.Time

// Now gives the browser's event loop a turn if it has not had one for a while.
func Now() {
	if time.Since(last) > every {
		time.Sleep(time.Millisecond)
		last = time.Now()
	}
}
