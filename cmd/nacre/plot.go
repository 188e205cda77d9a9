package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nacre/cmd/nacre/app"
)

func init() { register(headLook, plotCommand) }

func plotCommand(env *app.Env) *cobra.Command {
	var o app.PlotOptions
	var log []string
	cmd := &cobra.Command{
		Use:   "plot SOURCE",
		Short: "Draw a figure of a table or of runs",
		Long: `Plot draws from the shell what package plots draws in a cell. SOURCE is a file (.csv, .parquet, .json and
more) or a folder of runs, whose table is that of "nacre runs --out". A line of runs is their learning
curve unless flags name other columns. If a series has several runs, the line is their mean, with a band.`,
		Example: `  nacre plot out/sweep -o return.pdf --width icml-column
  nacre plot out/sweep --rows returns --kind box --x algorithm --y return
  nacre plot out/sweep --column pearl.latent --by pearl.latent
  nacre plot results.csv --kind scatter --x steps --y return --by system -o fig.svg`,
		Args: oneArg("a file with a table or a folder of runs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Source = args[0]
			for _, axis := range log {
				switch axis {
				case "x":
					o.LogX = true
				case "y":
					o.LogY = true
				default:
					return app.Usagef("--log %s: expected x or y", axis)
				}
			}
			return do(cmd.Context(), env, app.Plot, o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Out, "out", "o", "plot.png", "`file` to write, .pdf, .svg or .png")
	paperFlags(cmd, &o.Paper)
	f.StringVarP(&o.Kind, "kind", "k", "line",
		"`kind` of chart: "+strings.Join(slices.Sorted(maps.Keys(app.PlotKinds)), ", "))
	f.StringVar(&o.X, "x", "", "`column` of the x axis")
	f.StringVar(&o.Y, "y", "", "`column` of the y axis")
	f.StringVar(&o.Value, "value", "", "`column` of the colours of a heat map")
	f.StringVar(&o.By, "by", "", "`column` whose values have a colour each")
	f.StringVar(&o.Panels, "panels", "", "`column` whose values have a panel each")
	f.StringVar(&o.Seeds, "seeds", "", "`column` of seeds, of which lines are means (default run or seed)")
	f.StringVar(&o.Title, "title", "", "`line` above the figure")
	f.StringVar(&o.XLabel, "x-label", "", "`name` of the x axis")
	f.StringVar(&o.YLabel, "y-label", "", "`name` of the y axis")
	f.StringSliceVar(&log, "log", nil, "`axis` that is logarithmic, x or y; may be repeated")
	f.BoolVar(&o.Count, "count", false, "say how many runs or rows each series has")
	f.BoolVar(&o.Equal, "equal", false, "give both axes the same scale")
	f.StringVar(&o.Rows, "rows", app.RowNames[0], "of runs, what a row is: "+strings.Join(app.RowNames, ", "))
	f.StringArrayVar(&o.Filters, "filter", nil, "only runs with this `key=value`; may be repeated")
	f.StringArrayVar(&o.Keep, "column", nil, "one more `key` of runs as a column; may be repeated")
	jsonFlag(cmd, env)
	return cmd
}
