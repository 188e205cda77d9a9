package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nacre/cmd/nacre/app"
	"nacre/experiment"
	"nacre/experiment/pack"
	"nacre/experiment/progress"
	"nacre/internal/heavy"
	"nacre/library/display"
	"nacre/web"
)

func siteEnv() *app.Env {
	return &app.Env{Out: io.Discard, Err: io.Discard, Progress: progress.Silent(), Log: slog.New(slog.DiscardHandler)}
}

// trained is the folder of a run of a few updates.
func trained(t *testing.T) string {
	t.Helper()
	cfg, err := experiment.Preset("quick/point-goal")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Algorithm = "pearl"
	err = experiment.Change(&cfg, "pearl.iterations=2", "pearl.updates_per_iteration=3", "pearl.hidden=8",
		"pearl.encoder_hidden=8",
		"pearl.initial_steps=20", "pearl.prior_steps=20", "pearl.extra_posterior_steps=20", "train_tasks=4",
		"pearl.meta_batch=2", "pearl.tasks_per_iteration=2",
		"test_tasks=3", "evaluation.every=1")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "mine")
	training, err := experiment.Start(dir, cfg, experiment.Host{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer training.Close()
	if err := training.Train(context.Background(), progress.Silent()); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSiteOfARun(t *testing.T) {
	heavy.Skip(t, "trains and writes a site")
	if _, built := web.Files(); !built {
		t.Skip("the front end is not built: run make web")
	}
	run, out := trained(t), filepath.Join(t.TempDir(), "site")
	o := app.SiteOptions{Paths: []string{run}, Out: out, Programs: filepath.Join(out, "none")}
	for range 2 { // the second time over the first
		if err := app.Site(context.Background(), siteEnv(), o); err != nil {
			t.Fatal(err)
		}
	}
	var about struct {
		Kernel  any
		Files   []struct{ Path string }
		Reports []string
	}
	text, err := os.ReadFile(filepath.Join(out, "site.json"))
	if err == nil {
		err = json.Unmarshal(text, &about)
	}
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, f := range about.Files {
		files = append(files, f.Path)
		if _, err := os.Stat(filepath.Join(out, "files", f.Path)); err != nil {
			t.Error(err)
		}
	}
	for _, want := range []string{"report.md", "learning.png", "rollout.json", "config.toml", "metrics.csv",
		"weights.safetensors"} {
		if !slices.Contains(files, want) {
			t.Errorf("the site lacks %s: %v", want, files)
		}
	}
	if slices.Contains(files, "checkpoint.bin") {
		t.Error("the site has the state of the training")
	}
	if about.Kernel != nil || len(about.Reports) != 1 || about.Reports[0] != "report.md" {
		t.Errorf("the site says kernel %v, reports %v", about.Kernel, about.Reports)
	}
	view, err := experiment.View(run)
	if err != nil {
		t.Fatal(err)
	}
	evaluation, err := view.ReadEvaluation()
	if err != nil {
		t.Fatal(err)
	}
	report, err := os.ReadFile(filepath.Join(out, "files", "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# PEARL on point-goal", "6 gradient updates", evaluation.Summary.Return[0].String(),
		evaluation.Summary.Return[2].String()} {
		if !strings.Contains(string(report), want) {
			t.Errorf("the report lacks %q:\n%s", want, report)
		}
	}
}

// A site may lie anywhere below a host's root, and asks no other host for anything.
func TestSitePagesAreRelative(t *testing.T) {
	front, built := web.Files()
	if !built {
		t.Skip("the front end is not built: run make web")
	}
	out := filepath.Join(t.TempDir(), "site")
	if err := app.Site(context.Background(), siteEnv(), app.SiteOptions{Out: out}); err != nil {
		t.Fatal(err)
	}
	if _, err := front.Open("site.html"); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(out, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), `name="nacre-site"`) || !strings.Contains(string(page), "default-src 'none'") {
		t.Errorf("the page is not that of a site, or has no policy:\n%s", page)
	}
	for _, m := range regexp.MustCompile(`(?:src|href|data-worker)="([^"]*)"`).FindAllStringSubmatch(string(page), -1) {
		if !strings.HasPrefix(m[1], "./") && !strings.HasPrefix(m[1], "data:") {
			t.Errorf("the page refers to %s", m[1])
		}
	}
}

func TestSiteKeepsWhatIsNotASite(t *testing.T) {
	if _, built := web.Files(); !built {
		t.Skip("the front end is not built: run make web")
	}
	out := t.TempDir()
	precious := filepath.Join(out, "thesis.tex")
	if err := os.WriteFile(precious, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := app.Site(context.Background(), siteEnv(), app.SiteOptions{Out: out})
	if err == nil || !strings.Contains(err.Error(), out) || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("a folder with other files: %v", err)
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}

// An output that only this notebook's front end can draw is named when a site is written.
func TestSiteNamesOutputsWithoutPicture(t *testing.T) {
	if _, built := web.Files(); !built {
		t.Skip("the front end is not built: run make web")
	}
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "site")
	nb := `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
		{"id": "a", "cell_type": "markdown", "metadata": {}, "source": ""},
		{"id": "b", "cell_type": "code", "metadata": {}, "source": "", "execution_count": 1, "outputs": [
			{"output_type": "display_data", "metadata": {}, "data": {"` + display.CurvesMIME + `": {"version": 1}, "image/png": "AAAA"}},
			{"output_type": "display_data", "metadata": {}, "data": {"` + display.EmbeddingMIME + `": {"version": 1}, "text/plain": "points"}}]}]}`
	for name, text := range map[string]string{"a.ipynb": nb, "none.ipynb": "no notebook"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var log strings.Builder
	env := siteEnv()
	env.Log = app.Messages(&log, slog.LevelWarn)
	if err := app.Site(context.Background(), env,
		app.SiteOptions{Paths: []string{dir}, Out: out, Programs: filepath.Join(out, "none")}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(log.String(), "an output of cell 2 (embedding) comes without a picture"); n != 1 ||
		strings.Contains(log.String(), "curves") {
		t.Errorf("the notices are %q", log.String())
	}
}

// What a site's readers cannot open is said when it is written; what they can after a conversion is converted.
func TestSiteSaysWhatItCannotPublish(t *testing.T) {
	if _, built := web.Files(); !built {
		t.Skip("the front end is not built: run make web")
	}
	const good = `{"nbformat":4,"nbformat_minor":5,"metadata":{"x":1},"cells":[]}`
	tests := []struct{ text, notice, file string }{
		{good, "", good},
		{"<<<<<<< mine\n" + good, "cannot be opened: readers are told why: not a notebook: line 1, column 1", ""},
		{good[:40], "it breaks off at its end", ""},
		{good + strings.Repeat("\x00", 40), "cannot be opened", ""},
		{strings.Replace(good, "1}", `"caf`+"\xe9"+`"}`, 1), "not UTF-8", ""},
		{"", "the file is empty", ""},
		{strings.Replace(good, "1}", "NaN}", 1), "with NaN and Infinity as text", "NaN\"}"},
		{"\ufeff" + good, "a byte order mark", `{"cells":[]`},
		{`{"nbformat":3,"worksheets":[{"cells":[{"cell_type":"code","input":"x"}]}]}`,
			"has format 3 and is published in format 4",
			`"source":"x"`},
		{strings.Replace(good, "[]", `[{"cell_type":"sql"}]`, 1), `cell_type "sql"`, "sql"},
	}
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "site")
	file := func(i int) string { return fmt.Sprintf("%d.ipynb", i) }
	for i, test := range tests {
		if err := os.WriteFile(filepath.Join(dir, file(i)), []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var log strings.Builder
	env := siteEnv()
	env.Log = app.Messages(&log, slog.LevelWarn)
	o := app.SiteOptions{Paths: []string{dir}, Out: out, Programs: filepath.Join(out, "none")}
	if err := app.Site(context.Background(), env, o); err != nil {
		t.Fatal(err)
	}
	for i, test := range tests {
		var said []string
		for line := range strings.Lines(log.String()) {
			if strings.Contains(line, file(i)) {
				said = append(said, line)
			}
		}
		if all := strings.Join(said, ""); !strings.Contains(all, test.notice) || (test.notice == "") != (all == "") {
			t.Errorf("%.60q: notices %q, want %q", test.text, all, test.notice)
		}
		b, err := os.ReadFile(filepath.Join(out, "files", file(i)))
		if err != nil || !strings.Contains(string(b), test.file) || test.file != "" && !json.Valid(b) {
			t.Errorf("%.60q: published %q, %v", test.text, b, err)
		}
	}
}

// A run in an archive has the files of the run in its folder; an archive in a folder is a folder of the site.
func TestSiteOfAnArchive(t *testing.T) {
	heavy.Skip(t, "trains and writes a site")
	if _, built := web.Files(); !built {
		t.Skip("the front end is not built: run make web")
	}
	run := trained(t)
	if err := os.WriteFile(filepath.Join(filepath.Dir(run), "other.zip"), []byte("no archive"), 0o644); err != nil {
		t.Fatal(err)
	}
	packed := run + ".zip"
	if _, err := pack.Folder(run, packed); err != nil {
		t.Fatal(err)
	}
	files := func(from string) (list []string) {
		out := filepath.Join(t.TempDir(), "site")
		o := app.SiteOptions{Paths: []string{from}, Out: out, Programs: filepath.Join(out, "none")}
		if err := app.Site(context.Background(), siteEnv(), o); err != nil {
			t.Fatal(err)
		}
		err := filepath.WalkDir(filepath.Join(out, "files"), func(name string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				name, err = filepath.Rel(filepath.Join(out, "files"), name)
				list = append(list, filepath.ToSlash(name))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	of := files(run)
	if in := files(packed); !slices.Equal(of, in) || len(of) < 8 {
		t.Errorf("of the folder %v, of the archive %v", of, in)
	}
	both := files(filepath.Dir(run))
	for _, want := range []string{"mine/metrics.csv", "mine.zip/metrics.csv", "mine.zip/weights.safetensors",
		"other.zip"} {
		if !slices.Contains(both, want) {
			t.Errorf("no %s in %v", want, both)
		}
	}
}
