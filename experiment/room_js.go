package experiment

import (
	"runtime"
	"syscall/js"
)

// reach is the memory that a 32-bit WebAssembly program can have, less what garbage collection needs.
const reach = 7 << 29

// room is the memory in bytes that a tab has left for a run: the limit of the program or of the device, less the memory
// in use.
func room() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	n := int64(reach)
	if navigator := js.Global().Get("navigator"); navigator.Truthy() { // Node 20 has no navigator
		if gigabytes := navigator.Get("deviceMemory"); gigabytes.Type() == js.TypeNumber {
			n = min(n, int64(gigabytes.Float()*(1<<30)))
		}
	}
	return max(n-int64(m.HeapInuse), 0)
}
