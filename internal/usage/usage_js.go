package usage

import "syscall/js"

// CPU is the processor time of this process in seconds, by Node. It is 0 in a browser, which does not tell.
func CPU() float64 {
	process := js.Global().Get("process")
	if !process.Truthy() || !process.Get("cpuUsage").Truthy() {
		return 0
	}
	u := process.Call("cpuUsage")
	return (u.Get("user").Float() + u.Get("system").Float()) / 1e6
}
