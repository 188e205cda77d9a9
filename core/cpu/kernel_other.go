//go:build !amd64 && !(go1.27 && goexperiment.simd && (wasm || arm64))

package cpu

// native lists no vector kernels: there are none for this architecture, or the program was built without them.
func native() []*kernels { return nil }

// Features names what the processor offers, as far as the kernels care: nothing the plain Go kernels need to know.
func Features() []string { return nil }
