//go:build !(((linux || darwin) && (amd64 || arm64)) || js) || nogpu

package wgpu

// Handle is an object of WebGPU.
type Handle = uintptr

// Recording is a list of dispatches.
type Recording = []Command

// Device is a device on an adapter. This build supports none.
type Device struct{}

// Open makes a device on an adapter. This build supports none.
func Open(Options) (*Device, Info, error) { return nil, Info{}, unsupported() }

// Adapters lists the adapters. This build supports none.
func Adapters() ([]Info, error) { return nil, unsupported() }

func unsupported() error {
	return &Error{NoLibrary, "WebGPU is reached on Linux and macOS on amd64 and arm64, and in browsers, and not in " +
		"builds with the tag nogpu"}
}
