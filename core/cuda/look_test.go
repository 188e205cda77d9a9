package cuda

import (
	"testing"
	"testing/fstest"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

const versionFile = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Thu Jan 23 2025\nGCC version: 12.2.0\n"

// What a driver leaves in the file system, and what is missing of it.
func TestLook(t *testing.T) {
	const lib = "usr/lib/x86_64-linux-gnu/libcuda.so.1"
	for name, c := range map[string]struct {
		root  fstest.MapFS
		path  string
		there bool
		found string
	}{
		"nothing":      {fstest.MapFS{}, "", false, "none found"},
		"library only": {fstest.MapFS{lib: file("")}, "", false, "library /" + lib + ", but no device under /dev"},
		"control only": {fstest.MapFS{"dev/nvidiactl": file("")}, "", false, "none found"},
		"device only":  {fstest.MapFS{"dev/nvidia0": file("")}, "", false, "/dev/nvidia0, but no libcuda.so.1"},
		"both": {fstest.MapFS{"dev/nvidia0": file(""), "dev/nvidia11": file(""), lib: file(""),
			"proc/driver/nvidia/version": file(versionFile)}, "", true,
			"/dev/nvidia0, /dev/nvidia11, library /" + lib + ", driver 570.86.15"},
		"path first": {fstest.MapFS{"dev/dxg": file(""), lib: file(""), "opt/cuda/libcuda.so.1": file("")},
			"relative::/opt/cuda/", true,
			"/dev/dxg, library /opt/cuda/libcuda.so.1"},
	} {
		found, err := look(c.root, c.path)
		if found != c.found || (err == nil) != c.there {
			t.Errorf("%s: %q, error %v; want %q, there %v", name, found, err, c.found, c.there)
		}
	}
	for text, want := range map[string]string{versionFile: "570.86.15", "no version here": "", "": ""} {
		if got := driverVersion(text); got != want {
			t.Errorf("driver version of %q: %q, want %q", text, got, want)
		}
	}
}
