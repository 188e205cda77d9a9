package kernel

import "time"

const cooperative = true

var breathed time.Time

// breathe lets the browser's event loop run now and then, which delivers the interrupt.
func breathe() {
	if time.Since(breathed) > 30*time.Millisecond {
		time.Sleep(time.Millisecond)
		breathed = time.Now()
	}
}
