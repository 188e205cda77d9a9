package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"nacre/internal/measurement"
	"nacre/internal/plainfile"
)

// A study holds what pictures need of its results.json.
type study struct {
	name     string
	Family   string
	Outcomes []outcome
	Contexts []context
	// Centroids is set only in results of old studies, from before results had Contexts.
	Centroids []struct {
		Arm, Space string
		Ratio      struct {
			Mean  float64
			Seeds []float64
		}
	}
	Arms []struct {
		Name, Title string
		Seeds       []struct {
			Contexts []struct {
				Context       string
				Plane, Latent struct{ Ratio float64 }
			}
		}
	}
	Paper []struct {
		Method  string
		To      float64 `json:"to_centroid"`
		Between float64
	}
}

type interval struct{ Mean, Lo, Hi float64 }

// An outcome is a figure of an arm's returns, by seed, with its interval over seeds and tasks.
type outcome struct {
	Arm, Figure string
	Value       interval
	Seeds       []float64
}

// A context holds what an arm's embeddings show by one kind of context, with intervals over seeds.
type context struct {
	Arm, Context string
	Figures      map[string]interval
}

func readStudy(root, name string) (study, error) {
	s := study{name: name}
	archive, within, _ := strings.Cut(name, "/")
	text, err := plainfile.Read(filepath.Join(root, "notebooks/data", archive+".zip", within, "results.json"), 1<<26)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("%s: results.json: %w", name, err)
	}
	if len(s.Arms) == 0 {
		return s, fmt.Errorf("%s: results.json has no arms", name)
	}
	return s, nil
}

// outcomes are a figure of the returns, arm by arm.
func (s study) outcomes(figure string) ([]sample, error) {
	var list []sample
	for _, arm := range s.Arms {
		for _, o := range s.Outcomes {
			if o.Arm == arm.Name && o.Figure == figure {
				list = append(list, sample{arm.Title, o.Seeds, o.Value})
			}
		}
	}
	return list, s.all(list, figure)
}

// ratios are the ratios of centroid distances by a kind of context, arm by arm, in the plane or among posterior means.
func (s study) ratios(kind string, plane bool) ([]sample, error) {
	figure := "latent_ratio"
	if plane {
		figure = "plane_ratio"
	}
	var list []sample
	for _, arm := range s.Arms {
		one := sample{name: arm.Title}
		for _, seed := range arm.Seeds {
			for _, c := range seed.Contexts {
				if c.Context == kind && plane {
					one.seeds = append(one.seeds, c.Plane.Ratio)
				} else if c.Context == kind {
					one.seeds = append(one.seeds, c.Latent.Ratio)
				}
			}
		}
		for _, c := range s.Contexts {
			if c.Arm == arm.Name && c.Context == kind {
				one.interval = c.Figures[figure]
			}
		}
		if len(s.Contexts) == 0 && kind == "window" {
			one = s.centroids(arm.Name, arm.Title, plane)
		}
		if len(one.seeds) > 0 && one.interval != (interval{}) {
			list = append(list, one)
		}
	}
	return list, s.all(list, figure)
}

// centroids are an arm's ratios by windows in a study that is older than the kinds of context: without an interval.
func (s study) centroids(arm, title string, plane bool) sample {
	space := "latent"
	if plane {
		space = "plane"
	}
	one := sample{name: title}
	for _, c := range s.Centroids {
		if c.Arm == arm && c.Space == space {
			one.seeds, one.interval = c.Ratio.Seeds, interval{c.Ratio.Mean, c.Ratio.Mean, c.Ratio.Mean}
		}
	}
	return one
}

// all is an error where an arm has no values.
func (s study) all(list []sample, figure string) error {
	if len(list) != len(s.Arms) {
		return fmt.Errorf("%s: results.json has %s of %d of its %d arms", s.name, figure, len(list), len(s.Arms))
	}
	return nil
}

// newest reads the latest measurement of a topic.
func newest(root, topic string) (measurement.Measurement, error) {
	name, err := measurement.Newest(root, topic)
	if err != nil {
		return measurement.Measurement{}, err
	}
	return measurement.Load(root, name)
}
