package main

import (
	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headNotebook, kernelspecCommand) }

func kernelspecCommand(*app.Env) *cobra.Command {
	return group(&cobra.Command{Use: "kernelspec", Short: "Make the kernel known to Jupyter",
		Annotations: map[string]string{besideKey: "kernel"}})
}
