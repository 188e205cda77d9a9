package cpu

import "time"

// Peak measures the multiply-adds one core does with the kernels of a name, or with the default ones (see KernelName)
// where it is empty, in GFLOP/s, two for each multiply-add: the ceiling a matrix product can reach. It takes about
// 15 ms. The error is that of a name New does not take either.
func Peak(kernel string) (float64, error) {
	if kernel == "" {
		return defaultKernels().measurePeak(), nil
	}
	k, err := selectKernels(kernel)
	if err != nil {
		return 0, err
	}
	return k.measurePeak(), nil
}

// measurePeak times short rounds and keeps the fastest, which is the one least disturbed by others.
func (k *kernels) measurePeak() float64 {
	const rounds, per = 30, 500 * time.Microsecond
	args := &peakArgs{n: 1000}
	timed := func() time.Duration {
		start := time.Now()
		k.peak(args)
		return max(time.Since(start), 1)
	}
	args.n = max(1, int64(float64(args.n)*float64(per)/float64(timed())))
	best := timed()
	for range rounds - 1 {
		best = min(best, timed())
	}
	return float64(args.n) * k.peakFlops / float64(best)
}
