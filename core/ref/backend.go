package ref

import "nacre/core"

// Backend is the reference in the list of devices.
var Backend = core.Backend{
	Name:       "ref",
	Title:      "reference in float64",
	Precisions: []string{"float64"},
	Open:       func(core.DeviceOptions) (core.Device, error) { return Device, nil },
}
