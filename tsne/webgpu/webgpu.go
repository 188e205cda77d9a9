// Package webgpu makes the iterations of t-SNE layouts on any GPU that WebGPU reaches: in a browser the page's,
// natively by the library that nacre setup --gpu fetches. It is the field of package tsne, a convolution on a grid by
// Fourier transforms, in float32; sums go by fixed trees, so that one adapter gives the same layout always. Neighbours,
// affinities and the figures of the finished layout stay with the processor.
//
//	engine, err := webgpu.Open(webgpu.Options{})
//	if err != nil {
//		return err // nothing to compute on, or only a processor; it matches wgpu's *Error
//	}
//	layout, err := tsne.New(tsne.WithEngine(engine)).Fit(ctx, x)
//	// layout.Notes says what computed it
package webgpu

// Options choose an adapter.
type Options struct {
	// Ordinal numbers the adapter from 0, those of real GPUs before those that compute on a processor.
	Ordinal int
	// Software allows an adapter that computes on a processor, which is slower than the processor itself.
	Software bool
}
