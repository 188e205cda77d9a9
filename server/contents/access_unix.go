//go:build unix

package contents

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// writable says whether this user may write a file, going by its owner and mode.
func writable(info fs.FileInfo) bool {
	mode := info.Mode().Perm()
	st, ok := info.Sys().(*syscall.Stat_t)
	switch uid := os.Geteuid(); {
	case !ok || uid == 0:
		return mode&0o222 != 0
	case uint32(uid) == st.Uid:
		return mode&0o200 != 0
	case inGroup(st.Gid):
		return mode&0o020 != 0
	}
	return mode&0o002 != 0
}

func inGroup(gid uint32) bool {
	if uint32(os.Getegid()) == gid {
		return true
	}
	groups, _ := os.Getgroups()
	for _, g := range groups {
		if uint32(g) == gid {
			return true
		}
	}
	return false
}

func notEmpty(err error) bool {
	return errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST)
}
