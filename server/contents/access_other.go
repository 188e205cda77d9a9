//go:build !unix

package contents

import (
	"io/fs"
	"strings"
)

func (s *Store) writable(_ string, info fs.FileInfo) bool { return info.Mode().Perm()&0o200 != 0 }

func notEmpty(err error) bool { return strings.Contains(err.Error(), "not empty") }
