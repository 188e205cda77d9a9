package breathe

import "time"

// every is how long work goes on between turns. A browser makes a timer wait one to four milliseconds, so a turn costs
// about a tenth of the time at most.
const every = 30 * time.Millisecond

var last time.Time

// Now gives the browser's event loop a turn if it has not had one for a while.
func Now() {
	if time.Since(last) > every {
		time.Sleep(time.Millisecond)
		last = time.Now()
	}
}
