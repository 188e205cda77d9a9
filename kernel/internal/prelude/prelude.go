// Package prelude holds the source of generic functions and types of the standard library, which cells instantiate. The
// packages in its subfolders compile, so their tests can compare them with the standard packages.
package prelude

import (
	"embed"
	"strings"
)

//go:embed */*.go
var files embed.FS

// Packages are the standard packages with sources here.
var Packages = []string{"cmp", "crypto/hkdf", "crypto/pbkdf2", "errors", "iter", "maps", "math/rand/v2", "reflect",
	"slices", "sync", "sync/atomic", "unique"}

// Source returns the source of a package.
func Source(path string) (string, error) {
	name := strings.ReplaceAll(path, "/", "_")
	b, err := files.ReadFile(name + "/" + name + ".go")
	return string(b), err
}
