package controls

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/sim/mujoco"
)

var writeXML = flag.String("write-xml", "", "write the MJCF of all models into this folder")

func TestModelText(t *testing.T) {
	for _, c := range []struct {
		name                          string
		text                          string
		bodies, joints, motors, geoms int
		sizes                         mujoco.Sizes
	}{
		{"HalfCheetah", HalfCheetahXML(), 7, 9, 6, 9, mujoco.Sizes{NQ: 9, NV: 9, NU: 6, NBody: 8, NGeom: 9,
			Timestep: 0.01}},
		{"Ant", AntXML(), 13, 9, 8, 14, mujoco.Sizes{NQ: 15, NV: 14, NU: 8, NBody: 14, NGeom: 14, Timestep: 0.01}},
		{"Humanoid", HumanoidXML(), 13, 18, 17, 18, mujoco.Sizes{NQ: 24, NV: 23, NU: 17, NBody: 14, NGeom: 18,
			Timestep: 0.003}},
		{"Walker", WalkerXML(), 7, 9, 6, 8, mujoco.Sizes{NQ: 9, NV: 9, NU: 6, NBody: 8, NGeom: 8, Timestep: 0.004}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for what, want := range map[string]int{"<body ": c.bodies, "<joint ": c.joints, "<motor ": c.motors,
				"<geom name": c.geoms} {
				if got := strings.Count(c.text, what); got != want {
					t.Errorf("%d of %q, expected %d", got, what, want)
				}
			}
			if *writeXML != "" {
				if err := os.WriteFile(filepath.Join(*writeXML, c.name+".xml"), []byte(c.text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			needMuJoCo(t)
			m, err := mujoco.LoadXML(c.text)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			if s := m.Sizes(); s != c.sizes {
				t.Errorf("sizes %+v", s)
			}
		})
	}
}
