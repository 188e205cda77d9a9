package app

import (
	"cmp"
	"slices"
	"strings"

	"nacre/core/cpu"
	"nacre/core/devices"
	"nacre/experiment"
)

// KeepOptions are the flags that choose what a training keeps of its states on the way.
type KeepOptions struct {
	Keep      int // iterations after which weights are kept; 0 for none
	KeepState int // and after which checkpoints are, to branch from
}

// DeviceOptions are the flags that choose where training computes, and how exactly.
type DeviceOptions struct {
	Device    string // one of devices.Names; empty is "cpu" or what a run used before
	Precision string // of matrix products, one of devices.Precisions; "float32" is "fp32"
}

// host is what an experiment needs from the machine.
func (o DeviceOptions) host(workers int) (experiment.Host, error) {
	h := experiment.Host{Workers: workers, Device: o.Device}
	precision := o.Precision
	if precision == "float32" {
		precision = "fp32"
	}
	has, err := devices.Precisions(o.Device)
	if err != nil {
		return h, err
	}
	if precision != "" && !slices.Contains(has, precision) {
		return h, Usagef("--precision %s with --device %s: expected one of %s", precision, cmp.Or(o.Device, "cpu"), strings.Join(has, ", "))
	}
	if devices.Accelerated(o.Device) {
		h.Precision = precision
	} else {
		h.Kernel = cpu.KernelOf("", precision)
	}
	return h, nil
}
