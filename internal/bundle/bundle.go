// Package bundle reads the types of packages as `go generate ./library` packs them: export data of several packages at
// once, behind gzip.
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

// Read adds the packages of a bundle, and those that their types mention, to the known ones. It returns the bundle's
// own.
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

// Unpack returns what gzip packed.
func Unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// Known has what must be there before a bundle is read: the constants of package runtime are of the system the types
// are used on, not of the one they were packed on, because what was read before stays.
func Known() map[string]*types.Package {
	own := types.NewPackage("runtime", "runtime")
	for name, value := range map[string]string{"GOOS": runtime.GOOS, "GOARCH": runtime.GOARCH} {
		own.Scope().Insert(types.NewConst(token.NoPos, own, name, types.Typ[types.UntypedString],
			constant.MakeString(value)))
	}
	return map[string]*types.Package{"runtime": own}
}
