package kerneltest

import (
	"strings"

	"nacre/kernel"
)

// Position is a place in a cell, at the mark |, and the entry that should be among the first completions there.
type Position struct{ Code, Want string }

// At splits code at the mark | that stands for the cursor, which counts code points.
func At(code string) (text string, cursor int) {
	before, after, _ := strings.Cut(code, "|")
	return before + after, len([]rune(before))
}

// FirstFive are the texts of the first five completions.
func FirstFive(c kernel.Completion) []string {
	var list []string
	for _, m := range c.Matches[:min(5, len(c.Matches))] {
		list = append(list, m.Text)
	}
	return list
}

// PositionCells run before the positions below are used.
var PositionCells = []string{
	"import (\n\t\"fmt\"\n\t\"strings\"\n\n\t\"gonum.org/v1/gonum/mat\"\n\t\"gonum.org/v1/gonum/stat\"\n\n" +
		"\t\"nacre/analysis/frame\"\n\t\"nacre/analysis/plots\"\n)",
	`// Trajectory is what one episode left.
type Trajectory struct {
	Rewards []float64
	Task    int
	goal    [2]float64
}

// Return is the sum of the rewards.
func (t *Trajectory) Return() float64 {
	sum := 0.0
	for _, r := range t.Rewards {
		sum += r
	}
	return sum
}

// Options say how to collect.
type Options struct {
	Episodes int     // for each task
	Discount float64 // in (0, 1]
	Verbose  bool
	Out      *Trajectory
}

func collect(o Options) []*Trajectory { return []*Trajectory{{Rewards: []float64{1, 2}}} }

func discounted(rewards []float64, gamma float64) float64 { return gamma }`,
	`trajectories := collect(Options{Episodes: 2})
returns := map[string]float64{"pearl": -3.2, "tcl-pearl": -2.1, "oracle": -1.4}
byTask := map[int][]float64{3: {1}, 14: {2}}
settings := struct{ Extra map[string]int }{map[string]int{"latent_dim": 5, "seed": 7}}
rewards := []float64{1, 2, 3}
gamma := 0.99
weights := mat.NewDense(2, 2, nil)
table := frame.New(frame.Numbers("steps", rewards), frame.Numbers("return", rewards))
title := "returns"`,
}

// Positions are the cursor positions that the measuring script uses.
var Positions = []Position{
	// what is imported already
	{"fmt.Pri|", "Println"}, {"fmt.Spr|", "Sprintf"}, {"fmt.Erro|", "Errorf"}, {"strings.Spl|", "Split"},
	{"strings.hasp|", "HasPrefix"},
	{"stat.Me|", "Mean"}, {"stat.StdD|", "StdDev"}, {"mat.NewD|", "NewDense"}, {"plots.L|", "Line"},
	{"frame.Re|", "Read"},
	{"plots.|", "Line"}, {"fmt.|", "Println"},
	// the notebook's own names
	{"traj|", "trajectories"}, {"ret|", "returns"}, {"coll|", "collect"}, {"Opt|", "Options"}, {"gam|", "gamma"},
	{"disc|", "discounted"},
	{"fmt.Println(rew|", "rewards"}, {"discounted(re|", "rewards"}, {"discounted(rewards, |", "gamma"}, {"t|", "title"},
	{"local := 3\nfor i := range local {\n\tfmt.Println(lo|", "local"},
	{"func scale(factor float64) float64 {\n\treturn fac|", "factor"},
	// members of values, of results of calls, of elements
	{"trajectories[0].|", "Return"}, {"trajectories[0].Rew|", "Rewards"}, {"collect(Options{})[0].Re|", "Rewards"},
	{"for _, t := range trajectories {\n\tt.Ta|", "Task"},
	{"weights.At|", "At"}, {"weights.|", "At"}, {"weights.T().D|", "Dims"}, {"table.Gr|", "Group"},
	{"table.Group(\"steps\").M|", "Mean"},
	{"table.Group(\"steps\").Mean(\"return\").So|", "Sort"}, {"settings.Ex|", "Extra"},
	{"strings.NewReader(\"a\").Re|", "Read"}, {"x := trajectories[0]\nx.go|", "goal"},
	{"frame.New().Group().Me|", "Mean"}, {"(&strings.Builder{}).Wri|", "WriteString"},
	// fields in literals
	{"Options{|", "Episodes"}, {"Options{Episodes: 2, Dis|", "Discount"}, {"collect(Options{Ver|", "Verbose"},
	{"&Trajectory{Ta|", "Task"},
	{"[]Trajectory{{Rew|", "Rewards"}, {"Options{Out: &Trajectory{Ta|", "Task"}, {"plots.Series{Na|", "Name"},
	{"Options{Discount: ga|", "gamma"},
	// keys of live maps
	{"returns[\"|", "\"pearl\""}, {"returns[\"tcl|\"]", "\"tcl-pearl\""}, {"settings.Extra[\"la|", "\"latent_dim\""},
	{"byTask[1|", "14"},
	// import paths
	{"import \"nacre/ana|", "nacre/analysis/plots"}, {"import \"lab|", "nacre/library/lab"},
	{"import (\n\t\"fmt\"\n\t\"gonum.org/v1/plot/pl|", "gonum.org/v1/plot/plotter"},
	// packages that are not imported yet, and what is in them
	{"mat|", "math"}, {"tsn|", "tsne"}, {"math.Sq|", "Sqrt"}, {"lab.Tr|", "Train"}, {"os.ReadF|", "ReadFile"},
	{"time.Sin|", "Since"},
}

// FreshPositions were written after the code that completes names was finished. They show how well it works on cases
// that nobody had in mind.
var FreshPositions = []Position{
	{"fmt.Fpri|", "Fprintf"}, {"strings.Re|", "Repeat"}, {"strings.Join|", "Join"}, {"strings.tri|", "TrimSpace"},
	{"strings.fi|", "Fields"},
	{"stat.Corr|", "Correlation"}, {"stat.Quan|", "Quantile"}, {"mat.Form|", "Formatted"}, {"mat.Vec|", "VecDense"},
	{"plots.Hi|", "Histogram"},
	{"plots.B|", "By"}, {"frame.O|", "Of"}, {"frame.|", "New"}, {"stat.|", "Mean"}, {"mat.|", "NewDense"},
	{"set|", "settings"}, {"byT|", "byTask"}, {"tab|", "table"}, {"wei|", "weights"}, {"Tra|", "Trajectory"},
	{"for k, v := range ret|", "returns"}, {"if gamma > 0 && len(tr|", "trajectories"}, {"x := 2 * ga|", "gamma"},
	{"var o Opt|", "Options"}, {"func f(o *Traj|", "Trajectory"},
	{"m := map[string]Op|", "Options"}, {"sum := 0.0\nfor _, r := range rewards {\n\tsu|", "sum"},
	{"stat.Mean(|", "rewards"}, {"discounted(trajectories[0].|", "Rewards"},
	{"f := func(alpha float64) float64 { return al|", "alpha"},
	{"trajectories[0].ta|", "Task"}, {"weights.Mu|", "Mul"}, {"weights.RawM|", "RawMatrix"}, {"table.Sel|", "Select"},
	{"table.Group(\"steps\").|", "Mean"},
	{"strings.NewReplacer(\"a\", \"b\").Rep|", "Replace"}, {"t := trajectories\nt[0].Re|", "Return"},
	{"o := Options{}\no.Out.Rew|", "Rewards"}, {"mat.Det(wei|", "weights"},
	{"Options{Ep|", "Episodes"}, {"Options{\n\tEpisodes: 1,\n\tVe|", "Verbose"},
	{"o := []Options{{Episodes: 1}, {Out|", "Out"}, {"map[string]Options{\"a\": {Dis|", "Discount"},
	{"frame.Column{N|", "Name"},
	{"returns[\"or|", "\"oracle\""}, {"fmt.Println(returns[\"p|", "\"pearl\""}, {"settings.Extra[\"|", "\"seed\""},
	{"byTask[|", "14"}, {"returns[ti|", "title"},
	{"import \"gonum.org/v1/gonum/op|", "gonum.org/v1/gonum/optimize"}, {"import \"nacre/ts|", "nacre/tsne"},
	{"import (\n\t\"encoding/js|", "encoding/json"}, {"import \"rand|", "math/rand"},
	{"sort.Sl|", "Slice"}, {"slices.So|", "Sort"}, {"json.Mar|", "Marshal"}, {"filepath.Jo|", "Join"},
	{"display.Ta|", "Table"}, {"strc|", "strconv"}, {"expe|", "experiment"},
}

// LaterPositions were written after Positions and FreshPositions, for a session with tables, runs and packages that are
// not imported.
var LaterPositions = []Position{
	{"fmt.Sprintf(\"%d\", len(traj|", "trajectories"}, {"strings.ToU|", "ToUpper"}, {"strings.Cont|", "Contains"},
	{"strings.TrimS|", "TrimSpace"}, {"stat.Var|", "Variance"},
	{"stat.LinearR|", "LinearRegression"}, {"mat.NewV|", "NewVecDense"}, {"mat.NewSy|", "NewSymDense"},
	{"plots.Sc|", "Scatter"}, {"plots.Lo|", "LogY"},
	{"frame.Num|", "Numbers"}, {"frame.T|", "Texts"}, {"table.So|", "Sort"}, {"table.Wh|", "Where"},
	{"table.Desc|", "Describe"},
	// columns of a table
	{"plots.Line(table, \"st|", "\"steps\""}, {"plots.Line(table, \"steps\", \"|", "\"return\""},
	{"table.Select(\"re|", "\"return\""}, {"table.Group(\"|", "\"steps\""},
	{"plots.Histogram(table, \"ret|", "\"return\""},
	{"plots.Line(table, \"steps\", \"return\", plots.By(\"st|", "\"steps\""},
	{"table.Where(func(r frame.Row) bool { return r.Number(\"s|", "\"steps\""},
	{"table.Group(\"steps\").Med|", "Median"}, {"table.Head(3).Wr|", "WriteCSV"},
	{"plots.Strip(table, \"steps\", \"return\", plots.Ti|", "Title"},
	// of calls whose error is left out
	{"run := lab.Train(\"quick/point-goal\")\nrun.Cu|", "Curve"},
	{"run := lab.Train(\"quick/point-goal\")\nrun.Returns().Gr|", "Group"},
	{"runs := lab.OpenAll(\"runs\")\nruns[0].TS|", "TSNE"}, {"f := frame.Read(\"a.csv\")\nf.Gro|", "Group"},
	{"lab.Open(\"runs/a\").Met|", "Metrics"},
	// not imported yet
	{"lab.Com|", "Compare"}, {"lab.La|", "Latent"}, {"lab.Train(\"quick/point-goal\", lab.It|", "Iterations"},
	{"display.Sh|", "Show"}, {"display.Mark|", "Markdown"},
	{"sim.Look|", "Lookup"}, {"tsne.WithPer|", "WithPerplexity"}, {"experiment.Pre|", "Preset"}, {"errors.I|", "Is"},
	{"math.Ex|", "Exp"},
	{"rand.Nor|", "NormFloat64"}, {"sort.Str|", "Strings"}, {"strconv.At|", "Atoi"}, {"os.Crea|", "Create"},
	{"bufio.NewSc|", "NewScanner"},
	{"import \"gonum.org/v1/gonum/st|", "gonum.org/v1/gonum/stat"}, {"import \"display|", "nacre/library/display"},
	{"import (\n\t\"nacre/exp|", "nacre/experiment"}, {"import \"slic|", "slices"},
	{"returns[\"tcl-p|", "\"tcl-pearl\""}, {"settings.Extra[\"s|", "\"seed\""}, {"byTask[3|", "3"},
	{"Options{Verb|", "Verbose"}, {"collect(Options{Episodes: 3, Di|", "Discount"},
	{"Trajectory{Rewards: rew|", "rewards"},
	{"best := trajectories[0]\nfor _, t := range trajectories {\n\tif t.Return() > be|", "best"},
	{"total := 0.0\nfor name, value := range returns {\n\ttotal += val|", "value"},
	{"func mean(values []float64) float64 {\n\treturn stat.Mean(val|", "values"}, {"switch tit|", "title"},
	{"trajectories[0].Rewards[0] + ga|", "gamma"},
}
