package fetch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"nacre/internal/home"
)

// Include returns the folder of MuJoCo's headers for a build. It looks in dir, then in the package mujoco of the chosen
// Python, then below each prefix in systems, such as /usr. It returns the first folder whose headers have the version
// that the program is written for.
func Include(dir string, systems ...string) (string, error) {
	var other error
	places := []string{filepath.Join(dir, home.MuJoCo, "include")}
	if folder, _ := home.InPython("mujoco", home.MuJoCoVersion); folder != "" {
		places = append(places, filepath.Join(folder, "include"))
	}
	for _, prefix := range systems {
		places = append(places, filepath.Join(prefix, "include"))
	}
	for _, include := range places {
		text, err := os.ReadFile(filepath.Join(include, "mujoco", "mujoco.h"))
		if err != nil {
			continue
		}
		if v := headerVersion.FindStringSubmatch(string(text)); v != nil && v[1]+"."+v[2]+"."+
			v[3] == home.MuJoCoVersion {
			return include, nil
		}
		other = errors.Join(other, fmt.Errorf("the headers in %s are not those of MuJoCo %s", include,
			home.MuJoCoVersion))
	}
	if other != nil {
		return "", other
	}
	return "", errors.New("there are no headers of MuJoCo")
}

var headerVersion = regexp.MustCompile(`#define\s+mjVERSION_HEADER\s+(\d)(\d)(\d)\s`)
