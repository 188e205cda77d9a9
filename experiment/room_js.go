package experiment

import (
	"runtime"
	"syscall/js"
)

// reach is the memory that a WebAssembly program of 32 bits can have, less what collecting garbage needs to go on.
const reach = 7 << 29

// room is the memory that a tab has left for a run: what a program can reach, or the device has, less what is in use.
func room() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	n := int64(reach)
	if navigator := js.Global().Get("navigator"); navigator.Truthy() { // Node 20 has none
		if gigabytes := navigator.Get("deviceMemory"); gigabytes.Type() == js.TypeNumber {
			n = min(n, int64(gigabytes.Float()*(1<<30)))
		}
	}
	return max(n-int64(m.HeapInuse), 0)
}
