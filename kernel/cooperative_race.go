//go:build race || js

package kernel

const cooperative = true
