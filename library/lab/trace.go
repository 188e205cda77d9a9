package lab

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"nacre/experiment"
	"nacre/internal/usage"
)

// trace is what a run's tables hold, as far as they were read.
type trace struct {
	metrics, timing *experiment.Follower
	columns         map[string][]float64 // of the metrics
	seconds         []float64            // time of each iteration
}

func newTrace(dir string) *trace {
	return &trace{experiment.Follow(filepath.Join(dir, experiment.MetricsFile)),
		experiment.Follow(filepath.Join(dir, experiment.TimingFile)), map[string][]float64{}, nil}
}

// read reads what was added, and reports whether anything was. What cannot be read is left: the training reports it.
func (t *trace) read() bool {
	rows, again, err := t.metrics.Read()
	if err != nil {
		return false
	}
	if again {
		clear(t.columns)
	}
	for _, row := range rows {
		for i, name := range t.metrics.Columns {
			t.columns[name] = append(t.columns[name], row[i])
		}
	}
	times, restarted, err := t.timing.Read()
	if err != nil {
		return len(rows) > 0
	}
	if restarted {
		t.seconds = nil
	}
	for _, row := range times {
		var sum float64
		for i, name := range t.timing.Columns {
			if slices.Contains([]string{"collect_s", "update_s", "evaluate_s"}, name) && !math.IsNaN(row[i]) {
				sum += row[i]
			}
		}
		t.seconds = append(t.seconds, sum)
	}
	return len(rows)+len(times) > 0
}

// panel is what is drawn small below the returns: the first of several columns that a run has.
type panel struct {
	title   string
	columns []string
}

// panels are drawn in this order. The last has no column.
var panels = []panel{
	{"loss of the critic", []string{"q_loss", "loss"}},
	{"loss of the policy", []string{"policy_loss"}},
	{"contrastive accuracy", []string{"tcl_accuracy", "infonce_accuracy", "classifier_accuracy"}},
	{"KL of the posterior", []string{"kl"}},
	{"temperature", []string{"alpha"}},
	{"steps per second", nil},
}

// values are a run's values in a panel, one for each of its first iterations; nil if it has none.
func (p panel) values(t *trace) []float64 {
	for _, name := range p.columns {
		if y := t.columns[name]; y != nil {
			return y
		}
	}
	steps := t.columns["env_steps"]
	if p.columns != nil || len(steps) == 0 {
		return nil
	}
	rates := make([]float64, min(len(steps), len(t.seconds)))
	before := 0.0
	for i := range rates {
		if rates[i] = (steps[i] - before) / t.seconds[i]; t.seconds[i] == 0 {
			rates[i] = math.NaN()
		}
		before = steps[i]
	}
	return rates
}

// resources says now and then what the process of a training uses.
type resources struct {
	at   time.Time
	cpu  float64
	text string
}

// now is a sentence's part about processor, memory and the folder of the run, not older than a second.
func (r *resources) now(dir string) string {
	now := time.Now()
	span := now.Sub(r.at)
	if span < time.Second {
		return r.text
	}
	cpu := usage.CPU()
	var parts []string
	if !r.at.IsZero() && cpu > r.cpu {
		parts = append(parts, fmt.Sprintf("%.1f of %d cores", (cpu-r.cpu)/span.Seconds(), runtime.NumCPU()))
	}
	parts = append(parts, "memory "+size(usage.Memory()))
	if files, err := os.ReadDir(dir); err == nil {
		var sum int64
		for _, f := range files {
			if info, err := f.Info(); err == nil && info.Mode().IsRegular() {
				sum += info.Size()
			}
		}
		parts = append(parts, "disk "+size(sum))
	}
	r.at, r.cpu, r.text = now, cpu, strings.Join(parts, ", ")
	return r.text
}

// size is a number of bytes in few characters.
func size(n int64) string {
	if n < 1e6 {
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	}
	if n < 1e9 {
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
