//go:build amd64 || (go1.27 && goexperiment.simd && (wasm || arm64))

package tsne

// Up to this many points vector units make all pairs the quickest, however few lanes they have.
const (
	fewPoints   = 2500
	methodOfFew = MethodExact
)
