package tsnebench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"nacre/internal/python"
)

// What pip and npm are asked for.
var (
	pythonPackages = []string{"numpy==2.4.6", "scikit-learn==1.9.1", "openTSNE==1.0.4", "umap-learn==0.5.12"}
	nodePackage    = "wasm-bhtsne@1.2.5"
)

func (w Where) python() string {
	if w.Python != "" {
		return w.Python
	}
	return filepath.Join(w.Home, "venv", "bin", "python")
}

func (w Where) modules() string {
	if w.Modules != "" {
		return w.Modules
	}
	return filepath.Join(w.Home, "node_modules")
}

// lackingInPython says why a module cannot be imported. Where no interpreter was named it first makes a virtual
// environment with the Python libraries.
func (w Where) lackingInPython(ctx context.Context, module string) string {
	try := func() string { return lacking(exec.CommandContext(ctx, w.python(), "-c", "import numpy, "+module)) }
	absent := try()
	if absent == "" || w.Python != "" {
		return absent
	}
	if err := w.environment(ctx); err != nil {
		return err.Error()
	}
	return try()
}

// environment makes it with venv and pip, or with uv where Python has no venv, as on Debian, or no pip.
func (w Where) environment(ctx context.Context) error {
	p, err := python.Find()
	if err != nil {
		return err
	}
	venv := filepath.Join(w.Home, "venv")
	failed := run(ctx, p.Path, "-m", "venv", venv)
	if failed == nil {
		if failed = run(ctx, w.python(),
			append([]string{"-m", "pip", "install", "--quiet"}, pythonPackages...)...); failed == nil {
			return nil
		}
		failed = fmt.Errorf("pip: %w", failed)
	} else {
		failed = fmt.Errorf("needs Python 3 with venv, or uv: %s: %w", p, failed)
	}
	if _, err := exec.LookPath("uv"); err != nil {
		return failed
	}
	if err := run(ctx, "uv", "venv", "--quiet", "--allow-existing", "--python", p.Path, venv); err != nil {
		return fmt.Errorf("uv: %w", err)
	}
	if err := run(ctx, "uv", append([]string{"pip", "install", "--quiet", "--python", w.python()},
		pythonPackages...)...); err != nil {
		return fmt.Errorf("uv: %w", err)
	}
	return nil
}

// lackingInNode is the same for wasm-bhtsne.
func (w Where) lackingInNode(ctx context.Context) string {
	if absent := lacking(exec.CommandContext(ctx, w.Node, "--version")); absent != "" {
		return "needs Node 18 or newer: " + absent
	}
	there := filepath.Join(w.modules(), "wasm-bhtsne", "package.json")
	if _, err := os.Stat(there); err == nil || w.Modules != "" {
		if err != nil {
			return err.Error()
		}
		return ""
	}
	if err := os.MkdirAll(w.Home, 0o755); err != nil {
		return err.Error()
	}
	if err := run(ctx, "npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", w.Home,
		nodePackage); err != nil {
		return fmt.Sprintf("npm: %v", err)
	}
	return ""
}

// run is a command of which only the last line matters, and only where it fails.
func run(ctx context.Context, name string, args ...string) error {
	if absent := lacking(exec.CommandContext(ctx, name, args...)); absent != "" {
		return errors.New(absent)
	}
	return nil
}
