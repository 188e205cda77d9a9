package lockfile

import (
	"crypto/sha256"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// machine tells this machine from others until it is started again; empty where the system does not tell.
var machine = sync.OnceValue(func() string {
	boot, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	host, _ := os.Hostname()
	return fmt.Sprintf("%x", sha256.Sum256([]byte(boot+" "+host)))[:16]
})

// zombie is the state of a process that has ended and waits for its parent.
const zombie = 5

// started is when a process began, in microseconds of its machine's clock, and whether it has ended.
func started(pid int) (at uint64, ended bool, err error) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, false, err
	}
	began := p.Proc.P_starttime
	return uint64(began.Sec)*1e6 + uint64(began.Usec), p.Proc.P_stat == zombie, nil
}
