//go:build !amd64 && !(go1.27 && goexperiment.simd && (wasm || arm64))

package lanes

func native() []*Set { return nil }
