//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ebitengine/purego"

	"nacre/internal/python"
)

// library is a loaded shared library with the symbols that were looked up in it.
type library struct {
	path    string
	handle  uintptr
	symbols map[string]uintptr
}

// open loads the first of paths that exists and has all symbols.
func open(fault Fault, what string, paths, symbols []string) (*library, error) {
	var reasons []string
	for _, p := range paths {
		h, err := purego.Dlopen(p, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err != nil {
			if _, missing := os.Stat(p); missing == nil { // the file exists but cannot be loaded
				reasons = append(reasons, err.Error())
			}
			continue
		}
		l := &library{path: p, handle: h, symbols: map[string]uintptr{}}
		for _, s := range symbols {
			if l.symbols[s], err = purego.Dlsym(h, s); err != nil {
				return nil, &Error{fault, fmt.Sprintf("%s has no symbol %s: not %s, or too old a version", p, s, what)}
			}
		}
		return l, nil
	}
	detail := what + " was not found (" + strings.Join(paths, ", ") + ")"
	if len(reasons) > 0 {
		detail += ": " + reasons[0]
	}
	return nil, &Error{fault, detail}
}

// find looks up a symbol that only newer versions of a library have. It reports whether this one has it.
func (l *library) find(symbol string) bool {
	at, err := purego.Dlsym(l.handle, symbol)
	if err == nil {
		l.symbols[symbol] = at
	}
	return err == nil
}

// preload loads a library that another one will ask the loader for by name, if it lies in the same folder. The loader
// does not look there.
func preload(path, pattern string) {
	beside, _ := filepath.Glob(filepath.Join(filepath.Dir(path), pattern))
	for _, p := range beside {
		// if this fails, the library that needs it fails too and says why
		purego.Dlopen(p, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	}
}

// call calls a symbol. Arguments that are pointers do not move during the call.
//
//go:uintptrescapes
func (l *library) call(symbol string, args ...uintptr) int32 {
	r, _, _ := purego.SyscallN(l.symbols[symbol], args...)
	return int32(r)
}

// driverPaths lists the places of the driver's library. It comes with the driver, so the loader usually finds it.
func driverPaths() []string {
	if folders := named(); folders != nil {
		return join(folders, "libcuda.so.1")
	}
	return []string{"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1",
		"/run/opengl-driver/lib/libcuda.so.1"}
}

// named lists the folders of EnvLibraries.
func named() []string {
	if v := os.Getenv(EnvLibraries); v != "" {
		return strings.Split(v, ":")
	}
	return nil
}

func join(folders []string, name string) []string {
	out := make([]string, len(folders))
	for i, f := range folders {
		out[i] = filepath.Join(f, name)
	}
	return out
}

// toolkitPaths lists the places of a library of the CUDA toolkit, the newest version first: the loader's path, a
// toolkit, and the folders of NVIDIA's Python packages, which many machines with a GPU have.
func toolkitPaths(name string) []string {
	versions := []string{name + ".so.13", name + ".so.12"}
	if folders := named(); folders != nil {
		return append(join(folders, versions[0]), join(folders, versions[1])...)
	}
	files := versions
	add := func(folder string) {
		for _, v := range versions {
			found, _ := filepath.Glob(filepath.Join(folder, v))
			files = append(files, found...)
		}
	}
	for _, v := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if d := os.Getenv(v); d != "" {
			add(filepath.Join(d, "lib64"))
		}
	}
	add("/usr/local/cuda/lib64")
	add("/usr/local/cuda/targets/*/lib")
	for _, prefix := range python.Prefixes() {
		add(filepath.Join(prefix, "lib/python3*/site-packages/nvidia/*/lib"))
	}
	return files
}
