package cpu

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// Peak measures how fast one core does multiply-adds, in GFLOP/s, two per multiply-add. It uses the kernels of the
// given name; empty means the default ones (see KernelName). No matrix product can be faster. It takes about 15 ms. It
// fails for a name for which New fails.
func Peak(kernel string) (float64, error) {
	m, err := NewPeakMeter(kernel, 1)
	if err != nil {
		return 0, err
	}
	for range 5 {
		m.Sample()
	}
	return m.Fastest(), nil
}

// PeakMeter measures the multiply-adds of several threads at the same time, again and again. It gives the peak, which a
// core reaches when nothing disturbs it, and also the speed that was available at a moment.
type PeakMeter struct {
	k       *kernels
	rounds  []*peakArgs // one of each thread
	fastest float64
}

// NewPeakMeter makes a meter for the kernels of a name, as Peak takes it, and for a number of threads. It fails if
// there is no such kernel or no thread.
func NewPeakMeter(kernel string, threads int) (*PeakMeter, error) {
	if threads < 1 {
		return nil, fmt.Errorf("cpu: %d threads to measure: want at least 1", threads)
	}
	if kernel == "" {
		kernel = KernelName()
	}
	k, err := selectKernels(kernel)
	if err != nil {
		return nil, err
	}
	m := &PeakMeter{k: k}
	for range threads {
		m.rounds = append(m.rounds, k.peakRound())
	}
	return m, nil
}

// Sample measures for about 3 ms. It takes the median speed of each thread over half milliseconds, and returns the sum
// over the threads in GFLOP/s.
func (m *PeakMeter) Sample() float64 {
	rates := make([][]float64, len(m.rounds))
	var threads sync.WaitGroup
	for i, a := range m.rounds {
		threads.Go(func() { rates[i] = m.k.peakRates(a, 6) })
	}
	threads.Wait()
	sum := 0.0
	for _, r := range rates {
		slices.Sort(r)
		n := len(r) / 2
		median := (r[n-1] + r[n]) / 2
		m.fastest = max(m.fastest, median)
		sum += median
	}
	return sum
}

// Fastest is the highest speed of one thread in one sample, in GFLOP/s. A sample is divided into rounds of half a
// millisecond, and its speed is the median over these rounds. It is not the fastest round's: the speed of a single
// round is sometimes measured up to a fifth too high.
func (m *PeakMeter) Fastest() float64 { return m.fastest }

// peakRound returns arguments for as many multiply-adds as take half a millisecond.
func (k *kernels) peakRound() *peakArgs {
	a := &peakArgs{n: 1000}
	start := time.Now()
	k.peak(a)
	return &peakArgs{n: max(1, int64(float64(a.n)*float64(500*time.Microsecond)/float64(max(time.Since(start), 1))))}
}

// peakRates times rounds and returns the GFLOP/s of each.
func (k *kernels) peakRates(a *peakArgs, rounds int) []float64 {
	rates := make([]float64, rounds)
	for i := range rates {
		start := time.Now()
		k.peak(a)
		rates[i] = float64(a.n) * k.peakFlops / float64(max(time.Since(start), 1))
	}
	return rates
}
