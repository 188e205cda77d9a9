package experiment

import (
	"slices"
	"strings"

	"nacre/core"
	"nacre/core/devices"
	"nacre/core/ref"
	"nacre/rl"
)

// OpenDevice opens the device that a host asks for. If the device is not the one asked for first, the notice says so;
// otherwise it is empty.
func OpenDevice(h Host) (d core.Device, notice string, err error) { return openDevice(h, 1) }

func openDevice(h Host, together int) (d core.Device, notice string, err error) {
	o := h.processor()
	if devices.Accelerated(h.Device) {
		if o.Host, _, err = devices.Open("cpu", o); err != nil {
			return nil, "", err
		}
	}
	o.Precision, o.Together = h.Precision, together
	return devices.Open(h.Device, o)
}

// processor returns the options of the CPU, alone or beside an accelerator. The accelerator's precision does not apply
// to the CPU.
func (h Host) processor() core.DeviceOptions {
	o := core.DeviceOptions{Workers: h.Workers, Kernel: h.Kernel}
	if !devices.Accelerated(h.Device) {
		o.Precision = h.Precision
	}
	return o
}

// open opens the device of an agent: the reference if its configuration says so, otherwise the device that the host
// asks for.
func (a *Agent) open(host Host, workers int) (err error) {
	if a.Config.Arithmetic == rl.Float64 {
		a.device = ref.Device
		return nil
	}
	if host.shared != nil {
		a.device = host.shared
		return nil
	}
	host.Workers = workers
	a.device, a.notice, err = OpenDevice(host)
	return err
}

// Together returns a host for n agents of one configuration with different seeds. On a GPU that supports it, their
// updates run as one program. Every agent gets the same bits as if it ran alone. They must be trained at the same time,
// because an update waits for all agents that are open. So close each agent when it is done.
func (h Host) Together(n int) (Host, error) {
	if n < 2 || !devices.Accelerated(h.Device) {
		return h, nil
	}
	d, notice, err := openDevice(h, n)
	if err != nil || notice != "" {
		return h, err
	}
	name, _, _ := strings.Cut(d.Name(), "/")
	if b, _, ok, err := devices.Check(name); err == nil && ok && b.Together {
		h.shared = d
	}
	return h, nil
}

// recorded completes a host that names no device. It sets the device and the precision of the run's last process, so
// that the run continues unchanged.
func (h Host) recorded(r Record) Host {
	n := len(r.Sessions)
	if h.Device != "" || n == 0 {
		return h
	}
	name, _, _ := strings.Cut(r.Sessions[n-1].Device, " ")
	device, computes, _ := strings.Cut(name, "/")
	b, _, ok, err := devices.Check(device)
	if err != nil || !ok || device == "" {
		return h
	}
	h.Device = device
	for part := range strings.SplitSeq(computes, "+") { // "avx512+bf16" on the CPU, "tf32" on a GPU
		if h.Precision == "" && slices.Contains(b.Precisions, part) {
			h.Precision = part
		}
	}
	return h
}
