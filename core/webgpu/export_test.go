//go:build (((linux || darwin) && (amd64 || arm64)) || js) && !nogpu

package webgpu

import "nacre/core"

// Lose takes a device away, as a driver does that is restarted.
func Lose(d core.Device) { d.(*device).Device.Destroy() }

// Compile compiles a text.
func Compile(d core.Device, text string) error {
	_, err := d.(*device).compile(text, "main")
	return err
}
