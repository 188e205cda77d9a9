package metaworld

import (
	"archive/zip"
	"context"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npy"
	"gonum.org/v1/gonum/floats"

	"nacre/internal/numpy"
	"nacre/sim"
)

// dump is what Meta-World's scripted policies did (testdata/scripts.py): F families, S observations, K tasks.
type dump struct {
	names          []string
	hidden         []bool
	obs, goal, act [][][]float64 // F×S×18, 3 and 4
	success        [][][]float64 // F×2×K: told and blind
	returns        [][][]float64
}

func readDump(t *testing.T) dump {
	t.Helper()
	archive, err := zip.OpenReader("testdata/scripts.npz")
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	arrays, shapes := map[string][]float64{}, map[string][]int{}
	for _, f := range archive.File {
		file, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(file)
		if err != nil {
			t.Fatal(err)
		}
		r, _, n, err := numpy.Open(raw)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(f.Name, ".npy")
		shapes[name], arrays[name] = r.Header.Descr.Shape, make([]float64, n)
		switch kind := r.Header.Descr.Type; kind[len(kind)-2:] {
		case "f8":
			v := make([]float64, n)
			err = r.Read(&v)
			arrays[name] = v
		case "u1":
			err = widen(r, make([]uint8, n), arrays[name])
		case "i8":
			err = widen(r, make([]int64, n), arrays[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cube := func(name string) [][][]float64 {
		s := shapes[name]
		var out [][][]float64
		for i := range s[0] {
			var rows [][]float64
			for j := range s[1] {
				rows = append(rows, arrays[name][(i*s[1]+j)*s[2]:][:s[2]])
			}
			out = append(out, rows)
		}
		return out
	}
	d := dump{obs: cube("obs"), goal: cube("goal"), act: cube("act"), success: cube("success"),
		returns: cube("returns")}
	width := shapes["names"][1]
	for i, hidden := range arrays["hidden"] {
		var name strings.Builder
		for _, c := range arrays["names"][i*width:][:width] {
			if c != 0 {
				name.WriteByte(byte(c))
			}
		}
		d.names, d.hidden = append(d.names, name.String()), append(d.hidden, hidden == 1)
	}
	return d
}

func widen[T uint8 | int64](r *npy.Reader, v []T, to []float64) error {
	err := r.Read(&v)
	for i := range v {
		to[i] = float64(v[i])
	}
	return err
}

// For every observation of an episode of each of the fifty families the controller does what the policy of the Python
// package did, and what it believes of the goal is the package's. This needs no physics.
func TestScripts(t *testing.T) {
	d := readDump(t)
	if len(d.names) != 50 || len(scripts) != 50 {
		t.Fatalf("%d families in the dump and %d scripts; expected 50", len(d.names), len(scripts))
	}
	for i, name := range d.names {
		f := familyCalled(t, "ml1/"+name)
		_, test, err := f.Tasks(0, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		obs, act := make([]float64, obsDim), make([]float64, actDim)
		differ := 0
		for k, now := range d.obs[i] {
			copy(obs, now)
			f.Act(test[0], obs, act)
			if floats.Distance(act, d.act[i][k], math.Inf(1)) > 1e-6 {
				if differ++; differ == 1 {
					t.Errorf("%s, step %d: action %v; the package has %v", name, 5*k, act, d.act[i][k])
				}
			}
		}
		if _, blind := f.Blind().(blind); blind != d.hidden[i] {
			t.Errorf("%s: told apart from the blind controller: %v; the package hides a goal that its policy reads: %v",
				name, blind, d.hidden[i])
		}
	}
}

// With the physics of the dump, the first episode of each family ends as the package's does, told and blind.
func TestScriptedEpisodes(t *testing.T) {
	d := readDump(t)
	for i, name := range d.names {
		if testing.Short() && i%5 != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			f := lookup(t, "ml1/"+name)
			_, test, err := f.Tasks(0, 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			pool, err := sim.NewPool(f, 1, 1)
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			episodes := []sim.Episode{{Task: test[0], Seed: 1}}
			told, err := sim.GoalPolicy(f, episodes)
			if err != nil {
				t.Fatal(err)
			}
			blind, err := sim.BlindPolicy(f, episodes)
			if err != nil {
				t.Fatal(err)
			}
			for k, p := range []sim.Policy{told, blind} {
				if k == 1 && !d.hidden[i] {
					continue
				}
				out, err := pool.Rollout(context.Background(), episodes, p, 0)
				if err != nil {
					t.Fatal(err)
				}
				success, want := out[0].Success, d.success[i][k][0] == 1
				if returned := d.returns[i][k][0]; success != want ||
					math.Abs(out[0].Return-returned) > 1e-9*(1+math.Abs(returned)) {
					t.Errorf("controller %d: return %v, success %v; the package's %v, %v", k, out[0].Return, success,
						returned, want)
				}
			}
		})
	}
}
