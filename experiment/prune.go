package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"nacre/experiment/checkpoint"
	"nacre/internal/atomicfile"
	"nacre/internal/plainfile"
	"nacre/internal/shell"
	"nacre/rl"
)

// PrunedFile says when Prune removed files from a run folder, and which.
const PrunedFile = "pruned.json"

// Spare counts the bytes of a finished run that are needed only for further training.
type Spare struct {
	Checkpoint int64 `json:"checkpoint"` // bytes of the last checkpoint
	Previous   int64 `json:"previous"`   // bytes of the checkpoint before it
	Replay     int64 `json:"replay"`     // bytes of the collected data in the last checkpoint
	// bytes of checkpoints that --keep-checkpoints stored for branches; Prune leaves them
	States int64 `json:"states"`
	// Needed says why the last checkpoint must stay; it is empty if the checkpoint may be removed.
	Needed string `json:"needed,omitempty"`
}

// Bytes returns how many bytes Prune removes.
func (s Spare) Bytes() int64 {
	if s.Needed != "" {
		return s.Previous
	}
	return s.Checkpoint + s.Previous
}

// pruned is the content of PrunedFile.
type pruned struct {
	At      time.Time        `json:"at"`
	Removed map[string]int64 `json:"removed"` // bytes of each removed file
}

// ErrUnfinished reports an unfinished run, which Prune does not touch.
var ErrUnfinished = errors.New("it is not finished")

// keptStates returns the bytes of the checkpoints in StatesFolder.
func (r *Run) keptStates() (n int64) {
	entries, err := plainfile.ReadDir(r.Path(StatesFolder))
	if err != nil { // no such folder
		return 0
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
	}
	return n
}

// Spare measures the files that the run needs only for further training. For an unfinished run the error is
// ErrUnfinished.
func (r *Run) Spare() (s Spare, err error) {
	if _, err := r.ReadEvaluation(); errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("run folder %s: %w", r.Dir, ErrUnfinished)
	} else if err != nil {
		return s, err
	}
	cfg := Default()
	if _, err := r.ReadConfig(&cfg); err != nil {
		return s, err
	}
	if standing, err := r.Standing(cfg); err != nil {
		return s, err
	} else if standing.Damage != "" {
		return s, fmt.Errorf("run folder %s: %s", r.Dir, standing.Damage)
	}
	for name, to := range map[string]*int64{CheckpointFile: &s.Checkpoint, PreviousCheckpointFile: &s.Previous} {
		if info, err := os.Lstat(r.Path(name)); err == nil && info.Mode().IsRegular() {
			*to = info.Size()
		}
	}
	s.States = r.keptStates()
	if s.Checkpoint == 0 {
		return s, nil
	}
	// a damaged checkpoint is not split into parts
	if sizes, err := checkpoint.Sizes(r.Path(CheckpointFile)); err == nil {
		for name, n := range sizes {
			if collected(name) {
				s.Replay += n
			}
		}
	}
	algorithm, err := rl.Lookup(cfg.Algorithm)
	if err != nil {
		return s, err
	}
	if algorithm.Remembers {
		s.Needed = algorithm.Title + " adapts with what it collected"
	}
	return s, nil
}

// collected reports whether a section of a checkpoint holds transitions.
func collected(section string) bool {
	first, _, _ := strings.Cut(section, "/")
	return slices.Contains([]string{"replay", "recent", "ahead", "trials", "batch", "batches"}, first)
}

// Prune removes from the finished run in dir the files that are needed only for further training. It writes into
// PrunedFile what it removed and when. If the checkpoint is among these files, Resume returns an error that says so.
// Weights, metrics, configuration and evaluation stay, and so does the checkpoint of an algorithm whose adaptation
// needs it. A run that is not Intact is left alone. The error is ErrLocked while another process has the run.
func Prune(dir string) (s Spare, err error) {
	r, err := Open(dir)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if s, err = r.Spare(); err != nil || s.Bytes() == 0 {
		return s, err
	}
	if err := r.Intact(); err != nil {
		return s, err
	}
	p, err := r.pruned()
	if err != nil {
		return s, err
	}
	if p == nil {
		p = &pruned{Removed: map[string]int64{}}
	}
	p.At = time.Now().UTC().Truncate(time.Second)
	remove := []string{PreviousCheckpointFile}
	if s.Previous > 0 {
		p.Removed[PreviousCheckpointFile] = s.Previous
	}
	if s.Needed == "" {
		remove = append(remove, CheckpointFile)
		p.Removed[CheckpointFile] = s.Checkpoint
	}
	// noted first: what is removed must be on record
	if err := atomicfile.WriteJSON(r.Path(PrunedFile), p); err != nil {
		return s, err
	}
	return s, r.Remove(remove...)
}

// Intact returns an error that names the first file of the run which Verify does not find whole. Event files do not
// count, because no checkpoint makes them again.
func (r *Run) Intact() error {
	found, err := Verify(r.Dir)
	if err != nil {
		return err
	}
	for _, f := range found {
		switch {
		case f.State == Whole || strings.HasPrefix(f.File, "events.out.tfevents."):
		case f.Remade:
			return fmt.Errorf("run folder %s: %s is %s, and its checkpoint repairs that: %s", shell.Line(r.Dir), f.File,
				f.State, shell.Command("nacre", "resume", shell.Path(r.Dir)))
		default:
			return fmt.Errorf("run folder %s: %s is %s: %s says more", shell.Line(r.Dir), f.File, f.State,
				shell.Command("nacre", "verify", "run", shell.Path(r.Dir)))
		}
	}
	return nil
}

// pruned returns what Prune noted, or nil if the run was not pruned.
func (r *Run) pruned() (*pruned, error) {
	text, err := plainfile.Read(r.Path(PrunedFile), 1<<16)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("run folder: %w", err)
	}
	p := &pruned{}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("run folder: %s: %w", r.Path(PrunedFile), err)
	}
	if p.Removed == nil {
		p.Removed = map[string]int64{}
	}
	return p, nil
}

// prunedAway says what Prune removed and when, as the end of a sentence. It is empty if the run was not pruned.
func (r *Run) prunedAway() string {
	p, err := r.pruned()
	if err != nil || p == nil || len(p.Removed) == 0 {
		return ""
	}
	return fmt.Sprintf("; \"nacre runs --prune\" removed %s on %s",
		strings.Join(slices.Sorted(maps.Keys(p.Removed)), " and "), p.At.Format(time.DateOnly))
}

// lacksCheckpoint is the error of a run that has results but no checkpoint.
func (r *Run) lacksCheckpoint(results string) error {
	if p, err := r.pruned(); err == nil && p != nil && p.Removed[CheckpointFile] > 0 {
		return fmt.Errorf("\"nacre runs --prune\" removed %s on %s", CheckpointFile, p.At.Format(time.DateOnly))
	}
	return fmt.Errorf("%s is missing, and the run has %s", CheckpointFile, results)
}
