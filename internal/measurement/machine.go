package measurement

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Machine describes this machine, on which measured numbers depend: cores, processor, system and release of Go.
func Machine() string {
	name := runtime.GOARCH
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, rest, ok := strings.Cut(string(info), "model name"); ok {
			name, _, _ = strings.Cut(rest, "\n")
			name = strings.Trim(name, "\t :")
		}
	}
	return fmt.Sprintf("%d cores of %s, %s, %s", runtime.NumCPU(), name, runtime.GOOS, runtime.Version())
}
