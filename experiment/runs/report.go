package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"nacre/analysis/plots"
	"nacre/experiment"
	"nacre/experiment/study"
	"nacre/internal/plainfile"
	"nacre/sim"
	"nacre/tsne"
)

// These files of a run folder belong to its report. TSNEFile has the numbers of nacre tsne; its picture lies beside it.
const (
	LearningFile = "learning.png" // name of the picture in the text of a report
	TSNEFile     = "tsne.json"
	tsnePicture  = "tsne.png"
)

// These are the limits for files that a report shows, in bytes: the numbers of a layout, and any other file.
const (
	maxTSNE    = 64 << 20
	maxPicture = 64 << 20
)

// Report describes a run in Markdown. The result learning is the picture that the text calls LearningFile. The text may
// also show the picture of the embedding, which lies in the run folder. If nothing is trained yet, the error wraps
// ErrUntrained.
func Report(dir string) (text string, learning []byte, err error) {
	run, err := experiment.View(dir)
	if err != nil {
		return "", nil, err
	}
	cfg := experiment.Default()
	record, err := run.ReadConfig(&cfg)
	if err != nil {
		return "", nil, err
	}
	metrics, err := experiment.ReadMetrics(run.Path(experiment.MetricsFile))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(metrics.Rows) == 0 {
		return "", nil, fmt.Errorf("%s: %w", dir, ErrUntrained)
	} else if err != nil {
		return "", nil, err
	}
	watch := run.Watch(cfg)
	standing, err := watch.Standing()
	if err != nil {
		return "", nil, err
	}
	evaluations, _, notes, err := run.Evaluations(cfg)
	if err != nil {
		return "", nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nSeed %d: %d environment steps, %d gradient updates in %d iterations", title(cfg), cfg.Seed,
		standing.EnvSteps, standing.Updates, standing.Iterations)
	if n := len(record.Sessions); n > 0 && record.Sessions[n-1].Device != "" {
		fmt.Fprintf(&b, " on %s", record.Sessions[n-1].Device)
	}
	if b.WriteString(".\n"); standing.Damage != "" {
		fmt.Fprintf(&b, "**The run is damaged:** %s.\n", standing.Damage)
	} else if !standing.Finished {
		fmt.Fprintf(&b, "The training has not ended: this is after %.0f %% of it.\n", 100*standing.Share)
		if idle, err := run.Idle(); err == nil && idle {
			if why, failed := record.WhyEnded(); failed {
				fmt.Fprintf(&b, "Its last process failed:\n\n%s", indented(why))
			} else if why != "" {
				fmt.Fprintf(&b, "Its last process was %s.\n", why)
			}
		}
	}
	noteSection(&b, dir)
	if err := adaptationSection(&b, run, cfg, standing.Finished); err != nil {
		return "", nil, err
	}
	b.WriteString("\n## Learning\n\n![return after adaptation over training](" + LearningFile +
		")\n\n")
	for _, n := range notes {
		fmt.Fprintf(&b, "Note: %s.\n\n", n)
	}
	b.WriteString("| metric | last value |\n|---|---|\n")
	for _, column := range metrics.Columns {
		if v, ok := watch.Latest[column]; ok {
			fmt.Fprintf(&b, "| %s | %.6g |\n", column, v)
		}
	}
	if err := embeddingSection(&b, dir); err != nil {
		return "", nil, err
	}
	sessionsSection(&b, record)
	config, err := plainfile.Read(run.Path(experiment.ConfigFile), maxPicture)
	if err != nil {
		return "", nil, err
	}
	settings, _, _ := strings.Cut(string(config), "\n[record]")
	fmt.Fprintf(&b, "\n## Configuration\n\nWith `nacre train --config FILE` these settings train the run again.\n\n%s",
		indented(settings))
	learning, err = learningCurve(cfg, evaluations)
	return b.String(), learning, err
}

// ErrUntrained is wrapped by the error for a run without a finished iteration.
var ErrUntrained = errors.New("nothing is trained yet")

// WriteReport writes the page of a run's report. The page contains the pictures.
func WriteReport(dir, path string) error {
	text, learning, err := Report(dir)
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(text, "\n")
	return study.WritePage(path, strings.TrimPrefix(first, "# "), text, func(name string) ([]byte, error) {
		if name == LearningFile {
			return learning, nil
		}
		return plainfile.Read(filepath.Join(dir, name), maxPicture)
	})
}

func title(cfg experiment.Config) string {
	return experiment.Title(cfg.Algorithm) + " on " + cfg.Family
}

// noteSection writes the note of the run as it was typed.
func noteSection(b *strings.Builder, dir string) {
	note, err := ReadNote(dir)
	if err != nil || note.Text == "" && len(note.Tags) == 0 {
		return
	}
	b.WriteString("\n## Note\n\n")
	if len(note.Tags) > 0 {
		b.WriteString(indented("[" + strings.Join(note.Tags, ", ") + "]"))
	}
	if note.Text != "" {
		b.WriteString(indented(note.Text))
	}
}

// indented returns a text in the form that Markdown shows letter by letter.
func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ") + "\n"
}

func adaptationSection(b *strings.Builder, run *experiment.Run, cfg experiment.Config, finished bool) error {
	if !finished {
		return nil
	}
	result, err := run.ReadEvaluation()
	if err != nil {
		return err
	}
	b.WriteString("\n## Adaptation to new tasks\n\n| trajectory on a new task | return | success |\n|---|---|---|\n")
	for i, r := range result.Summary.Return {
		success := "–"
		if i < len(result.Summary.Success) && sim.Succeeds(cfg.Family) {
			success = fmt.Sprint(result.Summary.Success[i])
		}
		fmt.Fprintf(b, "| %d | %s | %s |\n", i+1, r, success)
	}
	fmt.Fprintf(b, "\nMeans over %d test tasks with 95 %% intervals.\n", cfg.TestTasks)
	return nil
}

// embeddingSection shows what nacre tsne left in the folder.
func embeddingSection(b *strings.Builder, dir string) error {
	data, err := plainfile.Read(filepath.Join(dir, TSNEFile), maxTSNE)
	if errors.Is(err, fs.ErrNotExist) || !exists(dir, tsnePicture) {
		return nil
	}
	var figures struct {
		Planes []struct{ Report *tsne.Report }
	}
	if err == nil {
		err = json.Unmarshal(data, &figures)
	}
	if err == nil && (len(figures.Planes) == 0 || figures.Planes[0].Report == nil) {
		err = errors.New("no plane")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(dir, TSNEFile), err)
	}
	r := figures.Planes[0].Report
	fmt.Fprintf(b, "\n## How well the context encoder tells tasks apart\n\n![layout of the posterior means](%s)\n\n",
		tsnePicture)
	if r.Labels == 0 {
		return nil
	}
	b.WriteString("| | distance to centroid | between centroids | ratio | held-out accuracy | silhouette |\n" +
		"|---|---|---|---|---|---|\n")
	row := func(name string, s tsne.Space) {
		fmt.Fprintf(b, "| %s | %.4g | %.4g | **%.3f** | %.3f | %.3f |\n", name, s.Intra, s.Inter, s.Ratio, s.Accuracy,
			s.Silhouette)
	}
	row("the plane", r.Plane)
	row("posterior means", r.Latent)
	if r.Posterior != nil {
		row("posteriors by 2-Wasserstein distance", *r.Posterior)
	}
	fmt.Fprintf(b, "\n%d points of %d tasks in %d dimensions.", r.Points, r.Labels, r.Dimensions)
	if made, err := plainfile.Stat(filepath.Join(dir, TSNEFile)); err == nil {
		if agent, err := plainfile.Stat(filepath.Join(dir, experiment.WeightsFile)); err == nil &&
			agent.ModTime().After(made.ModTime()) {
			b.WriteString(" The run went on after they were made.")
		}
	}
	b.WriteString("\n")
	return nil
}

func sessionsSection(b *strings.Builder, record experiment.Record) {
	if len(record.Sessions) == 0 {
		return
	}
	b.WriteString("\n## How it was run\n\n")
	for _, s := range record.Sessions {
		fmt.Fprintf(b, "- %s: Nacre %s, commit %s, %s, %s; %s\n", s.Started.UTC().Format("2 January 2006 15:04 MST"),
			s.Program, s.Commit, s.Go, s.Device, s.Family)
		for _, n := range s.Notices {
			fmt.Fprintf(b, "  - %s\n", n)
		}
		if s.Ended != "" && s.Ended != experiment.EndedRunning {
			fmt.Fprintf(b, "  - ended: %s\n", s.Ended)
		}
	}
}

// learningCurve draws the return on the test tasks over training.
func learningCurve(cfg experiment.Config, evaluations []experiment.Evaluation) ([]byte, error) {
	line := plots.Series{Name: experiment.Title(cfg.Algorithm)}
	for _, e := range evaluations {
		line.X, line.Y = append(line.X, e.EnvSteps), append(line.Y, e.Return)
	}
	figure, err := plots.Curves(plots.CurvePanel{
		Title: "Return on test tasks of " + cfg.Family, XLabel: "environment steps", YLabel: "return after adaptation",
		Series: []plots.Series{line},
	})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = figure.WritePNG(&b)
	return b.Bytes(), err
}
