//go:build linux && (amd64 || arm64) && !nogpu

package cuda_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"nacre/core/cuda"
)

// machineCode holds what NVIDIA's tools say of one compiled kernel.
type machineCode struct {
	Registers, Shared, Spills int // per lane, bytes per block, bytes per lane
	Load, Store               int // widest from and to global memory, in bytes
	LoadsFirst                int // loads from global memory before the first store
}

// capabilities are those of the kinds of GPU that kernels are compiled for in tests: A100, H100, B200, and the GeForce
// RTX 50s.
var capabilities = []string{"8.0", "9.0", "10.0", "12.0"}

// tool finds one of NVIDIA's tools: in the path, or beside the libraries that the environment names, as the Python
// packages nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm put them.
func tool(t *testing.T, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	for _, folder := range filepath.SplitList(os.Getenv(cuda.EnvLibraries)) {
		if path, err := exec.LookPath(filepath.Join(folder, "..", "bin", name)); err == nil {
			return path
		}
	}
	t.Skipf("there is no %s to read machine code with: install NVIDIA's CUDA toolkit", name)
	return ""
}

// compiled compiles a text for an architecture ("9.0") and reads what came out, kernel by kernel.
func compiled(t *testing.T, text, capability string) map[string]machineCode {
	t.Helper()
	objdump, disasm := tool(t, "cuobjdump"), tool(t, "nvdisasm")
	cubin, err := cuda.Compile(text, capability)
	var missing *cuda.Error
	if errors.As(err, &missing) && missing.Fault == cuda.NoNVRTC {
		t.Skip(missing)
	}
	must(t, err)
	file := filepath.Join(t.TempDir(), "kernels.cubin")
	must(t, os.WriteFile(file, cubin, 0o644))
	run := func(option string) string {
		c := exec.Command(objdump, option, file)
		c.Env = append(os.Environ(), "PATH="+filepath.Dir(disasm)+":"+os.Getenv("PATH"))
		out, err := c.Output()
		must(t, err)
		return string(out)
	}
	number := func(s string) int { n, _ := strconv.Atoi(s); return n }
	codes := map[string]machineCode{}
	for _, m := range regexp.MustCompile(`Function (\w+):\s+REG:(\d+) STACK:(\d+) SHARED:(\d+) LOCAL:(\d+)`).
		FindAllStringSubmatch(run("-res-usage"), -1) {
		codes[m[1]] = machineCode{Registers: number(m[2]), Shared: number(m[4]), Spills: number(m[3]) + number(m[5])}
	}
	access := regexp.MustCompile(`\b(LDG|STG|LDL|STL)\.\S*`)
	for _, body := range strings.Split(run("-sass"), "Function : ")[1:] {
		name, body, _ := strings.Cut(body, "\n")
		c, ok := codes[name]
		if !ok {
			t.Fatalf("no register count of kernel %s", name)
		}
		stored := false
		for _, op := range access.FindAllString(body, -1) {
			width := 4
			if strings.Contains(op, ".128") {
				width = 16
			} else if strings.Contains(op, ".64") {
				width = 8
			}
			switch op[:3] {
			case "LDG":
				c.Load = max(c.Load, width)
				if !stored {
					c.LoadsFirst++
				}
			case "STG":
				c.Store, stored = max(c.Store, width), true
			default:
				c.Spills = max(c.Spills, width)
			}
		}
		codes[name] = c
	}
	return codes
}
