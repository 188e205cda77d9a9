package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"nacre/core/cpu"
	"nacre/experiment"
	"nacre/experiment/progress"
	"nacre/experiment/sweep"
	"nacre/internal/atomicfile"
	"nacre/internal/safetensors"
	"nacre/internal/version"
	"nacre/rl/weights"
)

// fingerprint holds what a run's figures depend on besides its configuration: the kernel of the processor, and the bits
// that a short run of the same settings comes to, which another version changes if it changes figures.
type fingerprint struct {
	Kernel string `json:"cpu_kernel"`
	Bits   string `json:"bits"`
	Commit string `json:"commit"` // that computed the bits; not compared
}

func (p fingerprint) same(q fingerprint) bool { return p.Kernel == q.Kernel && p.Bits == q.Bits }

func (p fingerprint) String() string {
	return fmt.Sprintf("%s, bits %.8s, commit %s", p.Kernel, p.Bits, p.Commit)
}

// fingerprints knows those of this program on this processor, by configuration.
type fingerprints struct {
	dir     string // where they are kept, one file for each program, kernel and configuration
	program string // hash of this program's file
}

func newFingerprints(dir string) (*fingerprints, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	return &fingerprints{dir: dir, program: hex.EncodeToString(h.Sum(nil))}, os.MkdirAll(dir, 0o755)
}

// of makes the short run, unless this program has made it before.
func (f *fingerprints) of(ctx context.Context, cfg experiment.Config) (fingerprint, error) {
	p := fingerprint{Kernel: cpu.KernelName(), Commit: version.Get().Commit}
	text, err := json.Marshal(cfg)
	if err != nil {
		return p, err
	}
	settings, err := cfg.Settings()
	if err != nil {
		return p, err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %s %v", f.program, p.Kernel, text, settings))
	file := filepath.Join(f.dir, hex.EncodeToString(sum[:8])+".json")
	if err := readJSON(file, &p); err != nil || p.Bits != "" {
		return p, err
	}
	dir, err := os.MkdirTemp("", "nacre-evidence-")
	if err != nil {
		return p, err
	}
	defer os.RemoveAll(dir)
	t, err := experiment.Start(filepath.Join(dir, "run"), cfg, experiment.Host{Workers: 1})
	if err != nil {
		return p, err
	}
	if err := errors.Join(t.Train(ctx, progress.Silent()), t.Close()); err != nil {
		return p, err
	}
	h := sha256.New()
	metrics, err := os.ReadFile(filepath.Join(dir, "run", experiment.MetricsFile))
	if err != nil {
		return p, err
	}
	h.Write(metrics)
	networks, err := experiment.ReadWeights(filepath.Join(dir, "run", experiment.WeightsFile))
	if err != nil {
		return p, err
	}
	delete(networks.Metadata, weights.Key) // a description changes no figures
	if err := safetensors.Write(h, networks.Tensors, networks.Metadata); err != nil {
		return p, err
	}
	p.Bits = hex.EncodeToString(h.Sum(nil)[:8])
	return p, atomicfile.WriteJSON(file, p)
}

// begun is the file of the fingerprint under which a run was begun.
func begun(f *sweep.Folder, r sweep.Run) string { return filepath.Join(f.Dir, "begun", r.Name+".json") }

// settle says of every run under which fingerprint it is: that of those not begun is now's; one that is under way under
// another is begun anew, and one that is finished under another is kept and said.
func settle(f *sweep.Folder, r sweep.RunStatus, now fingerprint, say func(string)) error {
	var was fingerprint
	file := begun(f, r.Run)
	if err := readJSON(file, &was); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	switch {
	case r.State == sweep.Waiting || was.same(now):
	case r.State == sweep.Finished:
		say(fmt.Sprintf("%s: finished under another fingerprint (%v; now %v): it is not averaged with those of now",
			r.Name, was, now))
		return nil
	case r.State == sweep.Running:
		return fmt.Errorf("%s is being written by process %d on %s: end that first", r.Name, r.Attempt.PID,
			r.Attempt.Host)
	default:
		say(fmt.Sprintf("%s: begun anew at %.0f %%, since it was begun under another fingerprint (%v; now %v)", r.Name,
			100*r.Share, was, now))
		if err := os.RemoveAll(r.Dir); err != nil {
			return err
		}
	}
	if was.same(now) {
		return nil
	}
	return atomicfile.WriteJSON(file, now)
}

// readJSON reads a file into v, which stays as it is if there is none.
func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w: remove it, and it is made again", path, err)
	}
	return nil
}
