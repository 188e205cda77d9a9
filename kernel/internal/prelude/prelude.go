// Package prelude holds the generic functions of the standard library in source, as cells instantiate them. The
// packages below it compile, so their tests can set them beside the standard ones.
package prelude

import "embed"

//go:embed */*.go
var files embed.FS

// Packages are the standard packages with sources here.
var Packages = []string{"cmp", "errors", "iter", "maps", "slices", "sync"}

// Source returns the source of a package.
func Source(path string) (string, error) {
	b, err := files.ReadFile(path + "/" + path + ".go")
	return string(b), err
}
