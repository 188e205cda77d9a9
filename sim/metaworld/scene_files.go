//go:build !js

package metaworld

import (
	"fmt"
	"os"
	"path/filepath"

	"nacre/internal/home"
	"nacre/sim"
)

// folderVariable names the environment variable that says where Meta-World is.
const folderVariable = "NACRE_METAWORLD"

// scenePath returns the model file called name.
func scenePath(name string) (string, error) {
	folder, err := Scenes()
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, name+".xml")
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("the scene %s of Meta-World is %w: there is no %s; expected the files of the Python package metaworld %s; `nacre setup` puts its own right",
			name, sim.ErrUnavailable, path, Version)
	}
	return path, nil
}

// Scenes returns the folder that holds the scenes, or an error that wraps sim.ErrUnavailable and says what to do.
func Scenes() (string, error) {
	inside := filepath.Join("assets", "sawyer_xyz")
	isFolder := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.IsDir()
	}
	if folder := os.Getenv(folderVariable); folder != "" {
		if path := filepath.Join(folder, inside); isFolder(path) {
			return path, nil
		}
		return "", fmt.Errorf("Meta-World is %w: %s is %s, where there is no folder %s",
			sim.ErrUnavailable, folderVariable, folder, inside)
	}
	for _, path := range home.Places(home.MetaWorld, inside) {
		if isFolder(path) {
			return path, nil
		}
	}
	folder, other := home.InPython("metaworld", Version)
	if path := filepath.Join(folder, inside); folder != "" && isFolder(path) {
		return path, nil
	}
	if other != nil {
		return "", fmt.Errorf("Meta-World is %w: %w: run `nacre setup`, which fetches that one", sim.ErrUnavailable, other)
	}
	return "", fmt.Errorf("Meta-World is %w: run `nacre setup`, which fetches its scenes, or set %s to the folder of the Python package metaworld %s",
		sim.ErrUnavailable, folderVariable, Version)
}
