// Package foreign reads the training logs of other programs, so that they can be compared with runs of Nacre. It reads
// progress.csv of oyster, rlkit, garage (dowel), Stable-Baselines3 and RLlib. It also reads Stable-Baselines3's
// monitor.csv and evaluations.npz, TensorBoard's event files (such as those of CleanRL), and W&B's offline runs and CSV
// exports. It only reads: a run of another program cannot be resumed, evaluated or branched.
//
//	refs, err := foreign.Find("logs/ppo/seed1")       // what a folder or a file holds
//	log, err := foreign.Open(refs[0], foreign.Columns{})
//	fmt.Println(log.Title(), log.Rule(), log.Points)
//
// A new format needs a reader in a file of its own, and an entry in the list of readers in foreign.go. A list of known
// names (rule.go) decides which columns are the step and the return. Rule says which columns were chosen, and Columns
// overrules the choice.
package foreign

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/big"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"nacre/analysis/frame"
	"nacre/analysis/stats"
	"nacre/internal/plainfile"
	"nacre/internal/table"
	"nacre/internal/whole"
)

// Log is a run of another program, read from its log.
type Log struct {
	Ref    string // folder, file, or file#run if a file has several runs
	Tool   string // program that wrote the log, if it is known
	System string // name at the curve: the algorithm or the experiment, and the tool
	Family string // name of the environment; Unnamed if the log has none
	Seed   uint64
	Seeded bool      // whether the log has its seed
	Files  []string  // files that were read
	Points []Point   // points of the curve, one for each step; none if the log has no values yet
	Lost   []float64 // steps of the returns that are NaN, infinite or too large
	End    float64   // the last step of the log, which may have no return; 0 if there is no step
	Notes  []string  // sentences about what was left out or assumed

	Step, Return, Success string // columns of the points; Success may be empty

	frame    *frame.Frame
	training bool // whether Return is of training episodes
	settings map[string]string
}

// Point is the return at a number of environment steps. Success is NaN if the log has none.
type Point struct{ Steps, Return, Success float64 }

// Unnamed is the environment of a log that names no environment.
const Unnamed = "environment not named"

// Columns are the columns of step and return, instead of those that the rule finds. For an empty name the rule is used.
type Columns struct{ Step, Return string }

// reader is a format.
type reader interface {
	// sources returns the logs of the format in a folder, by the names of its files.
	sources(dir string, names []string) []source
}

// readers in the order in which they are asked.
var readers = []reader{progress{}, evaluations{}, events{}, offline{}, monitor{}, export{}}

// source is a log that has not been read yet.
type source struct {
	tool  string
	files []string
	// runs of a file with several runs; nil for a file with one
	runs func() ([]string, error)
	read func(run string) (f *frame.Frame, a about, err error) // reads the table, with notes in about
}

// about holds what a log says of itself beside its table.
type about struct {
	tool, system, family string
	// name of the run, and of what it belongs to, in place of the names of its folder and of the folder above
	name, above string
	seed        *uint64
	settings    map[string]string
	notes       []string
	// by column, the sentence about steps that go back
	back map[string]string
	// whether rows without a value are usual, as in a log that has one row for every step of any column
	sparse bool
	// whether the name of the run tells nothing more than system and seed do
	named bool
}

// Find lists the logs of a file or of a folder, without its subfolders. The list is empty if there is no log.
func Find(path string) (refs []string, err error) {
	list, err := sources(path, true)
	whole := false
	for _, s := range list {
		if s.runs == nil {
			whole = true
			continue
		}
		runs, err := s.runs()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.files[0], err)
		}
		for _, run := range runs {
			refs = append(refs, s.files[0]+"#"+run)
		}
	}
	if whole {
		refs = append([]string{path}, refs...)
	}
	return refs, err
}

// own are files of Nacre's run folders, whose event files are no log of another program.
var own = []string{"config.toml", "checkpoint.bin", "checkpoint.previous.bin"}

// sources returns the logs of a folder or a file. If tables are wanted, a file of another name may be any table.
func sources(path string, tables bool) (list []source, err error) {
	info, err := plainfile.Stat(path)
	if err != nil {
		return nil, err
	}
	dir, names := filepath.Dir(path), []string{filepath.Base(path)}
	if info.IsDir() {
		entries, err := plainfile.ReadDir(path)
		if err != nil {
			return nil, err
		}
		dir, names = path, nil
		for _, e := range entries {
			if slices.Contains(own, e.Name()) {
				return nil, nil
			}
			names = append(names, e.Name())
		}
	}
	for _, r := range readers {
		list = append(list, r.sources(dir, names)...)
	}
	if len(list) == 0 && !info.IsDir() && tables {
		list = tableFile(path)
	}
	return list, nil
}

// Tool names the program whose log a folder or file is. It looks only at the names of files. It is empty if there is no
// log.
func Tool(path string) string {
	list, err := sources(path, false)
	if err != nil || len(list) == 0 {
		return ""
	}
	return list[0].tool
}

// Refusal returns the reason why an action that needs a run of Nacre cannot use this folder. It is nil if the folder
// holds no log of another program.
func Refusal(path string) error {
	tool := Tool(path)
	if tool == "" {
		return nil
	}
	if l, err := Open(path, Columns{}); err == nil {
		tool = l.Tool
	}
	return fmt.Errorf("%s is the log of another program (%s): curves, table, runs and notebooks read it; it cannot "+
		"be resumed, evaluated or branched", path, tool)
}

// Open reads a log. If a folder has logs of several formats, it takes the first with returns of evaluations, else the
// first with any returns. It says which logs it ignored.
func Open(ref string, c Columns) (*Log, error) {
	path, run := ref, ""
	if _, err := plainfile.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if file, name, ok := cutLast(ref, "#"); ok {
			path, run = file, name
		}
	}
	list, err := sources(path, true)
	if err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	list = slices.DeleteFunc(list, func(s source) bool { return (s.runs != nil) != (run != "") })
	if len(list) == 0 {
		return nil, fmt.Errorf("%s holds no log that is known: expected progress.csv, monitor.csv, evaluations.npz, "+
			"TensorBoard's event files, W&B's .wandb or an export of its as CSV", ref)
	}
	var best *Log
	var failed error
	var left []string
	for _, s := range list {
		l, err := s.open(ref, run, c)
		switch {
		case err != nil:
			failed = errors.Join(failed, err)
			left = append(left, filepath.Base(s.files[0])+" ("+err.Error()+")")
		case best == nil || best.training && !l.training && len(l.Points) > 0 || len(best.Points) == 0 &&
			len(l.Points) > 0:
			if best != nil {
				left = append(left, filepath.Base(best.Files[0]))
			}
			best = l
		default:
			left = append(left, filepath.Base(s.files[0]))
		}
	}
	if best == nil {
		return nil, failed
	}
	if len(left) > 0 {
		best.Notes = append(best.Notes, "not read beside "+filepath.Base(best.Files[0])+": "+strings.Join(left, ", "))
	}
	return best, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// open reads a source and finds its points.
func (s source) open(ref, run string, c Columns) (*Log, error) {
	f, a, err := s.read(run)
	if err == nil {
		err = f.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.files[0], err)
	}
	l := &Log{Ref: ref, Tool: s.tool, Files: s.files, Notes: a.notes, frame: f}
	if err := l.choose(c); err != nil {
		return nil, fmt.Errorf("%s: %w", s.files[0], err)
	}
	l.describe(s, run, a)
	if err := l.numbers(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.files[0], err)
	}
	if err := l.exactSteps(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.files[0], err)
	}
	if err := l.mixed(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.files[0], err)
	}
	l.frame = l.forward()
	if said := a.backOf(l.Return); said != "" {
		l.note("%s", said)
	}
	l.points()
	l.odd(a.sparse)
	return l, nil
}

func (l *Log) note(format string, args ...any) {
	l.Notes = append(l.Notes, fmt.Sprintf(format, args...))
}

// backOf is the sentence about steps that go back in a column, or else in the first other column of which there is one.
func (a about) backOf(column string) string {
	if said := a.back[column]; said != "" || len(a.back) == 0 {
		return said
	}
	name := slices.Min(slices.Collect(maps.Keys(a.back)))
	return fmt.Sprintf("column %q: %s", name, a.back[name])
}

// points fills in the rows that have a step and a return.
func (l *Log) points() {
	steps, err := l.frame.Numbers(l.Step)
	if err != nil {
		return // columns of text: there is no row yet
	}
	returns := l.returns()
	success, _ := l.frame.Numbers(l.Success)
	for i, v := range returns {
		if math.IsNaN(steps[i]) || math.IsInf(steps[i], 0) {
			continue
		}
		l.End = max(l.End, steps[i])
		if !(math.Abs(v) <= stats.MostSize || table.IsBlank(v)) {
			l.Lost = append(l.Lost, steps[i])
		}
	}
	at, left := stats.Line{X: steps, Y: returns}.Counted("steps")
	for _, i := range at {
		p := Point{steps[i], returns[i], math.NaN()}
		if success != nil {
			p.Success = success[i]
		}
		l.Points = append(l.Points, p)
	}
	if left != "" {
		l.note("%s", left)
	}
}

// plainly writes a step without an exponent.
func plainly(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// numbers says why the columns of step and return are no numbers, where they hold something else.
func (l *Log) numbers() error {
	for _, c := range []struct{ name, what string }{{l.Step, "step"}, {l.Return, "return"}} {
		words, err := l.frame.Texts(c.name)
		if _, fails := l.frame.Numbers(c.name); fails == nil || err != nil {
			continue
		}
		for i, word := range words {
			if _, err := strconv.ParseFloat(word, 64); err != nil && word != "" {
				return fmt.Errorf("column %q, the %s, has %q on %s; expected numbers", c.name, c.what, word,
					place(l.frame, i))
			}
		}
	}
	return nil
}

// exactSteps counts steps from the first one if some are whole numbers that no float64 is, and says so. It returns an
// error if that does not help, because several steps would become one.
func (l *Log) exactSteps() error {
	steps, err := l.frame.Numbers(l.Step)
	if err != nil || !slices.ContainsFunc(steps, func(v float64) bool { return math.Abs(v) >= whole.Exact }) {
		return nil
	}
	words, err := l.frame.Texts(l.Step)
	if err != nil || !slices.ContainsFunc(words, func(word string) bool {
		_, rest, _ := whole.Parse(word)
		return rest != 0
	}) {
		return err
	}
	var first *big.Int
	counted := slices.Clone(steps)
	for i, word := range words {
		if math.IsNaN(steps[i]) {
			continue
		}
		v, ok := new(big.Int).SetString(word, 10)
		if first == nil {
			first = v
		}
		if ok {
			counted[i], _ = new(big.Float).SetInt(new(big.Int).Sub(v, first)).Float64()
		}
		if !ok || math.Abs(counted[i]) >= whole.Exact {
			return fmt.Errorf("column %q, the step, has %s on %s; expected whole numbers that differ by less than "+
				"2^53: choose another column with --step-column", l.Step, word, place(l.frame, i))
		}
	}
	l.frame = l.frame.With(frame.Numbers(l.Step, counted))
	l.note("the steps, beyond 2^53, are counted from %v, the first", first)
	return nil
}

// place says which row of a log's file row i of its table is.
func place(f *frame.Frame, i int) string {
	if line := f.Line(i); line > 0 {
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("row %d (counted from 0)", i)
}

// forward is the table without the rows that a run, which was resumed at an earlier step, has logged again.
func (l *Log) forward() *frame.Frame {
	steps, err := l.frame.Numbers(l.Step)
	if err != nil {
		return l.frame
	}
	o := inOrder(steps)
	if said := o.String(); said != "" {
		l.note("%s", said)
	}
	if o.left == 0 {
		return l.frame
	}
	at := map[int]bool{}
	for _, k := range o.kept {
		at[k] = true
	}
	return l.frame.Where(func(r frame.Row) bool { return at[r.Index()] })
}

// order says which rows of a log count, by their steps.
type order struct {
	kept        []int   // numbers of these rows
	backs, left int     // how often the step goes back, and how many rows do not count for that
	first       float64 // step to which it goes back first
	none        bool    // the rows have no order: all count
}

// inOrder finds which rows count. If the step goes back, the rows above with that step or a later one do not. If it
// goes back in more than a third of the rows, the rows have no order. A row without a step counts.
func inOrder[T int64 | float64](steps []T) order {
	o := order{first: math.NaN()}
	var last T
	any := false
	for i, s := range steps {
		if any && s < last {
			if o.backs++; o.backs == 1 {
				o.first = float64(s)
			}
			o.kept = slices.DeleteFunc(o.kept, func(k int) bool { return steps[k] >= s })
		}
		if s == s { // not NaN
			last, any = s, true
		}
		o.kept = append(o.kept, i)
	}
	if o.none = 3*o.backs > len(steps); o.none {
		o.kept = make([]int, len(steps))
		for i := range steps {
			o.kept[i] = i
		}
	}
	o.left = len(steps) - len(o.kept)
	return o
}

// String is the sentence about steps that go back; it is empty if they do not.
func (o order) String() string {
	switch {
	case o.none:
		return "its rows are not in the order of their steps: they are sorted"
	case o.backs == 0:
		return ""
	}
	return fmt.Sprintf("the steps go back %s, first to %s: the %d rows above of that step and later ones are left out",
		times(o.backs), plainly(o.first), o.left)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// odd says which rows are no points: those without a step, those whose return is infinite or NaN, and those after the
// last return if there was one more often before. Where most rows have a return it also says which have none.
func (l *Log) odd(sparse bool) {
	steps, err := l.frame.Numbers(l.Step)
	if err != nil {
		l.note("column %q, the return, has no value yet", l.Return)
		return
	}
	stepless, without, infinite, lost := 0, 0, 0, 0
	where, first, firstLost := "", math.NaN(), math.NaN()
	returns := l.returns()
	for i, v := range returns {
		switch {
		case math.IsNaN(steps[i]) && !math.IsNaN(v):
			if stepless++; stepless == 1 {
				where = place(l.frame, i)
			}
		case math.IsInf(v, 0):
			infinite++
		case math.IsNaN(steps[i]):
		case math.IsNaN(v) && !table.IsBlank(v):
			if lost++; lost == 1 {
				firstLost = steps[i]
			}
		case math.IsNaN(v):
			if without++; without == 1 {
				first = steps[i]
			}
		}
	}
	if stepless > 0 {
		l.note("%s without a step (first %s): left out", ofRows(stepless, len(returns)), where)
	}
	if infinite > 0 {
		l.note("the return is infinite in %s: they are left out", ofRows(infinite, len(returns)))
	}
	if lost > 0 && len(l.Points) > 0 {
		l.note("the return is NaN in %s, first at step %s: they are left out", ofRows(lost, len(returns)),
			plainly(firstLost))
	}
	switch last := len(l.Points) - 1; {
	case last < 0 && without+lost > 0:
		l.note("column %q, the return, has no number: it is NaN or missing in all %d rows with a step", l.Return,
			without+lost)
	case last < 0 && stepless+infinite == 0:
		l.note("column %q, the return, has no value yet", l.Return)
	case last < 0:
	case !sparse && without > 0 && 2*without <= len(returns):
		l.note("the return is missing in %s, first at step %s: they are left out", ofRows(without, len(returns)),
			plainly(first))
	case l.End-l.Points[last].Steps > l.gap():
		l.note("the last return is at step %s, and the log goes on to step %s", plainly(l.Points[last].Steps),
			plainly(l.End))
	}
}

// EnvSteps is End as a whole number.
func (l *Log) EnvSteps() int64 { return int64(min(l.End, 1<<62)) }

// gap is the longest time, in steps, between two points of the log, or from step 0 to the first point.
func (l *Log) gap() (gap float64) {
	before := 0.0
	for _, p := range l.Points {
		gap, before = max(gap, p.Steps-before), p.Steps
	}
	return gap
}

func ofRows(n, all int) string { return fmt.Sprintf("%d of %d rows", n, all) }

// Frame is the log's table. It also has the columns env_steps, adapted_return and adapted_success of Nacre's runs,
// unless the log has columns of these names.
func (l *Log) Frame() *frame.Frame {
	f := l.frame
	for name, column := range map[string]string{"env_steps": l.Step, "adapted_success": l.Success} {
		if v, err := f.Numbers(column); err == nil && !f.Has(name) {
			f = f.With(frame.Numbers(name, v))
		}
	}
	if !f.Has("adapted_return") {
		f = f.With(frame.Numbers("adapted_return", l.returns()))
	}
	return f
}

// Title names the run of the log.
func (l *Log) Title() string {
	if l.Seeded {
		return fmt.Sprintf("%s on %s, seed %d", l.System, l.Family, l.Seed)
	}
	return fmt.Sprintf("%s on %s", l.System, l.Family)
}

// Identity is equal for logs of which only one may count in a mean. It is made from system, family and seed, or from
// the log's numbers if the log names no seed.
func (l *Log) Identity() string {
	if l.Seeded {
		return fmt.Sprintf("%s, %s, seed %d", l.System, l.Family, l.Seed)
	}
	return l.System + ", " + l.Family + ", " + l.Numbers()
}

// clocks are names of columns that hold times, speeds or the machine's load rather than results.
var clocks = regexp.MustCompile(`(?i)time|clock|fps|second|date|duration|elapsed|speed|wall|(^|/)perf|system/|_s$|^t$`)

// Clock reports whether a column of this name holds a time, a speed or a load, which differ between copies of a run.
func Clock(name string) bool { return clocks.MatchString(name) }

// Numbers is a text that is equal for two logs only if their numbers, apart from clocks, are equal to the last digit.
func (l *Log) Numbers() string { return l.numbersUpTo(l.frame.Len()) }

// Beginning is like Numbers, but only of the rows up to the second return. It is equal for two logs of one training,
// one of which ends earlier.
func (l *Log) Beginning() string {
	first := math.NaN()
	for i, v := range l.returns() {
		if math.IsNaN(first) {
			first = v
		} else if v != first && !math.IsNaN(v) {
			return l.numbersUpTo(i + 1)
		}
	}
	return l.Numbers()
}

func (l *Log) numbersUpTo(rows int) string {
	h := sha256.New()
	for _, name := range l.frame.Names() {
		v, err := l.frame.Numbers(name)
		if err != nil || Clock(name) && name != l.Step && name != l.Return {
			continue
		}
		h.Write([]byte(name))
		for _, x := range v[:rows] {
			binary.Write(h, binary.LittleEndian, x)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Settings returns the program's settings that the log holds, by dotted key, without the seed.
func (l *Log) Settings() map[string]string { return l.settings }
