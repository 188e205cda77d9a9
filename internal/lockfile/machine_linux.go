package lockfile

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
)

// machine tells this machine from others until it is started again, and a container with processes of its own from the
// machine it is on; empty where the system does not tell.
var machine = sync.OnceValue(func() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	processes, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	clock, _ := os.Readlink("/proc/self/ns/time") // what started counts from
	host, _ := os.Hostname()
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s %s %s %s", boot, processes, clock, host)))[:16]
})

// started is when a process began, in ticks since the machine did, and whether it has ended and waits for its parent.
func started(pid int) (ticks uint64, ended bool, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false, err
	}
	after := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // the program's name may hold anything
	if len(after) < 20 {
		return 0, false, errors.New("/proc: too few fields")
	}
	ticks, err = strconv.ParseUint(string(after[19]), 10, 64)
	return ticks, after[0][0] == 'Z' || after[0][0] == 'X', err
}
