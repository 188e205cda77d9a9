package tsnebench

import (
	"embed"
	"os"
	"path/filepath"
)

// scripts run the others. A folder with a go.mod could not be embedded, so that of the Go library has another name
// here.
//
//go:embed peer.py peer.mjs gopeer
var scripts embed.FS

// files are where each of them belongs in the folder that Prepare makes.
var files = map[string]string{
	"peer.py": "peer.py", "peer.mjs": "peer.mjs",
	"gopeer/main.go": "gopeer/main.go", "gopeer/mod.txt": "gopeer/go.mod", "gopeer/sum.txt": "gopeer/go.sum",
}

// Prepare puts the scripts into the folder scripts of Home, unless Scripts names a folder that has them.
func (w *Where) Prepare() error {
	if w.Scripts != "" {
		return nil
	}
	w.Scripts = filepath.Join(w.Home, "scripts")
	for from, to := range files {
		text, err := scripts.ReadFile(from)
		if err != nil {
			return err
		}
		target := filepath.Join(w.Scripts, filepath.FromSlash(to))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
