//go:build !amd64 && !(go1.27 && goexperiment.simd && (wasm || arm64))

package tsne

// Up to this many points a tree is the quickest in plain Go.
const (
	fewPoints   = 5000
	methodOfFew = MethodBarnesHut
)
