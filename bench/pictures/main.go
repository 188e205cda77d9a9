// Command pictures draws the pictures of README and of the pages in docs from committed data: results.json of the
// studies in notebooks/data and docs/measurements. New data need no new code: pictures take the arms, seeds and
// families that are there.
//
//	go run ./bench/pictures        # writes docs/img/*.svg
//
// Its test fails when a picture differs from what the data give now.
package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"nacre/analysis/plots"
	"nacre/internal/measurement"
	"nacre/internal/plainfile"
)

// pictures are drawn by file name below docs/img.
var pictures = map[string]func(root string) (*plots.Chart, error){
	"push-plane.svg":    of(readStudy, "push", pushPlane),
	"push-share.svg":    of(readStudy, "push", pushShare),
	"push-contexts.svg": of(readStudy, "push", pushContexts),
	"push-long.svg":     pushLong,
	"families.svg":      of(familyStudies, "families", families),
	"family-pairs.svg":  of(familyStudies, "families", familyDifferences),
	"switches.svg":      of(newest, "switches", switches),
	"point-goal.svg": of(readStudy, "point-goal", func(s study) (*plots.Chart, error) {
		return planeAndLatent(s, "The point robot: how far apart goals lie", "distance between goals / within goals")
	}),
	"cheetah-vel.svg": of(readStudy, "cheetah-vel", func(s study) (*plots.Chart, error) {
		return planeAndLatent(s, "Half-cheetah velocity: how far apart velocities lie",
			"distance between tasks / within tasks")
	}),
	"systems-cheetah.svg": of(newest, "cheetah-vel-systems", func(m measurement.Measurement) (*plots.Chart, error) {
		return systems(m, "Half-cheetah velocity: all algorithms", "the oracle’s")
	}),
	"systems-point.svg": of(newest, "point-goal-systems", func(m measurement.Measurement) (*plots.Chart, error) {
		return systems(m, "The point robot: all algorithms", "the goal-knowing controller’s")
	}),
	"table1-older.svg": of(newest, "table1-older", func(m measurement.Measurement) (*plots.Chart, error) {
		return table1(m, "Table 1, older interface: object and goal are drawn anew in every episode")
	}),
	"table1-newer.svg": of(newest, "table1-newer", func(m measurement.Measurement) (*plots.Chart, error) {
		return table1(m, "Table 1, newer interface: fixed tasks; the goal is hidden where there is a bound")
	}),
	"picture.svg": of(newest, "picture", paperPicture),
	"gpu.svg":     of(newest, "gpu-h100", gpuSpeed),
	"update.svg":  of(newest, "update", updateSpeed),
	"tsne.svg":    of(newest, "tsne", tsneSpeed),
}

// of draws what is read by its name below a checkout: a study, several, or the newest measurement of a topic.
func of[T any](read func(root, name string) (T, error), name string,
	draw func(T) (*plots.Chart, error)) func(root string) (*plots.Chart, error) {
	return func(root string) (*plots.Chart, error) {
		data, err := read(root, name)
		if err != nil {
			return nil, err
		}
		return draw(data)
	}
}

// copies are pictures that a study has drawn, by file name below docs/img.
var copies = map[string]string{
	"push-published.png":     "push.zip/published.png",
	"push-tsne.png":          "push.zip/tsne.png",
	"push-long-learning.png": "push-long.zip/learning.png",
	"point-goal-tsne.png":    "point-goal.zip/tsne.png",
	"cheetah-vel-tsne.png":   "cheetah-vel.zip/tsne.png",
}

// all returns the file names of the pictures drawn and copied.
func all() []string {
	return slices.AppendSeq(slices.Collect(maps.Keys(pictures)), maps.Keys(copies))
}

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// run writes the pictures that have changed below a checkout's docs/img.
func run(root string) error {
	for _, name := range all() {
		picture, err := draw(root, name)
		if err != nil {
			return err
		}
		file := filepath.Join(root, "docs/img", name)
		if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, picture) {
			continue
		}
		if err := os.WriteFile(file, picture, 0o644); err != nil {
			return err
		}
		fmt.Println(file)
	}
	return nil
}

// draw returns a picture, drawn as SVG or copied from a study.
func draw(root, name string) ([]byte, error) {
	if from, ok := copies[name]; ok {
		return plainfile.Read(filepath.Join(root, "notebooks/data", from), 1<<26)
	}
	chart, err := pictures[name](root)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f, err := chart.Figure()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var b bytes.Buffer
	err = f.WriteSVG(&b)
	return b.Bytes(), err
}
