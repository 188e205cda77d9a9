package experiment

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/cuda"
	"nacre/core/ref"
	"nacre/rl"
)

// OpenDevice makes the executor a host asks for. The notice, if not empty, tells that it is not the one that was asked
// for first.
func OpenDevice(h Host) (d core.Device, notice string, err error) {
	host, err := cpu.New(cpu.Options{Workers: h.Workers, Kernel: h.Kernel})
	if err != nil || h.Device == "" || h.Device == "cpu" {
		return host, "", err
	}
	ordinal, err := CheckDevice(h.Device)
	if err != nil {
		return nil, "", err
	}
	d, err = cuda.New(cuda.Options{Ordinal: ordinal, TF32: h.TF32, Host: host})
	var lacking *cuda.Error
	if h.Device == "auto" && errors.As(err, &lacking) {
		return host, fmt.Sprintf("no usable GPU, training on the CPU (%s)", host.Name()) + ": " + strings.TrimPrefix(lacking.Error(), "cuda: "), nil
	}
	return d, "", err
}

// CheckDevice checks the name of a device, "auto", "cpu", "cuda" or "cuda:" with a GPU's number, and returns that number.
func CheckDevice(name string) (ordinal int, err error) {
	if name == "auto" || name == "cpu" || name == "cuda" {
		return 0, nil
	}
	number, ok := strings.CutPrefix(name, "cuda:")
	if ordinal, err = strconv.Atoi(number); !ok || err != nil || ordinal < 0 {
		return 0, fmt.Errorf("device %q: want auto, cpu, cuda or cuda:N with the number of a GPU", name)
	}
	return ordinal, nil
}

// open makes the executor of an agent: the reference if its configuration says so, else what the host asks for.
func (a *Agent) open(host Host, workers int) (err error) {
	if a.Config.Arithmetic == rl.Float64 {
		a.device = ref.Device
		return nil
	}
	host.Workers = workers
	a.device, a.notice, err = OpenDevice(host)
	return err
}

// recorded completes a host that names no device by the one a run's last session used, so that it goes on where it was.
func (h Host) recorded(r Record) Host {
	if n := len(r.Sessions); h.Device == "" && n > 0 {
		if name, precision, ok := strings.Cut(strings.Fields(r.Sessions[n-1].Device + " ")[0], "/"); ok && strings.HasPrefix(name, "cuda:") {
			h.Device, h.TF32 = name, precision == "tf32"
		}
	}
	return h
}
