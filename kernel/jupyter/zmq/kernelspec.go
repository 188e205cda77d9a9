package zmq

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Spec is a kernelspec, the file by which Jupyter finds a kernel.
type Spec struct {
	Argv            []string       `json:"argv"`
	DisplayName     string         `json:"display_name"`
	Language        string         `json:"language"`
	InterruptMode   string         `json:"interrupt_mode"`
	ProtocolVersion string         `json:"kernel_protocol_version"`
	Metadata        map[string]any `json:"metadata"`
}

// SpecDir is the folder of kernelspecs: in Jupyter's data folder of this user, or under an installation prefix such as
// that of a Python environment.
func SpecDir(prefix string) (string, error) {
	if prefix != "" {
		return filepath.Join(prefix, "share", "jupyter", "kernels"), nil
	}
	if dir := os.Getenv("JUPYTER_DATA_DIR"); dir != "" {
		return filepath.Join(dir, "kernels"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Jupyter", "kernels"), nil
	case "windows":
		return filepath.Join(os.Getenv("APPDATA"), "jupyter", "kernels"), nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "jupyter", "kernels"), nil
	}
	return filepath.Join(home, ".local", "share", "jupyter", "kernels"), nil
}

// Install writes a kernelspec under a name into a folder from SpecDir, over an earlier one, and returns its file.
func Install(dir, name string, s Spec) (string, error) {
	s.InterruptMode, s.ProtocolVersion = "message", "5.5"
	if s.Metadata == nil {
		s.Metadata = map[string]any{"debugger": false}
	}
	folder := filepath.Join(dir, name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("install the kernelspec: %w", err)
	}
	b, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, "kernel.json")
	if err := os.WriteFile(file, append(b, '\n'), 0o644); err != nil {
		return "", fmt.Errorf("install the kernelspec: %w", err)
	}
	return file, nil
}
