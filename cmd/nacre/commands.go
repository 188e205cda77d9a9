package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nacre/cmd/nacre/app"
)

// A command is one file. It has a function that makes the command with its help, its flags and its action, and an init
// that registers this function. A subcommand, such as "bench sim", is a file too and names its command.

// heading groups commands in nacre --help.
type heading string

const (
	headNotebook heading = "Notebook"
	headTrain    heading = "Train"
	headLook     heading = "Look"
	headMeasure  heading = "Measure"
	headSetUp    heading = "Set up"
)

// headings are all, in the order of nacre --help.
var headings = []heading{headNotebook, headTrain, headLook, headMeasure, headSetUp}

// maker makes a command that works in env.
type maker func(env *app.Env) *cobra.Command

// commands are nacre's commands by heading. subcommands are the subcommands of a command, by its name.
var (
	commands    = map[heading][]maker{}
	subcommands = map[string][]maker{}
)

// register adds a command under a heading.
func register(h heading, make maker) { commands[h] = append(commands[h], make) }

// registerUnder adds a command that belongs to another, named parent.
func registerUnder(parent string, make maker) {
	subcommands[parent] = append(subcommands[parent], make)
}

// addCommands makes all registered commands. Two commands of one name, or a subcommand without its command, are
// mistakes of the program.
func addCommands(root *cobra.Command, env *app.Env) {
	for _, h := range headings {
		root.AddGroup(&cobra.Group{ID: string(h), Title: string(h)})
		for _, make := range commands[h] {
			cmd := make(env)
			cmd.GroupID = string(h)
			addCommand(root, cmd)
		}
	}
	for parent, makers := range subcommands {
		cmd, _, err := root.Find([]string{parent})
		if err != nil || cmd == root {
			panic(fmt.Sprintf("commands are registered under %q, which is no command", parent))
		}
		for _, make := range makers {
			addCommand(cmd, make(env))
		}
	}
}

func addCommand(to, cmd *cobra.Command) {
	for _, other := range to.Commands() {
		if other.Name() == cmd.Name() || other.HasAlias(cmd.Name()) {
			panic(fmt.Sprintf("two commands %q", cmd.Name()))
		}
	}
	to.AddCommand(cmd)
}

// do carries out the action of a command with the options that its flags and arguments came to.
func do[O any](ctx context.Context, env *app.Env, action func(context.Context, *app.Env, O) error, o O) error {
	if instead, ok := ctx.Value(insteadKey{}).(func(*app.Env, any) error); ok {
		return instead(env, o)
	}
	return action(ctx, env, o)
}

// insteadKey is the key of a context under which tests leave what do calls instead of the action.
type insteadKey struct{}

// besideKey is the key of an annotation of a command: the name of another, in whose line nacre --help has this one too.
const besideKey = "beside"

// overview writes nacre --help: a line for each command or two, under their heading.
func overview(w io.Writer, root *cobra.Command) {
	fmt.Fprintf(w, "%s\nUsage: nacre COMMAND [ARGUMENT...] [FLAG...]\n", root.Long)
	for _, h := range headings {
		fmt.Fprintf(w, "%s\n", h)
		for _, c := range root.Commands() {
			if c.GroupID != string(h) || !c.IsAvailableCommand() || c.Annotations[besideKey] != "" {
				continue
			}
			names, short := c.Name(), c.Short
			for _, other := range root.Commands() {
				if other.Annotations[besideKey] == c.Name() {
					names += ", " + other.Name()
					short += "; " + strings.ToLower(other.Short[:1]) + other.Short[1:]
				}
			}
			fmt.Fprintf(w, "  %-10s  %s\n", names, short)
		}
	}
	var flags []string
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		flags = append(flags, fmt.Sprintf("%s (%s)", name, f.Usage))
	})
	fmt.Fprintf(w, "Flags of every command: %s\n", strings.Join(flags, "; "))
}
