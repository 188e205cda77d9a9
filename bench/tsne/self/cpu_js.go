package main

import "syscall/js"

// processor is the processor time of this process in seconds, by Node.
func processor() float64 {
	u := js.Global().Get("process").Call("cpuUsage")
	return (u.Get("user").Float() + u.Get("system").Float()) / 1e6
}
