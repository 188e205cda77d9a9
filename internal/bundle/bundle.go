// Package bundle reads the types of packages from the bundles that `go generate ./library` makes. A bundle has the
// export data of several packages, packed by gzip.
package bundle

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"io"
	"runtime"

	"golang.org/x/tools/go/gcexportdata"
)

// Read adds the packages of a bundle, and the packages that their types mention, to known. It returns the packages of
// the bundle.
func Read(packed []byte, known map[string]*types.Package) ([]*types.Package, error) {
	data, err := Unpack(packed)
	if err != nil {
		return nil, err
	}
	pkgs, err := gcexportdata.ReadBundle(bytes.NewReader(data), token.NewFileSet(), known)
	if err != nil {
		return nil, fmt.Errorf("the embedded package types: %w", err)
	}
	return pkgs, nil
}

// Unpack returns the contents of data packed by gzip.
func Unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// Known returns the packages that must exist before a bundle is read. Its package runtime has the constants of the
// system on which the types are used. A bundle has those of the system on which it was packed; they are ignored,
// because a known package is kept.
func Known() map[string]*types.Package {
	own := types.NewPackage("runtime", "runtime")
	for name, value := range map[string]string{"GOOS": runtime.GOOS, "GOARCH": runtime.GOARCH} {
		own.Scope().Insert(types.NewConst(token.NoPos, own, name, types.Typ[types.UntypedString],
			constant.MakeString(value)))
	}
	return map[string]*types.Package{"runtime": own}
}
