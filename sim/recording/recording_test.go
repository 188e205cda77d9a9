package recording

import (
	"archive/zip"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"nacre/sim"
	_ "nacre/sim/families"
)

// A recorder gives the trajectories of a pool, to the last bit, and its file gives back the recording.
func TestRecorderAndFile(t *testing.T) {
	for _, name := range []string{"point-goal-sparse", "walker-rand-params"} {
		family, err := sim.Lookup(name)
		if err != nil {
			t.Log(err)
			continue
		}
		train, test, err := family.Tasks(3, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		episodes := []sim.Episode{{Task: train[1], Seed: 7}, {Task: test[0], Seed: 8}}
		policy := sim.RandomPolicy(family, episodes)
		pool, err := sim.NewPool(family, 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		want, err := pool.Rollout(context.Background(), episodes, policy, 0)
		if err != nil {
			t.Fatal(err)
		}
		rec := Recorder{Family: family}
		defer rec.Close()
		got, err := rec.Rollout(context.Background(), episodes, policy, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the recorder's trajectories are not the pool's", name)
		}
		file := filepath.Join(t.TempDir(), "a.npz")
		if err := rec.Recordings[1].Save(file); err != nil {
			t.Fatal(err)
		}
		back, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(*back, rec.Recordings[1]) {
			t.Errorf("%s: the file gives back another recording", name)
		}
		if name == "walker-rand-params" && (len(back.QPos) != len(back.Obs) ||
			!slices.Equal(back.QPos[1][1:], back.Obs[1][:8])) {
			t.Error("the joint positions are not those of the observations")
		}
	}
}

func TestLoadSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	noZip, empty := filepath.Join(dir, "text.npz"), filepath.Join(dir, "empty.npz")
	if err := os.WriteFile(noZip, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(empty)
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.NewWriter(f).Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, file := range []string{noZip, empty, filepath.Join(dir, "absent.npz")} {
		if _, err := Load(file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: error %v", file, err)
		}
	}
	if err := (&Recording{Family: "x"}).Save(filepath.Join(dir, "none.npz")); err == nil {
		t.Error("a recording without steps was written")
	}
}
