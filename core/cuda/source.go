package cuda

import (
	_ "embed"
	"fmt"
	"strings"

	"nacre/core/gpu"
)

//go:embed prelude.h
var prelude string

//go:embed gemm.h
var gemmText string

//go:embed optimiser.h
var optimiserText string

//go:embed feed.h
var feedText string

// Source returns the source of all kernels of a schedule, and for each launch the name of its kernel. The name is empty
// for launches without a generated kernel. Regions that differ only in the values they read and write share a kernel.
func Source(pl *gpu.Schedule) (text string, names []string) {
	var b strings.Builder
	b.WriteString(prelude + gemmText + optimiserText)
	known := map[string]string{}
	for _, u := range pl.Units {
		if u.Kernel == nil {
			names = append(names, "")
			continue
		}
		body := kernelText(u.Kernel)
		name, ok := known[body]
		if !ok {
			name = fmt.Sprintf("region%d", len(known))
			known[body] = name
			b.WriteString(strings.ReplaceAll(body, "@", name))
		}
		names = append(names, name)
	}
	return b.String(), names
}
