// Package devices lists the devices that programs can run on, and opens one by name.
//
//	d, notice, err := devices.Open("auto", core.DeviceOptions{})
//	// notice, if not empty, says why this is not the first device in the list
//
// A new device is a folder beside core/cuda with a core.Backend, and one line in the list below. The flags of the
// command line, nacre doctor, benchmarks and the records of runs read this list. core/coretest checks that a device is
// complete.
package devices

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/cuda"
	"nacre/core/ref"
	"nacre/core/webgpu"
	"nacre/internal/nearest"
)

// list holds all devices. "auto" tries accelerators in this order.
var list = []core.Backend{
	cpu.Backend,
	cuda.Backend,
	webgpu.Backend,
	ref.Backend,
}

// Auto is the name of the first accelerator that can be used, or the CPU if there is none.
const Auto = "auto"

// All returns the list.
func All() []core.Backend { return append([]core.Backend(nil), list...) }

// Names lists the names that Open takes: "auto" and the name of every device. If a device can be one of several, Open
// also takes "name:N".
func Names() []string {
	names := []string{Auto}
	for _, b := range list {
		names = append(names, b.Name)
	}
	return names
}

// Check finds the backend of a name, "cpu", "cuda" or "cuda:1", and the number in it. An empty name is the CPU. The
// error of an unknown name has the nearest one. For "auto" ok is false: it has no backend before it is opened.
func Check(name string) (b core.Backend, ordinal int, ok bool, err error) {
	kind, number, numbered := strings.Cut(name, ":")
	switch name {
	case Auto:
		return b, 0, false, nil
	case "":
		kind = cpu.Backend.Name
	}
	for _, b := range list {
		if b.Name != kind {
			continue
		}
		if !numbered {
			return b, 0, true, nil
		}
		if !b.Numbered {
			return b, 0, false, fmt.Errorf("device %q: there is one %s only, want %q", name, b.Title, b.Name)
		}
		if ordinal, err = strconv.Atoi(number); err != nil || ordinal < 0 || number[0] == '+' {
			return b, 0, false, fmt.Errorf("device %q: want %s:N with a number from 0", name, b.Name)
		}
		return b, ordinal, true, nil
	}
	return b, 0, false, fmt.Errorf("device %q is unknown%s", name, nearest.Hint(kind, Names()))
}

// Accelerated reports whether a name, which Check accepts, asks for an accelerator.
func Accelerated(name string) bool {
	b, _, ok, err := Check(name)
	return err == nil && (!ok || b.Accelerator)
}

// Precisions lists the precisions of a device, the default first. For "auto" it lists those of all accelerators that
// "auto" may choose.
func Precisions(name string) ([]string, error) {
	b, _, ok, err := Check(name)
	if err != nil || ok {
		return b.Precisions, err
	}
	var all []string
	for _, b := range list {
		for _, p := range b.Precisions {
			if b.Accelerator && !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all, nil
}

// CheckPrecision finds a precision among those of a device, as core.CheckPrecision does. An empty precision stays
// empty.
func CheckPrecision(name, asked string) (string, error) {
	known, err := Precisions(name)
	if err != nil || asked == "" {
		return "", err
	}
	return core.CheckPrecision(cmp.Or(name, cpu.Backend.Name), known, asked)
}

// Open makes the device of a name. If "auto" does not take the first device in the list, notice says in one line which
// device it takes, and why. The CPU then computes in its default precision. "auto" takes only real hardware, because an
// adapter that computes on the processor is slower than the CPU itself.
func Open(name string, o core.DeviceOptions) (d core.Device, notice string, err error) {
	b, ordinal, ok, err := Check(name)
	if err != nil {
		return nil, "", err
	}
	if o.Precision, err = CheckPrecision(name, o.Precision); err != nil {
		return nil, "", err
	}
	if ok {
		o.Ordinal = ordinal
		d, err = b.Open(o)
		return d, "", err
	}
	var reasons []string
	o.Hardware = true
	for _, b := range list {
		if !b.Accelerator || !slices.Contains(b.Precisions, o.Precision) && o.Precision != "" {
			continue
		}
		if d, err = b.Open(o); err == nil && len(reasons) > 0 {
			return d, fmt.Sprintf("taking %s: %s", d.Name(), strings.Join(reasons, "; ")), nil
		}
		if err == nil || !errors.Is(err, core.ErrUnusable) {
			return d, "", err
		}
		reasons = append(reasons, err.Error())
	}
	o.Precision = ""
	if d, err = cpu.Backend.Open(o); err != nil {
		return nil, "", err
	}
	return d, fmt.Sprintf("no usable GPU, taking the CPU (%s): %s", d.Name(), strings.Join(reasons, "; ")), nil
}
