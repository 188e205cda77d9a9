package cpu

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"nacre/core"
)

// Backend is the CPU in the list of devices.
var Backend = core.Backend{Name: name, Title: "CPU", Precisions: precisions, Open: New}

const name = "cpu"

// precisions are the precisions of matrix products; core/README.md says what bfloat16 costs in accuracy.
var precisions = []string{"fp32", "bf16x3", "bf16"}

// kernelOf names the kernels for which options ask: KERNEL, or KERNEL+PRECISION if the precision is not float32. A
// device's name has this form; NACRE_CPU and Options.Kernel may have it. Empty means the fastest in float32.
func kernelOf(o Options) (string, error) {
	kernel, precision, both := strings.Cut(cmp.Or(o.Kernel, os.Getenv(environment)), "+")
	if both && o.Precision != "" && o.Precision != precision {
		return "", fmt.Errorf("cpu: kernel %s+%s in precision %s: expected one precision", kernel, precision,
			o.Precision)
	}
	precision, err := core.CheckPrecision(name, precisions, cmp.Or(precision, o.Precision))
	if err != nil {
		return "", fmt.Errorf("cpu: %w", err)
	}
	if precision == precisions[0] {
		return kernel, nil
	}
	return cmp.Or(kernel, "avx512") + "+" + precision, nil
}
