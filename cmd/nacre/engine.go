package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nacre/kernel"
)

// engines are the engines by their names in --engine.
var engines = map[string]kernel.Engine{
	"auto": kernel.Auto(source(), packageList()), "yaegi": kernel.Yaegi, "go": kernel.Compiled(source(), packageList()),
}

func engineFlag(cmd *cobra.Command, engine *string) {
	word(cmd.Flags(), engine, "engine", "", "`engine` that runs the cells: "+strings.Join(engineNames(), ", ")+
		". auto (the default) uses yaegi until the packages for go are compiled, then go; nacre notebook compiles "+
		"them in the background", engineNames()...)
}

// kernelFlags adds the flags of commands that start kernels.
func kernelFlags(cmd *cobra.Command, memory, engine *string) {
	cmd.Flags().StringVar(memory, "kernel-memory", "",
		"most `memory` a kernel may use, such as 8GB, or none (default what the machine has)")
	engineFlag(cmd, engine)
}

func engineNames() []string { return slices.Sorted(maps.Keys(engines)) }

// compiles tells why the engine auto does not compile cells; nil for another engine.
func compiles(engine string) func() error {
	if engine != "" && engine != "auto" {
		return nil
	}
	return func() error { return kernel.Compiles(source(), packageList()) }
}
