//go:build !js

package metaworld

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"nacre/internal/home"
	"nacre/internal/metaworld2020"
	"nacre/sim"
	"nacre/sim/mujoco"
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
		return "", fmt.Errorf("the scene %s of Meta-World is %w: there is no %s; expected the files of the Python "+
			"package metaworld %s; `nacre setup` puts its own right",
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
		return "", fmt.Errorf("Meta-World is %w: %w: run `nacre setup`, which fetches that one",
			sim.ErrUnavailable, other)
	}
	return "", fmt.Errorf("Meta-World is %w: run `nacre setup`, which fetches its scenes, or set %s to the folder of "+
		"the Python package metaworld %s",
		sim.ErrUnavailable, folderVariable, Version)
}

// folder2020 names the environment variable that says where the scenes of 2020 are.
const folder2020 = "NACRE_METAWORLD_V1"

// scenes2020 returns the folder that holds the scenes of 2020, each file as it was published, or an error that wraps
// sim.ErrUnavailable and says what to do. It compares the files once.
func scenes2020() (string, error) {
	folder := os.Getenv(folder2020)
	remedy := "set " + folder2020 + " to the folder metaworld/envs/assets_v1 of the repository at that commit"
	if folder == "" {
		remedy = "run `nacre setup --metaworld-v1 FOLDER` with your checkout of the repository at that commit"
		for _, place := range home.Places(home.MetaWorld2020) {
			if _, err := os.Stat(place); err == nil {
				folder = place
				break
			}
		}
	}
	if folder == "" {
		return "", fmt.Errorf("Meta-World of 2020 (%s at %s) is %w: %s",
			metaworld2020.Repository, metaworld2020.Commit[:7], sim.ErrUnavailable, remedy)
	}
	checked2020.Lock()
	defer checked2020.Unlock()
	if checked2020.folder == folder {
		return folder, nil
	}
	if err := metaworld2020.Verify(folder); err != nil {
		return "", fmt.Errorf("Meta-World of 2020 (%s at %s) in %s is %w: %w; %s",
			metaworld2020.Repository, metaworld2020.Commit[:7], folder, sim.ErrUnavailable, err, remedy)
	}
	checked2020.folder = folder
	return folder, nil
}

// checked2020 is the last folder whose files were compared and found right.
var checked2020 struct {
	sync.Mutex
	folder string
}

// scenePath2020 returns the model file called name among the scenes of 2020.
func scenePath2020(name string) (string, error) {
	folder, err := scenes2020()
	return filepath.Join(folder, "sawyer_xyz", name+".xml"), err
}

// tune2020 makes MuJoCo 3.3.0 move a scene of 2020 as nearly as 2.1.0 does as is known (docs/metaworld2020.md). The
// weld is at the mocap body's origin, turned by nothing; the classes set no more, and what rotation counts in it is
// fitted. Contacts are found as before MuJoCo 3.2, or two buttons' scenes go out of bounds. Two buttons that slide
// freely, and that friction held, are kept from falling.
func tune2020(m *mujoco.Model, w *row) error {
	m.SetWelds(vec3{}, vec3{}, quat{1, 0, 0, 0}, 5.5)
	m.DisableNativeCCD()
	if w.floating == "" {
		return nil
	}
	body, err := m.Body(w.floating)
	if err == nil {
		m.CompensateGravity(body)
	}
	return err
}
