package fetch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"nacre/internal/home"
)

// Include is the folder of MuJoCo's headers for a build: that of the part in dir, that of the package which the chosen
// Python has installed, or the system's if they have the version that the program is written for. systems are prefixes
// such as /usr.
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
