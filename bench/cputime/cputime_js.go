package cputime

import "syscall/js"

// Seconds is the processor time of this process, by Node.
func Seconds() float64 {
	u := js.Global().Get("process").Call("cpuUsage")
	return (u.Get("user").Float() + u.Get("system").Float()) / 1e6
}
