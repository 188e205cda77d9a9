//go:build !js

package metaworld

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/sim"
	"nacre/sim/mujoco"
)

func TestMissingScenes(t *testing.T) {
	found, err := Scenes()
	if err != nil || mujoco.Check() != nil {
		t.Skip("there is no Meta-World to take away: run make or nacre setup")
	}
	folder := t.TempDir()
	t.Setenv(folderVariable, folder)
	if _, err := sim.Lookup("ml1/push"); !errors.Is(err, sim.ErrUnavailable) || !strings.Contains(err.Error(), folder) {
		t.Errorf("an empty folder: %v", err)
	}
	inside := filepath.Join(folder, "assets", "sawyer_xyz")
	if err := os.MkdirAll(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := sim.Lookup("ml1/push"); !errors.Is(err, sim.ErrUnavailable) ||
		!strings.Contains(err.Error(), "sawyer_push_v3.xml") {
		t.Errorf("no scene: %v", err)
	}
	text, err := os.ReadFile(filepath.Join(found, "sawyer_push_v3.xml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inside, "sawyer_push_v3.xml"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := sim.Lookup("ml1/push")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.NewBatch(1); err == nil || !strings.Contains(err.Error(), "basic_scene.xml") {
		t.Errorf("no included file: %v", err)
	}
}
