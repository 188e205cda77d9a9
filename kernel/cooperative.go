//go:build !race && !js

package kernel

// cooperative says that running code must ask the host now and then whether it is to stop. Elsewhere another thread
// raises a plain flag in the interpreter's memory, which is cheaper to look at.
const cooperative = false
