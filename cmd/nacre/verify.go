package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headMeasure, verifyCommand) }

func verifyCommand(*app.Env) *cobra.Command {
	return group(&cobra.Command{
		Use:   "verify",
		Short: "Check the files of a run, or the simulator against the packages that define its environments",
	})
}
