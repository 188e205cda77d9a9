// Package usage says what this process uses: processor time, natively and in Node, and memory. On a busy machine a
// repeated measurement of processor time gives nearly the same number; the time by the clock does not.
package usage

import (
	"bytes"
	"os"
	"runtime/metrics"
	"strconv"
)

// Memory is the number of bytes of memory that the process has: on Linux its resident set, elsewhere what Go has taken
// from the system, without memory of C libraries.
func Memory() int64 {
	if data, err := os.ReadFile("/proc/self/statm"); err == nil {
		if words := bytes.Fields(data); len(words) > 1 {
			if pages, err := strconv.ParseInt(string(words[1]), 10, 64); err == nil {
				return pages * int64(os.Getpagesize())
			}
		}
	}
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
