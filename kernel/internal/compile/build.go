package compile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"nacre/kernel/internal/engine"
)

// Builder makes plugins with the Go tool chain. It calls the compiler and the linker directly, which takes a third of
// the time of `go build`. It calls `go build` only for packages that it has not seen yet.
type Builder struct {
	Path string // path of the session's package; no other session of the process has the same path

	folder   string // folder of the builder's files
	source   string // folder of the module from which the program was built
	env      []string
	flags    []string // flags with which the program was built
	tools    string
	packages map[string]string // archives of packages by import path
	extra    map[string]string // versions of modules that only the module cache has
}

// base lists the packages of every plugin.
var base = []string{"nacre/kernel/internal/live", "unsafe", "runtime/cgo"}

// NewBuilder returns a builder of plugins for this process. The argument source is a folder of the module from which
// the program was built. The argument list is the file that Prepare wrote, or "". NewBuilder fails if there is no tool
// chain of the Go release with which the program was built.
func NewBuilder(path, source, list string) (*Builder, error) {
	b := &Builder{Path: path, source: source, packages: map[string]string{}}
	b.env = append(os.Environ(), "CGO_ENABLED=1")
	if v := runtime.Version(); strings.HasPrefix(v, "go1") && !strings.Contains(v, " ") {
		b.env = append(b.env, "GOTOOLCHAIN="+v)
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "-trimpath", "-tags", "-gcflags":
				b.flags = append(b.flags, s.Key+"="+s.Value)
			case "CGO_CFLAGS", "CGO_LDFLAGS", "CGO_CPPFLAGS", "CGO_CXXFLAGS", "GOAMD64", "GOARM64", "GOEXPERIMENT":
				b.env = append(b.env, s.Key+"="+s.Value)
			}
		}
	}
	if err := Possible(source); err != nil {
		return nil, err
	}
	if !b.recall() && (list == "" || b.prepared(list) != nil) {
		clear(b.packages)
		if err := b.findTools(); err != nil {
			return nil, err
		}
	}
	var err error
	if b.folder, err = os.MkdirTemp("", "nacre-cells-"); err != nil {
		return nil, err
	}
	if err := b.need(context.Background(), base); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Possible makes a quick check and says what is missing for compiling cells.
func Possible(source string) error {
	if !loads {
		return fmt.Errorf("%w: it takes Linux and a program built with cgo", engine.ErrNoToolChain)
	}
	for name, what := range map[string]string{"go": "there is no go command in PATH",
		"gcc": "linking plugins needs gcc"} {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("%w: %s", engine.ErrNoToolChain, what)
		}
	}
	if _, err := os.Stat(filepath.Join(source, "go.mod")); err != nil {
		return fmt.Errorf("%w: the source of this program is not in %s; NACRE_SOURCE says where it is",
			engine.ErrNoToolChain, source)
	}
	return nil
}

// findTools asks the go command for the compiler and the linker.
func (b *Builder) findTools() error {
	out, err := b.goCommand(context.Background(), "env", "GOVERSION", "GOTOOLDIR")
	if err != nil {
		return err
	}
	version, tools, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if version != runtime.Version() {
		return fmt.Errorf("%w: the Go tool chain is %s, and this program was built with %s", engine.ErrNoToolChain,
			version, runtime.Version())
	}
	b.tools = tools
	return nil
}

// Close removes the builder's files.
func (b *Builder) Close() error { return os.RemoveAll(b.folder) }

func (b *Builder) goCommand(ctx context.Context, args ...string) ([]byte, error) {
	return b.goIn(ctx, b.source, b.env, args...)
}

// goIn runs the go command in a folder.
func (b *Builder) goIn(ctx context.Context, folder string, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = folder, env
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("%w: there is no go command in PATH", engine.ErrNoToolChain)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: the source of this program is not in %s; NACRE_SOURCE says where it is",
			engine.ErrNoToolChain, b.source)
	case errors.As(err, &exit):
		return nil, fmt.Errorf("go %s: %s", args[0], bytes.TrimSpace(exit.Stderr))
	}
	return out, err
}

// need finds the archives of packages and of everything that they import. Missing archives are built.
func (b *Builder) need(ctx context.Context, paths []string) error {
	var missing []string
	for _, p := range paths {
		if b.packages[p] == "" && p != "unsafe" {
			missing = append(missing, p)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	out, err := b.goCommand(ctx, append(b.list(), missing...)...)
	if err != nil {
		return err
	}
	if err := b.note(out); err != nil {
		return err
	}
	found.Store(b.source, &archives{b.tools, maps.Clone(b.packages)})
	return nil
}

// list returns the arguments with which the go command compiles packages and lists their archives.
func (b *Builder) list() []string {
	return append([]string{"list", "-export", "-deps", "-buildmode=plugin", "-f",
		"{{if .Export}}{{.ImportPath}}={{.Export}}{{end}}"}, b.flags...)
}

// archives holds the archives that the builders of this process have found. Asking the go command takes half a second.
type archives struct {
	tools    string
	packages map[string]string
}

var found sync.Map // *archives by the folder of the module

// recall takes over the archives that an earlier builder has found, and reports whether there is one.
func (b *Builder) recall() bool {
	a, ok := found.Load(b.source)
	if ok {
		b.tools, b.packages = a.(*archives).tools, maps.Clone(a.(*archives).packages)
	}
	return ok
}

// Build makes the plugin of cell n and returns the plugin's file. The cell's function is called cell__N in the source.
// When the plugin is loaded, it gives this function to package live under name.
func (b *Builder) Build(ctx context.Context, src *Source, n int, name string) (string, error) {
	if err := b.need(ctx, src.Imports); err != nil {
		return "", err
	}
	at := func(suffix string) string { return filepath.Join(b.folder, fmt.Sprintf("cell%d%s", n, suffix)) }
	var config strings.Builder
	for _, p := range slices.Sorted(maps.Keys(b.packages)) {
		fmt.Fprintf(&config, "packagefile %s=%s\n", p, b.packages[p])
	}
	cell, stub := at(".a"), at("-main.a")
	fmt.Fprintf(&config, "packagefile %s=%s\n", b.Path, cell)
	plug := b.Path + "/" + fmt.Sprint(n)
	for file, text := range map[string]string{
		at(".go"): src.Text, at(".cfg"): config.String(),
		at("-main.go"): fmt.Sprintf("package main\nimport \"nacre/kernel/internal/live\"\nimport _ %q\n"+
			"import _ \"unsafe\"\n"+
			"//go:linkname cell %s.cell__%d\nfunc cell(*live.Cell)\nfunc init() { live.Load(%q, cell) }\n"+
			"func main() {}\n", b.Path, b.Path, n, name),
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	if err := b.compile(ctx, cell, b.Path, at(".cfg"), at(".go")); err != nil {
		return "", err
	}
	if err := adapt(cell, b.Path, src.Shown); err != nil {
		return "", err
	}
	if err := b.compile(ctx, stub, plug, at(".cfg"), at("-main.go")); err != nil {
		return "", err
	}
	if _, err := b.tool(ctx, "link", "-o", at(".so"), "-importcfg", at(".cfg"), "-buildmode=plugin", "-pluginpath",
		plug, "-s", "-w",
		"-linkmode=external", "-extld=gcc", stub); err != nil {
		return "", err
	}
	if err := showCalled(at(".so"), b.Path, src); err != nil {
		return "", err
	}
	for _, file := range []string{cell, stub, at(".cfg"), at(".go"), at("-main.go")} {
		os.Remove(file)
	}
	return at(".so"), nil
}

// compile compiles a file. If a closure that is inlined appends to a named result, Go 1.26 and 1.27 may keep the new
// elements on the stack and return them so. An option therefore keeps slices of small variable size off the stack.
func (b *Builder) compile(ctx context.Context, out, path, config, file string) error {
	_, err := b.tool(ctx, "compile", "-o", out, "-p", path, "-importcfg", config, "-shared", "-dynlink", "-pack",
		"-c=2", "-lang=go1.26",
		"-d=variablemakehash=n", file)
	return err
}

// tool runs a program of the tool chain.
func (b *Builder) tool(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(b.tools, name), args...)
	cmd.Dir, cmd.Env = b.folder, b.env
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &ToolError{Tool: name, Output: string(out), err: err}
	}
	return out, nil
}

// ToolError is the error of a compiler or linker that fails.
type ToolError struct {
	Tool, Output string
	err          error
}

func (e *ToolError) Error() string {
	return fmt.Sprintf("the Go %sr: %s", strings.TrimSuffix(e.Tool, "r"), strings.TrimSpace(e.Output))
}

func (e *ToolError) Unwrap() error { return e.err }

// objectMagic precedes the fingerprint of a package's exported declarations in its object file.
var objectMagic = []byte("\x00go120ld")

// adapt gives one fingerprint to all parts of the session's package in plugins. The run time refuses a plugin in which
// a package differs from the same package in a loaded plugin, but here it is meant to differ. adapt also gives types
// their names in the cells.
func adapt(file, path string, names map[string]string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	k := bytes.Index(data, objectMagic)
	if k < 0 || k+16 > len(data) {
		return fmt.Errorf("the object file of the cell is not of a form that is known here (%s)", runtime.Version())
	}
	k += len(objectMagic)
	one := append([]byte("cell"), 0, 0, 0, 1)
	data = bytes.ReplaceAll(data, bytes.Clone(data[k:k+8]), one)
	show(data, path, names)
	return os.WriteFile(file, data, 0o600)
}
