// Command cells measures notebook cells on each engine. It measures their speed beside compiled Go and Python, how soon
// an interrupt stops an endless cell, the time from a change of a function to the new result, and how much memory a
// long session with redefinitions keeps. It prints a file for docs/measurements, in which only commit and machine are
// missing.
//
//	go run -tags mujoco ./bench/cells speed > docs/measurements/cells-speed-2026-11-23.json
//	go run ./bench/cells interrupts
//	go run ./bench/cells warm
//	go run ./bench/cells session -cells 500
//
// Run it in a checkout, because the engine "go" compiles cells with the packages of the checkout.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"nacre/internal/nearest"
	"nacre/internal/quiet"
	"nacre/kernel"
	"nacre/kernel/kerneltest"
	"nacre/library"
)

// record is a measurement as docs/measurements/README.md describes it.
type record struct {
	What       string   `json:"what"`
	Date       string   `json:"date"`
	Commit     string   `json:"commit"`
	Machine    string   `json:"machine"`
	Conditions string   `json:"conditions"`
	Spread     string   `json:"spread"`
	Commands   []string `json:"commands"`
	Labels     []string `json:"labels"`
	Columns    []column `json:"columns"`
	Rows       []row    `json:"rows"`
}

type column struct {
	Name   string `json:"name"`
	Head   string `json:"head"`
	Digits int    `json:"digits"`
}

type row struct {
	Of    []string       `json:"of"`
	Cells map[string]any `json:"cells"`
}

// engines are by the names of --engine.
var engines = map[string]kernel.Engine{"go": kernel.Compiled(".", ""), "yaegi": kernel.Yaegi}

func open(engine string) kernel.Session {
	s, err := kernel.New(kernel.Options{Library: library.New(), Engine: engines[engine]})
	if err != nil {
		fail(err)
	}
	return s
}

// value runs a cell that must end well, and returns what it shows.
func value(s kernel.Session, code string) string {
	r := s.Execute(context.Background(), kernel.Request{Code: code, StoreHistory: true}, &kerneltest.Output{})
	if r.Error != nil {
		fail(fmt.Errorf("%s\n%s", code, kerneltest.Value(r)))
	}
	return kerneltest.Value(r)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "cells:", err)
	os.Exit(1)
}

func main() {
	turns := flag.Int("turns", 8, "turns of each program (speed), changes of each function (warm)")
	cells := flag.Int("cells", 500, "length of the session")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: cells [flags] speed|interrupts|warm|session")
		flag.PrintDefaults()
	}
	flag.Parse()
	measures := map[string]func() record{
		"speed": func() record { return speed(*turns) }, "interrupts": interrupts,
		"warm": func() record { return warm(*turns) }, "session": func() record { return session(*cells) },
	}
	names := []string{"speed", "interrupts", "warm", "session"}
	measure, ok := measures[flag.Arg(0)]
	if !ok || flag.NArg() > 1 {
		fail(fmt.Errorf("%q: expected one of %v%s", flag.Args(), names, nearest.Hint(flag.Arg(0), names)))
	}
	done := quiet.Measure()
	r := measure()
	done()
	r.Date = time.Now().Format(time.DateOnly)
	r.Commands = []string{"go run -tags mujoco ./bench/cells " + flag.Arg(0)}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	out.SetIndent("", " ")
	if err := out.Encode(r); err != nil {
		fail(err)
	}
}
