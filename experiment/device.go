package experiment

import (
	"slices"
	"strings"

	"nacre/core"
	"nacre/core/devices"
	"nacre/core/ref"
	"nacre/rl"
)

// OpenDevice makes the executor a host asks for. The notice, if not empty, tells that it is not the one that was asked
// for first.
func OpenDevice(h Host) (d core.Device, notice string, err error) { return openDevice(h, 1) }

func openDevice(h Host, together int) (d core.Device, notice string, err error) {
	o := core.DeviceOptions{Workers: h.Workers, Kernel: h.Kernel, Together: together}
	if devices.Accelerated(h.Device) {
		if o.Host, _, err = devices.Open("cpu", o); err != nil {
			return nil, "", err
		}
		if h.TF32 {
			o.Precision = "tf32"
		}
	}
	return devices.Open(h.Device, o)
}

// open makes the executor of an agent: the reference if its configuration says so, else what the host asks for.
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

// Together is a host for n agents of one configuration with different seeds. On a GPU that can do it their updates run as
// one program; every agent has the bits that it has alone. They must be trained at the same time, and each closed when it
// is done, since an update waits for those of the agents that are open.
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

// recorded completes a host that names no device by the one a run's last session used, so that it goes on where it was.
func (h Host) recorded(r Record) Host {
	n := len(r.Sessions)
	if h.Device != "" || n == 0 {
		return h
	}
	name, precision, _ := strings.Cut(strings.Fields(r.Sessions[n-1].Device + " ")[0], "/")
	if has, err := devices.Precisions(name); err == nil && name != "cpu" {
		h.Device, h.TF32 = name, precision == "tf32" && slices.Contains(has, precision)
	}
	return h
}
