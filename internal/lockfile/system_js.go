package lockfile

import (
	"errors"
	"os"
)

// alone reports whether no other process can see the files: in the browser there is none.
const alone = true

var errTaken = errors.New("lock is held")

func system(*os.File) error { return nil }

func missing(error) bool { return false }

func inode(os.FileInfo) uint64 { return 0 }

func alive(int, uint64) (lives, known bool) { return true, false }
