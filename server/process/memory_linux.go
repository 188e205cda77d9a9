package process

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// MachineMemory is the memory, in bytes, of the machine or of this process's control group. It is 0 if this is unknown.
func MachineMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	n := int64(info.Totalram) * int64(info.Unit)
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		b, err := os.ReadFile(file)
		if limit, e := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil && e == nil && limit > 0 {
			n = min(n, limit)
		}
	}
	return n
}
