package sweep

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"nacre/experiment"
	"nacre/internal/atomicfile"
)

// ResultsFile is the file into which nacre sweep collect writes its table.
const ResultsFile = "results.csv"

// resultColumns of ResultsFile. Returns and success are of the test tasks at the end of training, with 95 % intervals
// over tasks.
var resultColumns = []string{"run", "family", "system", "algorithm", "seed", "state", "iterations", "env_steps",
	"updates", "seconds",
	"attempts", "adapted_return", "return_lo", "return_hi", "adapted_success", "test_tasks", "trajectories_explored"}

// Collect writes one row for each run to path, and one row for each finished run of Others. Values that a run does not
// have yet are empty.
func (f *Folder) Collect(path string, status []RunStatus) error {
	others, err := f.OtherStatus()
	if err != nil {
		return err
	}
	others = slices.DeleteFunc(others, func(s RunStatus) bool { return s.State != Finished })
	rows := [][]string{resultColumns}
	for _, s := range slices.Concat(status, others) {
		row, err := s.row()
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		rows = append(rows, row)
	}
	return atomicfile.Write(path, func(w io.Writer) error { return csv.NewWriter(w).WriteAll(rows) })
}

func (s RunStatus) row() ([]string, error) {
	row := []string{s.Name, s.Family, s.System, s.Config.Algorithm, strconv.FormatUint(s.Seed, 10), string(s.State),
		strconv.Itoa(s.Iterations),
		strconv.FormatInt(s.EnvSteps, 10), strconv.FormatInt(s.Updates, 10), strconv.FormatFloat(s.Seconds, 'f', 1, 64),
		strconv.Itoa(s.Attempt.Number)}
	if s.State != Finished {
		return append(row, make([]string, len(resultColumns)-len(row))...), nil
	}
	run, err := experiment.View(s.Dir)
	if err != nil {
		return nil, err
	}
	result, err := run.ReadEvaluation()
	if err != nil {
		return nil, err
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	a := result.Summary.Adapted
	ends := []string{"", ""}
	if a.Known() {
		ends = []string{number(a.Lo), number(a.Hi)}
	}
	return append(row, number(a.Mean), ends[0], ends[1], number(result.Summary.AdaptedSuccess.Mean),
		strconv.Itoa(len(result.Tasks)),
		strconv.Itoa(result.Protocol.Explore)), nil
}
