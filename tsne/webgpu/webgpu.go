// Package webgpu makes the iterations of t-SNE layouts on any GPU that WebGPU reaches. In a browser it uses the page's
// WebGPU; elsewhere it uses the library that nacre setup --gpu fetches. It computes the repulsion as package tsne does,
// by a convolution on a grid by Fourier transforms, in float32. Sums are added in a fixed order, so one adapter always
// gives the same layout. The processor computes the neighbours, the affinities and the figures of the finished layout.
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
	// Ordinal is the number of the adapter, counted from 0. Adapters of real GPUs come before adapters that compute on
	// a processor.
	Ordinal int
	// Software allows an adapter that emulates a GPU on the processor. It is slower than package tsne without an
	// accelerator.
	Software bool
}
