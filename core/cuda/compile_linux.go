//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"nacre/internal/atomicfile"
)

// compiler is the run-time compiler NVRTC for one architecture.
type compiler struct {
	*library
	major, minor int32
	arch         string // e.g. sm_90
	cache        string // folder of compiled kernels; empty if they are not kept
	why          string // why it is empty
	source       string // folder for the text of kernels; empty if it is not written
}

var compilerSymbols = []string{
	"nvrtcVersion", "nvrtcCreateProgram", "nvrtcCompileProgram", "nvrtcDestroyProgram", "nvrtcGetCUBINSize",
	"nvrtcGetCUBIN", "nvrtcGetProgramLogSize", "nvrtcGetProgramLog",
}

// openCompiler finds NVRTC for a GPU of the given capability ("9.0").
func openCompiler(capability string) (*compiler, error) {
	l, err := open(NoNVRTC, "NVIDIA's run-time compiler (part of the CUDA toolkit and of the Python package "+
		"nvidia-cuda-nvrtc; "+
		EnvLibraries+" may name its folder)", toolkitPaths("libnvrtc"), compilerSymbols)
	if err != nil {
		return nil, err
	}
	preload(l.path, "libnvrtc-builtins.so.*")
	c := &compiler{library: l, arch: "sm_" + strings.ReplaceAll(capability, ".", ""), source: os.Getenv(EnvSource)}
	if code := c.call("nvrtcVersion", uintptr(unsafe.Pointer(&c.major)),
		uintptr(unsafe.Pointer(&c.minor))); code != 0 || c.major < 12 {
		return nil, &Error{NoNVRTC, fmt.Sprintf("%s is version %d.%d, want 12.0 or newer", l.path, c.major, c.minor)}
	}
	c.cache, err = cacheFolder()
	if err != nil {
		c.why = err.Error()
	}
	return c, nil
}

// cacheFolder returns the folder of compiled kernels. It lies in the user's cache. Without a home folder it lies in the
// folder for temporary files and must belong to this user alone, because kernels that others put there would be run.
func cacheFolder() (string, error) {
	if dir, err := os.UserCacheDir(); err == nil {
		return filepath.Join(dir, "nacre", "kernels"), nil
	}
	own := filepath.Join(os.TempDir(), fmt.Sprintf("nacre-%d", os.Getuid()))
	if err := os.Mkdir(own, 0o700); err != nil && !os.IsExist(err) {
		return "", fmt.Errorf("there is no home folder, and %w", err)
	}
	info, err := os.Lstat(own)
	if err != nil {
		return "", fmt.Errorf("there is no home folder, and %w", err)
	}
	if s, ok := info.Sys().(*syscall.Stat_t); !ok || int(s.Uid) != os.Getuid() || !info.IsDir() ||
		info.Mode().Perm()&0o022 != 0 {
		return "", fmt.Errorf("there is no home folder, and others can write to %s: set XDG_CACHE_HOME", own)
	}
	return filepath.Join(own, "kernels"), nil
}

// Contraction is off so that the plain C of the tests computes the same numbers. The text of a kernel says FMA wherever
// it wants one.
func (c *compiler) options() []string {
	list := []string{"--gpu-architecture=" + c.arch, "--fmad=false"}
	if c.source != "" {
		list = append(list, "--generate-line-info")
	}
	return list
}

// name returns the file name that line numbers of a text refer to. If a folder for texts is set, name writes the text
// there.
func (c *compiler) name(text string) (string, error) {
	if c.source == "" {
		return "kernels.cu", nil
	}
	file, err := filepath.Abs(filepath.Join(c.source, fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:16]+".cu"))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o755)
	}
	if err == nil {
		err = atomicfile.Write(file, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	}
	if err != nil {
		return "", &Error{Compiling, EnvSource + ": " + err.Error()}
	}
	return file, nil
}

// compile translates kernels to machine code. If an earlier run has compiled the same text, compile reads that result.
func (c *compiler) compile(text string) ([]byte, error) {
	name, err := c.name(text)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%x",
		sha256.Sum256(fmt.Appendf(nil, "%d.%d %s %s\n%s", c.major, c.minor, strings.Join(c.options(), " "),
			name, text)))
	file := filepath.Join(c.cache, key[:32]+".cubin")
	if c.cache != "" {
		if cubin, err := os.ReadFile(file); err == nil && len(cubin) > 0 {
			return cubin, nil
		}
	}
	cubin, err := c.translate(text, name)
	if err == nil && c.cache != "" && os.MkdirAll(c.cache, 0o755) == nil {
		// the next run may compile again
		atomicfile.Write(file, func(w io.Writer) error { _, err := w.Write(cubin); return err })
	}
	return cubin, err
}

func (c *compiler) translate(text, name string) ([]byte, error) {
	source, called := append([]byte(text), 0), append([]byte(name), 0)
	var program uintptr
	if code := c.call("nvrtcCreateProgram", uintptr(unsafe.Pointer(&program)), uintptr(unsafe.Pointer(&source[0])),
		uintptr(unsafe.Pointer(&called[0])), 0, 0, 0); code != 0 {
		return nil, c.failure("nvrtcCreateProgram", code)
	}
	defer c.call("nvrtcDestroyProgram", uintptr(unsafe.Pointer(&program)))
	var options []*byte
	for _, o := range c.options() {
		options = append(options, &append([]byte(o), 0)[0])
	}
	if code := c.call("nvrtcCompileProgram", program, uintptr(len(options)),
		uintptr(unsafe.Pointer(&options[0]))); code != 0 {
		e := c.failure("nvrtcCompileProgram for "+c.arch, code)
		e.Detail += "\n" + c.log(program)
		return nil, e
	}
	var n uintptr
	if code := c.call("nvrtcGetCUBINSize", program, uintptr(unsafe.Pointer(&n))); code != 0 || n == 0 {
		return nil, c.failure("nvrtcGetCUBINSize", code)
	}
	cubin := make([]byte, n)
	if code := c.call("nvrtcGetCUBIN", program, uintptr(unsafe.Pointer(&cubin[0]))); code != 0 {
		return nil, c.failure("nvrtcGetCUBIN", code)
	}
	return cubin, nil
}

// log returns the first lines of the compiler's messages about a program.
func (c *compiler) log(program uintptr) string {
	var n uintptr
	if c.call("nvrtcGetProgramLogSize", program, uintptr(unsafe.Pointer(&n))) != 0 || n < 2 {
		return ""
	}
	text := make([]byte, n)
	c.call("nvrtcGetProgramLog", program, uintptr(unsafe.Pointer(&text[0])))
	return string(text[:min(n-1, 2000)])
}

func (c *compiler) failure(call string, code int32) *Error {
	return &Error{Compiling, fmt.Sprintf("%s: error %d of NVRTC %d.%d", call, code, c.major, c.minor)}
}
