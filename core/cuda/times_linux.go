//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"fmt"
	"unsafe"

	"nacre/core"
)

// Times measures each launch of a loaded program alone, in µs. A graph repeats the launch many times; the time is from
// one start to the next, and the fastest of three graphs counts. The times are in the order of the plan. For a program
// that draws its data they are in the order of roofline.Model; the last launch, which keeps scalars, has 0. The program
// must have run once. Its results afterwards are of no use.
func Times(run core.Runner, repeats int) ([]float64, error) {
	r, ok := run.(*runner)
	if !ok || r.closed {
		return nil, fmt.Errorf("cuda: %T is no program loaded here", run)
	}
	leave, err := r.mem.settle()
	if err != nil {
		return nil, err
	}
	defer leave()
	var list []func(stream) error
	if r.feeding != nil {
		list = append(list, func(s stream) error { return r.feeding.before(r, s) })
		list = append(list, r.feeding.launches()...)
	}
	list = append(list, r.each...)
	var us []float64
	for _, launch := range list {
		t, err := r.timeAlone(launch, repeats)
		if err != nil {
			return nil, err
		}
		us = append(us, t)
	}
	if r.feeding != nil {
		us = append(us, 0)
	}
	return us, nil
}

// timeAlone returns the time of one launch.
func (r *runner) timeAlone(launch func(stream) error, repeats int) (us float64, err error) {
	g, s := r.gpu, r.mem.stream
	all, err := g.capture(s, func() error {
		for range repeats {
			if err := launch(s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	defer g.call("cuGraphExecDestroy", uintptr(all))
	var marks [2]event
	for i := range marks {
		if marks[i], err = g.newTimer(); err != nil {
			return 0, err
		}
		defer g.call("cuEventDestroy_v2", uintptr(marks[i]))
	}
	for round := range 4 { // the first round warms up
		err := g.record(marks[0], s)
		if err == nil {
			err = g.do(Launching, "cuGraphLaunch", uintptr(all), uintptr(s))
		}
		if err == nil {
			err = g.record(marks[1], s)
		}
		if err == nil {
			err = g.do(Launching, "cuStreamSynchronize", uintptr(s))
		}
		var ms float32
		if err == nil {
			err = g.do(Launching, "cuEventElapsedTime", uintptr(unsafe.Pointer(&ms)), uintptr(marks[0]),
				uintptr(marks[1]))
		}
		if err != nil {
			return 0, err
		}
		if took := float64(ms) * 1e3 / float64(repeats); round == 1 || round > 1 && took < us {
			us = took
		}
	}
	return us, nil
}
