package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { registerBench(benchKernelCommand) }

func benchKernelCommand(env *app.Env) *cobra.Command {
	var o app.BenchKernelOptions
	cmd := &cobra.Command{
		Use:   "kernel",
		Short: "Time the notebook kernel beside other Jupyter kernels, and the page",
		Long: `Kernel times the first cell of a new kernel (from starting its process), the round trip of a small cell, and a
cell that prints many lines, all through the same client over ZeroMQ. GoNB, gophernotes and ipykernel are
measured in the same run if their kernelspecs are installed; missing ones are named. If there is a Chromium
($NACRE_CHROMIUM, or on the PATH), it also opens notebooks of 20 and 300 cells, headless and with an empty
cache, and times the page.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return do(cmd.Context(), env, app.BenchKernel, o)
		},
	}
	f := cmd.Flags()
	number(f, &o.Cells, "cells", 300, 3, maxCount, "round trips to time")
	number(f, &o.Lines, "lines", 10000, 1, maxCount, "lines to print")
	number(f, &o.Loads, "loads", 5, 1, maxCount,
		"times to open each notebook in a browser, of which medians are printed")
	jsonFlag(cmd, env)
	return cmd
}
