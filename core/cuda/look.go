package cuda

import (
	"errors"
	"io/fs"
	"strings"
)

// folders are the folders into which drivers put libcuda, relative to the root.
var folders = []string{
	"usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu", "usr/lib64", "usr/lib", "lib64", "usr/lib/wsl/lib",
	"usr/local/nvidia/lib64", "usr/local/cuda/compat", "run/opengl-driver/lib",
}

// look finds an NVIDIA GPU by the files that a working driver leaves under root. It runs no code of the driver.
// libraryPath is the loader's list of folders, separated by colons. If something is missing, the error says what to do.
func look(root fs.FS, libraryPath string) (found string, err error) {
	nodes := nodes(root)
	library := libcuda(root, libraryPath)
	switch {
	case len(nodes) == 0 && library == "":
		return "none found", errors.New("no driver of NVIDIA's is installed")
	case len(nodes) == 0:
		return "library " + library + ", but no device under /dev",
			errors.New("load the driver's kernel module, or start the container with access to the GPU")
	case library == "":
		return strings.Join(nodes, ", ") + ", but no libcuda.so.1",
			errors.New("install the driver's CUDA library or add its folder to LD_LIBRARY_PATH")
	}
	found = strings.Join(nodes, ", ") + ", library " + library
	if text, err := fs.ReadFile(root, "proc/driver/nvidia/version"); err == nil {
		if v := driverVersion(string(text)); v != "" {
			found += ", driver " + v
		}
	}
	return found, nil
}

// nodes lists the GPUs' device files: /dev/nvidia0 and so on, or /dev/dxg under Windows' Linux subsystem.
func nodes(root fs.FS) []string {
	var out []string
	names, _ := fs.Glob(root, "dev/nvidia[0-9]*")
	for _, n := range names {
		out = append(out, "/"+n)
	}
	if _, err := fs.Stat(root, "dev/dxg"); err == nil {
		out = append(out, "/dev/dxg")
	}
	return out
}

func libcuda(root fs.FS, libraryPath string) string {
	var named []string
	for _, f := range strings.Split(libraryPath, ":") {
		if strings.HasPrefix(f, "/") {
			named = append(named, strings.Trim(f, "/"))
		}
	}
	for _, f := range append(named, folders...) {
		path := f + "/libcuda.so.1"
		if _, err := fs.Stat(root, path); err == nil {
			return "/" + path
		}
	}
	return ""
}

// driverVersion returns the version in the first line of the driver's own file. It is the first word that has only
// digits and dots.
func driverVersion(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	for _, word := range strings.Fields(first) {
		if strings.Trim(word, "0123456789.") == "" && strings.Contains(word, ".") {
			return word
		}
	}
	return ""
}
