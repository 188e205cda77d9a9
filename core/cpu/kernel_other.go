//go:build !amd64 && !(go1.27 && goexperiment.simd && (wasm || arm64))

package cpu

// native lists no vector kernels: there are none for this architecture, or the program was built without them.
func native() []*kernels { return nil }

// Features names the features of the processor that matter to the kernels. It is empty: none matters to the plain Go
// kernels.
func Features() []string { return nil }
