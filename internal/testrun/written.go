package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nacre/internal/measurement"
)

// history holds the results of a package's tests, each of which ran once or several times.
type history struct {
	seconds float64 // of a processor
	tests   map[string]*verdicts
}

// verdicts counts how a test ended, and keeps its longest time by the clock.
type verdicts struct {
	pass, fail, skip int
	longest          float64
}

func (h *history) ended(e event) {
	v := h.tests[e.Test]
	if v == nil {
		v = &verdicts{}
		h.tests[e.Test] = v
	}
	switch e.Action {
	case "pass":
		v.pass++
	case "fail":
		v.fail++
	case "skip":
		v.skip++
	}
	v.longest = max(v.longest, e.Elapsed)
}

// two reports whether the runs of a test ended differently: passed, failed or skipped.
func (v verdicts) two() bool { return min(v.pass, v.fail)+min(v.pass, v.skip)+min(v.fail, v.skip) > 0 }

// record holds the data of a report.
type record struct {
	module  string
	command string
	seen    map[string]*history // by package
	covered map[string]covered  // by package; nil if it was not measured
}

// room is the top-level folder of a package.
func (r record) room(pkg string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(pkg, r.module), "/"), "/")
	return cmp.Or(name, ".")
}

// figures holds the numbers of a room.
type figures struct {
	covered
	packages, tests, two int
	seconds              float64
}

func (r record) rooms() map[string]*figures {
	out := map[string]*figures{}
	of := func(pkg string) *figures {
		name := r.room(pkg)
		if out[name] == nil {
			out[name] = &figures{}
		}
		return out[name]
	}
	for pkg, h := range r.seen {
		f := of(pkg)
		f.seconds += h.seconds
		for name, v := range h.tests {
			if !strings.Contains(name, "/") {
				f.tests++
			}
			if v.two() {
				f.two++
			}
		}
		if len(h.tests) > 0 {
			f.packages++
		}
	}
	for pkg, c := range r.covered {
		f := of(pkg)
		f.reached, f.all = f.reached+c.reached, f.all+c.all
	}
	return out
}

// slowest is how many of the slowest tests a report names.
const slowest = 25

// markdown writes all figures: by room, then by package, then by test.
func (r record) markdown(w io.Writer) {
	fmt.Fprintf(w, "# The tests\n\n`%s`, %s, %s.\n\n", r.command, time.Now().Format("2 January 2006"),
		measurement.Machine())
	fmt.Fprintf(w, "| room | packages with tests | tests | processor seconds | statements reached | of |\n")
	fmt.Fprintf(w, "|---|--:|--:|--:|--:|--:|\n")
	rooms := r.rooms()
	for _, name := range slices.Sorted(maps.Keys(rooms)) {
		f := rooms[name]
		fmt.Fprintf(w, "| %s | %d | %d | %.0f | %s | %d |\n", name, f.packages, f.tests, f.seconds,
			r.reached(f.covered), f.all)
	}
	fmt.Fprintf(w, "\n## Tests whose runs ended differently\n\n")
	lines := r.tests(func(v verdicts) bool { return v.two() })
	for _, l := range lines {
		fmt.Fprintf(w, "- %s: passed %d times, failed %d, skipped %d\n", l.name, l.pass, l.fail, l.skip)
	}
	if len(lines) == 0 {
		fmt.Fprintln(w, "None.")
	}
	fmt.Fprintf(w, "\n## The slowest tests\n\n| test | seconds by the clock |\n|---|--:|\n")
	lines = r.tests(func(verdicts) bool { return true })
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(b.longest, a.longest) })
	for _, l := range lines[:min(slowest, len(lines))] {
		fmt.Fprintf(w, "| %s | %.1f |\n", l.name, l.longest)
	}
	fmt.Fprintf(w, "\n## Processor seconds of each package\n\n| package | seconds | statements reached |\n")
	fmt.Fprintf(w, "|---|--:|--:|\n")
	for _, pkg := range r.packages() {
		fmt.Fprintf(w, "| %s | %.1f | %s |\n", pkg, r.seen[pkg].seconds, r.reached(r.covered[pkg]))
	}
}

// reached is the share of statements that tests reach, or a dash where that was not counted.
func (r record) reached(c covered) string {
	if r.covered == nil {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", c.percent())
}

// packages are those with tests, the dearest first.
func (r record) packages() []string {
	names := slices.Sorted(maps.Keys(r.seen))
	names = slices.DeleteFunc(names, func(p string) bool { return len(r.seen[p].tests) == 0 })
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(r.seen[b].seconds, r.seen[a].seconds) })
	return names
}

// line is a test with its package.
type line struct {
	name string
	verdicts
}

// tests are those, without the tests within them, that are wanted.
func (r record) tests(wanted func(verdicts) bool) (out []line) {
	for _, pkg := range slices.Sorted(maps.Keys(r.seen)) {
		for _, name := range slices.Sorted(maps.Keys(r.seen[pkg].tests)) {
			if v := *r.seen[pkg].tests[name]; wanted(v) && (v.two() || !strings.Contains(name, "/")) {
				out = append(out, line{pkg + " " + name, v})
			}
		}
	}
	return out
}

// measurement is the figures by room in the form of docs/measurements.
func (r record) measurement() ([]byte, error) {
	type object = map[string]any
	commit, _ := exec.Command("git", "rev-parse", "--short=8", "HEAD").Output()
	columns := []object{
		{"name": "tests", "head": "tests"},
		{"name": "seconds", "head": "processor seconds"},
		{"name": "two", "head": "ended differently"},
	}
	if r.covered != nil {
		columns = append(columns, object{"name": "covered", "head": "statements reached", "unit": " %"})
	}
	var rows []object
	rooms := r.rooms()
	for _, name := range slices.Sorted(maps.Keys(rooms)) {
		f := rooms[name]
		cells := object{"tests": f.tests, "seconds": math.Round(f.seconds), "two": f.two}
		if r.covered != nil {
			cells["covered"] = math.Round(f.percent())
		}
		rows = append(rows, object{"of": []string{"`" + name + "`"}, "cells": cells})
	}
	return json.MarshalIndent(object{
		"what":    "The tests of each room: how many, what they cost, how many ended differently, what they reach",
		"date":    time.Now().Format(time.DateOnly),
		"commit":  cmp.Or(strings.TrimSpace(string(commit)), "unknown"),
		"machine": measurement.Machine(),
		"conditions": "Processor seconds of the tests' programs, of all repeats, without compiling. " +
			"Only the tests of its own package count as reaching a statement",
		"spread":   "",
		"commands": []string{r.command},
		"labels":   []string{"room"},
		"columns":  columns,
		"rows":     rows,
	}, "", " ")
}

// write writes folder/tests-DATE.md and folder/tests-DATE.json.
func (r record) write(folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	base := filepath.Join(folder, "tests-"+time.Now().Format(time.DateOnly))
	var text strings.Builder
	r.markdown(&text)
	if err := os.WriteFile(base+".md", []byte(text.String()), 0o666); err != nil {
		return err
	}
	data, err := r.measurement()
	if err != nil {
		return err
	}
	if err := os.WriteFile(base+".json", append(data, '\n'), 0o666); err != nil {
		return err
	}
	fmt.Printf("\nwrote %s.md and %[1]s.json\n", base)
	return nil
}
