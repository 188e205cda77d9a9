//go:build (linux || darwin) && (amd64 || arm64) && !nogpu

// Package fakewebgpu stands in for a library of webgpu.h in tests. It is written in C and compiled by the system's
// compiler. It keeps buffers but computes nothing, so losses are zero and parameters do not change. It fails when the
// test asks for it.
//
//	gpu := fakewebgpu.Use(t)
//	gpu.Set("submits", 20) // the device is lost at the twentieth submission from now
//	dev, err := webgpu.New(webgpu.Options{})
//	...
package fakewebgpu

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"nacre/core/webgpu"
)

//go:embed testdata/standin.c
var text []byte

// Library is a stand-in with its own state.
type Library struct {
	set uintptr
}

// Use makes package webgpu load the stand-in until the test ends. Without a C compiler the test is skipped.
func Use(t testing.TB) *Library {
	t.Helper()
	file := Compile(t, text)
	t.Setenv(webgpu.EnvLibrary, file)
	h, err := purego.Dlopen(file, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Fatal(err)
	}
	reset, err := purego.Dlsym(h, "standin_reset")
	if err != nil {
		t.Fatal(err)
	}
	l := &Library{}
	if l.set, err = purego.Dlsym(h, "standin_set"); err != nil {
		t.Fatal(err)
	}
	purego.SyscallN(reset)
	return l
}

// Set sets one of these, so that something fails or is limited:
//
//	adapters, kind     adapters there are, and of which kind (3: on the processor)
//	storage buffers    limit of a kernel's storage buffers
//	memory             bytes that are left for buffers
//	refuse             1: no device is given
//	shader             the n-th shader from now on does not compile
//	submits            the device is lost at the n-th submission from now on
//	full               the n-th submission from now on finds no memory
//	map                1: nothing comes back
func (l *Library) Set(what string, n int) {
	name := append([]byte(what), 0)
	purego.SyscallN(l.set, uintptr(unsafe.Pointer(&name[0])), uintptr(n))
}

// Compile makes a library of a text in C.
func Compile(t testing.TB, text []byte) (file string) {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no C compiler to build the stand-in for a GPU with: install gcc or clang")
	}
	dir := t.TempDir()
	source, file := filepath.Join(dir, "library.c"), filepath.Join(dir, "library.so")
	if err := os.WriteFile(source, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", "-std=gnu11", "-shared", "-fPIC", "-o", file,
		source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}
