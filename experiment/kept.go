package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"nacre/internal/plainfile"
)

// KeptFolder is the folder of a run with the weights that Host.Keep stores. It has one file, in the format of
// WeightsFile, for each number of iterations after which weights are stored.
const KeptFolder = "weights"

func keptFile(iteration int) string {
	return filepath.Join(KeptFolder, fmt.Sprintf("%06d.safetensors", iteration))
}

// Kept lists the numbers of complete iterations for which a run folder has weights, in order; 0 is the agent before its
// first update. If there are no such weights, the list is empty and there is no error.
func Kept(dir string) ([]int, error) {
	run, err := View(dir)
	if err != nil {
		return nil, err
	}
	entries, err := plainfile.ReadDir(run.Path(KeptFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("run folder: %w", err)
	}
	var list []int
	for _, e := range entries {
		if n, err := strconv.Atoi(strings.TrimSuffix(e.Name(), ".safetensors")); err == nil && n >= 0 &&
			filepath.Join(KeptFolder, e.Name()) == keptFile(n) {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, nil
}

// LoadKept is LoadAgent with the weights after a number of iterations, which the run must have stored. The agent's
// collected data (rl.Experienced) are those of the run's last checkpoint.
func LoadKept(dir string, iteration int, host Host) (*Agent, error) {
	kept, err := Kept(dir)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(kept, iteration) {
		return nil, fmt.Errorf("%s keeps no weights after %d iterations; expected one of %v", dir, iteration, kept)
	}
	return loadAgent(dir, keptFile(iteration), host)
}

// keep stores the current weights if Host.Keep asks for it; last says that no iteration follows.
func (t *Training) keep(last bool) error {
	if t.every <= 0 || !last && t.at.Iteration%t.every != 0 {
		return nil
	}
	if err := os.MkdirAll(t.run.Path(KeptFolder), 0o755); err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	return SaveWeights(t.run.Path(keptFile(t.at.Iteration)), t.Learner.Memory(), t.weightsOf())
}

// StatesFolder is the folder of a run with the checkpoints that Host.KeepState stores, one file for each stored number
// of complete iterations.
const StatesFolder = "checkpoints"

func stateFile(iteration int) string {
	return filepath.Join(StatesFolder, fmt.Sprintf("%06d.bin", iteration))
}

// states lists the kept checkpoints, the newest first. If the run was pruned it lists none: it is not trained further.
func (r *Run) states() (names []string) {
	if r.prunedAway() != "" {
		return nil
	}
	entries, err := plainfile.ReadDir(r.Path(StatesFolder))
	if err != nil { // no such folder
		return nil
	}
	for _, e := range slices.Backward(entries) {
		if n, err := strconv.Atoi(strings.TrimSuffix(e.Name(), ".bin")); err == nil && n >= 0 &&
			filepath.Join(StatesFolder, e.Name()) == stateFile(n) {
			names = append(names, stateFile(n))
		}
	}
	return names
}

// keepState writes a separate checkpoint of the current state if Host.KeepState asks for it.
func (t *Training) keepState() error {
	if t.states <= 0 || t.at.Iteration%t.states != 0 {
		return nil
	}
	if err := os.MkdirAll(t.run.Path(StatesFolder), 0o755); err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	return t.saveTo(t.run.Path(stateFile(t.at.Iteration)))
}
