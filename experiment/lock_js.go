package experiment

import (
	"errors"
	"os"
)

// errHeld is what tryLock reports when another open file has the lock: never here.
var errHeld = errors.New("lock is held")

// tryLock does nothing: in the browser a run folder is seen by one kernel only.
func tryLock(*os.File) error { return nil }
