package cuda

import (
	"fmt"
	"os"

	"nacre/core"
)

// Backend is the backend of NVIDIA's GPUs in the list of devices.
var Backend = core.Backend{
	Name:        "cuda",
	Title:       "NVIDIA GPU",
	Numbered:    true,
	Accelerator: true,
	Precisions:  Precisions,
	Together:    true,
	Open:        New,
	Probe: func() (string, error) {
		found, err := look(os.DirFS("/"), os.Getenv("LD_LIBRARY_PATH"))
		if err != nil {
			return found, err
		}
		i, err := Probe(0)
		if err != nil {
			return found, fmt.Errorf("it cannot be used: %w", err)
		}
		d := i.description()
		return found + ": " + d.Hardware + ", " + d.Libraries, nil
	},
}

// Is makes errors.Is(e, core.ErrUnusable) true. Whatever failed on a GPU, the caller may take another device.
func (e *Error) Is(target error) bool { return target == core.ErrUnusable }

func (i Info) description() core.Description {
	return core.Description{
		Hardware:  fmt.Sprintf("%s, %.0f GB, compute capability %s", i.Name, float64(i.Memory)/1e9, i.Capability),
		Libraries: fmt.Sprintf("driver %s, NVRTC %s, cuBLASLt %s", i.Driver, i.NVRTC, i.CublasLt),
	}
}
