//go:build !js

package kernel

// cooperative says that running code must ask the host now and then whether it is to stop. Where there are threads,
// another one raises a flag in the interpreter's memory, which is cheaper to look at.
const cooperative = false
