//go:build !amd64

package cpu

// native lists no assembly kernels: there are none for this architecture.
func native() []*kernels { return nil }

// Features names what the processor offers, as far as the kernels care: nothing the plain Go kernels need to know.
func Features() []string { return nil }
