package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
	"nacre/internal/version"
)

func init() { register(headSetUp, versionCommand) }

func versionCommand(env *app.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print which build of nacre this is",
		Args:  noArgs,

		Annotations: map[string]string{besideKey: "doctor"},
		RunE: func(*cobra.Command, []string) error {
			v := version.Get()
			return env.Print(v, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, v)
				return err
			})
		},
	}
	jsonFlag(cmd, env)
	return cmd
}
