package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"nacre/internal/nearest"
	"nacre/server/batch"
	"nacre/server/nbformat"
	"nacre/server/process"
)

// errTimeout ends an execution when its time is up.
var errTimeout = errors.New("the time given with --timeout is up")

// ExecuteOptions are the flags of nacre execute.
type ExecuteOptions struct {
	File       string
	Out        string   // file for the result; if empty, nothing is kept
	Parameters []string // parameters as name=value
	Timeout    time.Duration
	Memory     string // see NotebookOptions
	Engine     string
	Timing     bool         // see NotebookOptions
	Compiles   func() error // see NotebookOptions
}

// Execute runs a notebook's cells in order. It writes the result after every cell, so that nothing is lost if it is
// stopped.
func Execute(ctx context.Context, env *Env, o ExecuteOptions) error {
	nb, err := readNotebook(o.File)
	if err != nil {
		return err
	}
	if o.Out != "" {
		env.noticeRepairs(o.File, o.Out, nb)
	}
	if err := batch.SetParameters(nb, o.Parameters); err != nil {
		return fmt.Errorf("%s: %w", o.File, err)
	}
	argv, err := kernelCommand(o.Engine)
	if err != nil {
		return err
	}
	memory, err := kernelMemory(o.Memory)
	if err != nil {
		return err
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, errTimeout)
		defer cancel()
	}
	save := func() error {
		if o.Out == "" {
			return nil
		}
		return writeNotebook(o.Out, nb)
	}
	if err := save(); err != nil { // checked first, before hours are spent on the cells
		return err
	}
	if o.Compiles != nil {
		if err := o.Compiles(); err != nil {
			env.Log.Info("cells run on yaegi", "error", err)
		}
	}
	stage := env.Progress.Stage(filepath.Base(o.File), len(nb.Cells()))
	defer stage.Done()
	began, last := time.Now(), 0
	err = batch.Run(ctx, nb, batch.Options{
		Process: process.Config{Argv: argv, Dir: filepath.Dir(o.File), Memory: memory},
		Timing:  o.Timing,
		Started: func(number, of int, c nbformat.Cell) { stage.Describe(fmt.Sprintf("cell %d of %d", number, of)) },
		Skipped: func(number int, _ nbformat.Cell) {
			env.Log.Info("a cell is not run, as it has the tag skip-execution", "notebook", o.File, "cell", number)
		},
		Ended: func(number, _ int, c nbformat.Cell) error {
			env.noticeTextOnly(o.File, number, c)
			stage.Add(number - last)
			last = number
			return save()
		},
	})
	err = errors.Join(err, save()) // of what goroutines printed last
	var failed *batch.CellError
	if language := languageOf(nb); errors.As(err, &failed) && failed.Name == "CompileError" && language != "go" {
		err = fmt.Errorf("%w\nthe notebook says that its cells are %s; nacre execute runs Go", err, language)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.File, err)
	}
	stage.Add(len(nb.Cells()) - last)
	return env.Print(map[string]any{"notebook": o.File, "output": o.Out, "cells": len(nb.Cells()),
		"seconds": time.Since(began).Seconds()},
		func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%s: all cells ran, in %s\n", o.File, time.Since(began).Round(time.Millisecond))
			return err
		})
}

// languageOf is the language that a notebook says its cells are in, "go" where it says none.
func languageOf(nb *nbformat.Notebook) string {
	for _, key := range [][2]string{
		{"kernelspec", "language"}, {"language_info", "name"}, {"kernelspec", "display_name"},
	} {
		m, _ := nb.Metadata()[key[0]].(map[string]any)
		if name, _ := m[key[1]].(string); name != "" {
			return strings.ToLower(name)
		}
	}
	return "go"
}

// missingFile is the error of a file that cannot be read. If the file does not exist, the error gives the nearest name
// of its kind in the same folder.
func missingFile(path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var names []string
	beside, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"+filepath.Ext(path)))
	for _, p := range beside {
		names = append(names, filepath.Base(p))
	}
	return fmt.Errorf("%s does not exist%s", path, nearest.Hint(filepath.Base(path), names))
}
