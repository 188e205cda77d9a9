//go:build (((linux || darwin) && (amd64 || arm64)) || js) && !nogpu

package webgpu

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"nacre/internal/wgpu"
	"nacre/tsne"
)

//go:embed settings.wgsl
var settingsText string

//go:embed transform.wgsl
var transformText string

//go:embed spline.wgsl
var splineText string

//go:embed spread.wgsl
var spreadText string

//go:embed gather.wgsl
var gatherText string

//go:embed points.wgsl
var pointsText string

// Accelerator is a device with its kernels. Several layouts may use it, one at a time.
type Accelerator struct {
	gpu     *wgpu.Device
	info    wgpu.Info
	longest int // transform that a workgroup's memory holds
	kernels map[string]wgpu.Handle
}

// Open makes an accelerator on an adapter. The error says what is missing.
func Open(o Options) (*Accelerator, error) {
	d, info, err := wgpu.Open(wgpu.Options{
		Ordinal: o.Ordinal, Hardware: !o.Software, Software: "asking for any adapter",
		Lost: "the layout goes on from its last state that was read",
	})
	if err != nil {
		return nil, err
	}
	e := &Accelerator{gpu: d, info: info, longest: 2048, kernels: map[string]wgpu.Handle{}}
	if info.Shared >= 32<<10 {
		e.longest = 4096
	}
	for _, t := range []struct {
		text    string
		entries []string
	}{
		{splineText + spreadText, []string{"spread"}},
		{splineText + gatherText, []string{"gather", "tabulate"}},
		{pointsText, []string{"attract", "total", "moments", "all_moments", "expand", "descend", "finish", "centre"}},
	} {
		for _, entry := range t.entries {
			if e.kernels[entry], err = d.NewKernel(settingsText+t.text, entry); err != nil {
				return nil, err
			}
		}
	}
	return e, nil
}

// transforms returns the names of the kernels for transforms of a length. They have the smallest workgroup memory that
// holds the length, because an adapter clears the memory of every workgroup and runs as many workgroups at once as fit.
func (e *Accelerator) transforms(n int) (suffix string, err error) {
	room := 512
	for room < n {
		room *= 2
	}
	together := 128
	if e.info.Software { // for a software adapter, every waiting lane is work
		together = 32
	}
	suffix = fmt.Sprintf(" of %d", room)
	sizes := fmt.Sprintf("const LONGEST = %du;\nconst TOGETHER = %du; // lanes that make a transform\n", room, together)
	for _, entry := range []string{"rows", "columns", "rows_back"} {
		if _, ok := e.kernels[entry+suffix]; ok {
			continue
		}
		k, err := e.gpu.NewKernel(settingsText+sizes+transformText, entry)
		if err != nil {
			return "", err
		}
		e.kernels[entry+suffix] = k
	}
	return suffix, nil
}

func (e *Accelerator) name() string {
	return strings.Join(strings.Fields(e.info.Name), " ") + " by WebGPU"
}

// Close frees the device. The processor continues the layouts that the device was computing.
func (e *Accelerator) Close() { e.gpu.Destroy() }

// Load implements tsne.Accelerator.
func (e *Accelerator) Load(ctx context.Context, w tsne.Work) (tsne.Descent, error) {
	d := &descent{Accelerator: e, points: w.Points, edges: len(w.Columns)}
	if err := d.load(w); err != nil {
		d.Close()
		return nil, err
	}
	return d, ctx.Err()
}
