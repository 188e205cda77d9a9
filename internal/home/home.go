// Package home says where the program keeps fetched files, and where it looks for files that belong to it: MuJoCo's
// library, the scenes of Meta-World, programs for the browser, notebooks' data. It fetches nothing; package fetch does.
//
//	for _, file := range home.Places(home.MuJoCo, "lib", home.Library()) {
//		if _, err := os.Stat(file); err == nil {
//			return file
//		}
//	}
package home

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"nacre/internal/python"
)

// These are the versions of fetched files: Meta-World's package, the MuJoCo that it pins, and the package with a
// library for WebGPU.
const (
	MuJoCoVersion    = "3.3.0"
	MetaWorldVersion = "3.1.1"
	WebGPUVersion    = "0.32.0"
)

// These are the folders of fetched files, under Dir and beside the program. A new version gets a folder of its own, so
// that programs of different ages do not disturb each other.
const (
	MuJoCo        = "mujoco-" + MuJoCoVersion
	MetaWorld     = "metaworld-" + MetaWorldVersion
	MetaWorld2020 = "metaworld-2020" // the scenes of package metaworld2020, which have one version
	WebGPU        = "wgpu-" + WebGPUVersion
)

// Variable is the environment variable that names Dir.
const Variable = "NACRE_HOME"

// Dir is the folder of fetched files: $NACRE_HOME, or nacre in the user's cache ($XDG_CACHE_HOME or ~/.cache on Linux).
// It need not exist. Dir fails if the user has no home folder.
func Dir() (string, error) {
	if dir := os.Getenv(Variable); dir != "" {
		return filepath.Abs(dir)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no folder for what nacre fetches (%w): set %s to one", err, Variable)
	}
	return filepath.Join(cache, "nacre"), nil
}

// Program is the folder of this program's file, with links resolved. It is "" if the system does not know it.
func Program() string {
	program, err := os.Executable()
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	return filepath.Dir(program)
}

// Beside is the path of a file or folder beside this program.
func Beside(path ...string) string { return filepath.Join(Program(), filepath.Join(path...)) }

// Places lists the paths at which a fetched file may lie, in the order of the search: under Dir, beside the program.
func Places(path ...string) []string {
	var places []string
	if dir, err := Dir(); err == nil {
		places = append(places, filepath.Join(dir, filepath.Join(path...)))
	}
	return append(places, Beside(path...))
}

// InPython is the folder of a package in the chosen Python (package python), if this version of it is installed;
// otherwise it is "". If another version is installed, which is not used, the error says so.
func InPython(name, version string) (string, error) {
	p, err := python.Find()
	if err != nil {
		return "", nil
	}
	folder, other := p.Package(name)
	if folder != "" && other != version {
		return "", fmt.Errorf("%s %s in %s, of the Python %s, is not used; expected version %s", name, other, folder,
			p, version)
	}
	return folder, nil
}

// WebGPULibrary is the file name of the library for WebGPU on this system.
func WebGPULibrary() string { return WebGPULibraryFor(runtime.GOOS) }

// WebGPULibraryFor is the file name of the library for WebGPU on a system, named as in GOOS.
func WebGPULibraryFor(system string) string {
	if system == "darwin" {
		return "libwgpu_native-release.dylib"
	}
	return "libwgpu_native-release.so"
}

// Library is the file name of MuJoCo's library on this system.
func Library() string { return LibraryFor(runtime.GOOS) }

// LibraryFor is the file name of MuJoCo's library on a system, named as in GOOS.
func LibraryFor(system string) string {
	if system == "darwin" {
		return "libmujoco." + MuJoCoVersion + ".dylib"
	}
	return "libmujoco.so." + MuJoCoVersion
}
