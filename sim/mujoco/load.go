//go:build mujoco && cgo

package mujoco

/*
#include <stdlib.h>
#include "chunk.h"
*/
import "C"

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"nacre/internal/dynlib"
	"nacre/internal/home"
	"nacre/sim"
)

// Variable is the environment variable that names the library's file, or a folder that holds it. Where it is set no
// other place is looked at.
const Variable = "NACRE_MUJOCO"

// unavailable is why there is no library, with what to do about it. It is a sim.ErrUnavailable.
type unavailable struct{ text string }

func (e *unavailable) Error() string { return e.text }

func (*unavailable) Unwrap() error { return sim.ErrUnavailable }

// loaded is the library that was found.
var loaded struct{ version, path string }

// load finds and loads the library once.
var load = sync.OnceValue(find)

func find() error {
	if named := os.Getenv(Variable); named != "" {
		if err := open(inFolder(named)); err != nil {
			return &unavailable{fmt.Sprintf("%s: expected in %s the file %s of MuJoCo or its folder", err, Variable,
				home.Library())}
		}
		return nil
	}
	for _, file := range home.Places(home.MuJoCo, "lib", home.Library()) {
		if _, err := os.Stat(file); err == nil {
			if err := open(file); err != nil {
				return &unavailable{err.Error() + ": run `nacre setup`, which puts it right"}
			}
			return nil
		}
	}
	folder, other := home.InPython("mujoco", home.MuJoCoVersion)
	if file := filepath.Join(folder, home.Library()); folder != "" {
		if err := open(file); err != nil {
			return &unavailable{err.Error() + ": run `nacre setup`, which fetches its own"}
		}
		return nil
	}
	for _, name := range systemNames() {
		err := open(name)
		if err == nil {
			return nil
		}
		if _, ok := err.(otherVersion); ok && other == nil {
			other = err
		}
	}
	if other != nil {
		return &unavailable{other.Error() + ": run `nacre setup`, which fetches that one"}
	}
	return ErrUnavailable
}

// inFolder is where the library is in a folder, or the file itself.
func inFolder(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return path
	}
	inside := filepath.Join(path, "lib", home.Library())
	if _, err := os.Stat(inside); err == nil {
		return inside
	}
	return filepath.Join(path, home.Library())
}

// systemNames returns the names that the system's loader is asked for.
func systemNames() []string {
	if runtime.GOOS == "darwin" {
		return []string{home.Library(), "libmujoco.dylib", "/usr/local/lib/libmujoco.dylib",
			"/opt/homebrew/lib/libmujoco.dylib"}
	}
	return []string{home.Library(), "libmujoco.so", "/usr/local/lib/libmujoco.so"}
}

// otherVersion is a library that was found and cannot be used.
type otherVersion struct{ version, path string }

func (e otherVersion) Error() string {
	return fmt.Sprintf("MuJoCo %s at %s, expected %s", e.version, e.path, home.MuJoCoVersion)
}

// open loads one library, a file or a name for the system's loader.
func open(name string) error {
	if filepath.IsAbs(name) || strings.ContainsRune(name, filepath.Separator) { // others are for the system to find
		if err := dynlib.Whole(name); err != nil {
			return fmt.Errorf("MuJoCo at %s cannot be loaded (%w)", name, err)
		}
	}
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var library C.nacre_library
	var fault C.nacre_fault
	rc := C.nacre_open(text, &library, &fault)
	version, path := versionText(int(library.version)), C.GoString(&library.path[0])
	switch rc {
	case C.NACRE_OK:
		loaded.version, loaded.path = version, path
		return nil
	case C.NACRE_WARNING:
		return otherVersion{version, path}
	}
	return fmt.Errorf("MuJoCo at %s cannot be loaded (%s)", name, C.GoString(&fault.text[0]))
}

// versionText decodes mj_version, which is three digits up to 3.4 and major*10⁶ + minor*10³ + patch after.
func versionText(v int) string {
	if v < 1000 {
		return fmt.Sprintf("%d.%d.%d", v/100, v/10%10, v%10)
	}
	return fmt.Sprintf("%d.%d.%d", v/1_000_000, v/1000%1000, v%1000)
}

// Built reports whether this program can load MuJoCo; Check says whether it has.
func Built() bool { return true }

// Check returns nil if MuJoCo can be used, and otherwise why not.
func Check() error { return load() }

// Available reports whether MuJoCo can be used; Check says why not.
func Available() bool { return load() == nil }

// Version returns the version of the library, such as "3.3.0", or "" if there is none.
func Version() string {
	if load() != nil {
		return ""
	}
	return loaded.version
}

// Notice returns "": the library has the version that Nacre names, and a reader of results need not know more.
func Notice() string { return "" }

// Path returns the file of the library, or "" if there is none.
func Path() string {
	if load() != nil {
		return ""
	}
	return loaded.path
}
