//go:build !unix

package fetch

import "os"

// tryLock does nothing: there are no parts for this system.
func tryLock(*os.File) (held bool, err error) { return false, nil }
