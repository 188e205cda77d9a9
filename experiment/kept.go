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

// KeptFolder holds the weights that Host.Keep keeps, in a run folder: a file as WeightsFile for each number of complete
// iterations.
const KeptFolder = "weights"

func keptFile(iteration int) string {
	return filepath.Join(KeptFolder, fmt.Sprintf("%06d.safetensors", iteration))
}

// Kept are the numbers of complete iterations of which a run folder has weights, in order; 0 is the agent before its
// first update. None is no error.
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

// LoadKept is LoadAgent with the weights after so many iterations, which the run has to have kept. What an agent
// collected (rl.Experienced) is that of the run's last checkpoint.
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

// keep writes the weights as they are where Host.Keep asks for it; last says that no iteration follows.
func (t *Training) keep(last bool) error {
	if t.every <= 0 || !last && t.at.Iteration%t.every != 0 {
		return nil
	}
	if err := os.MkdirAll(t.run.Path(KeptFolder), 0o755); err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	return SaveWeights(t.run.Path(keptFile(t.at.Iteration)), t.Learner.Memory(), t.weightsOf())
}

// StatesFolder holds the checkpoints that Host.KeepState keeps, in a run folder, a file for each number of complete
// iterations.
const StatesFolder = "checkpoints"

func stateFile(iteration int) string {
	return filepath.Join(StatesFolder, fmt.Sprintf("%06d.bin", iteration))
}

// keepState writes a checkpoint of its own of the state as it is where Host.KeepState asks for it.
func (t *Training) keepState() error {
	if t.states <= 0 || t.at.Iteration%t.states != 0 {
		return nil
	}
	if err := os.MkdirAll(t.run.Path(StatesFolder), 0o755); err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	return t.saveTo(t.run.Path(stateFile(t.at.Iteration)))
}
