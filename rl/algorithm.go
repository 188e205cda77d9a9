package rl

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"nacre/core"
	"nacre/internal/nearest"
	"nacre/rl/benchmark"
	"nacre/rl/protocol"
	"nacre/sim"
)

// Algorithm is the registration of an algorithm.
type Algorithm struct {
	Name  string // name in configurations and commands, e.g. "tcl-pearl"
	Title string // name as papers write it, e.g. "TCL-PEARL"
	About string // one line

	// Tables are the configuration's tables that the algorithm reads, at least one; several algorithms may read the
	// same.
	Tables []Table
	// Validate, which may be nil, checks what the tables' tags cannot: values that must fit one another.
	Validate func(Config) error
	// Schedule returns the number of iterations, and the number of gradient updates in one iteration.
	Schedule func(Config) (iterations, updates int)
	// Length is the dotted key of the setting for the number of iterations. Nothing else depends on this setting, so a
	// run can be made longer by it. Empty if there is no such setting.
	Length string
	// Protocol names the protocol under which its authors evaluate it (protocol.Presets).
	Protocol string
	// Presets are its named configurations.
	Presets []PresetOf
	// New makes a learner with freshly drawn parameters and no data.
	New func(Config, Setup) (Learner, error)
	// Small are settings of its tables, such as "pearl.hidden=29", with which tests run its programs on every device.
	// Their sizes are such that no tile or vector divides them, and they use everything that a device must compute.
	// Builtin requires them.
	Small []string
	// Variants are further settings over Small, each with a name. Tests run programs with them too, because they change
	// what a device must compute. Nil: none.
	Variants map[string][]string
	// Window returns the number of rows of the contexts that its encoder is trained on, for a configuration. It is nil
	// if its learners do not implement the interface Encoding.
	Window func(Config) int
	// Acts are the networks that adaptation and acting read, each by the first part of its parameters' names, such as
	// "policy" for "policy/w0". A packed study contains only these networks. Nil: all.
	Acts []string
	// Discrete is true if its learners take discrete actions (sim.Spec.ActChoices) too.
	Discrete bool
	// Remembers is true if its learners implement the interface Experienced.
	Remembers bool
	// Benchmark makes its update on synthetic data, to be timed and compared. Nil: it has none.
	Benchmark func(benchmark.Size, core.Device) (benchmark.Update, error)
}

// Table is a table of the configuration.
type Table struct {
	Name    string // e.g. "pearl"
	Default any    // a struct with the tags of package config
}

// PresetOf is a named configuration.
type PresetOf struct {
	Name, About string
	// Make returns the configuration; the caller fills in the Preset field.
	Make func() Config
}

// registry holds the registered algorithms in a map that is replaced and never changed, because a notebook may register
// while others read.
var registry struct {
	sync.Mutex // held while the map is replaced
	atomic.Pointer[map[string]Algorithm]
	defined map[string]bool // names that notebooks have defined
}

// algorithms returns the algorithms registered now.
func algorithms() map[string]Algorithm {
	if m := registry.Load(); m != nil {
		return *m
	}
	return nil
}

func put(a Algorithm) {
	m := maps.Clone(algorithms())
	if m == nil {
		m = map[string]Algorithm{}
	}
	m[a.Name] = a
	registry.Store(&m)
}

// Builtin registers a built-in algorithm, from the init of its package. It panics if a part is missing or a name is
// taken, because then the program is wrong.
func Builtin(a Algorithm) {
	registry.Lock()
	defer registry.Unlock()
	err := a.complete()
	if err == nil && len(a.Small) == 0 {
		err = errors.New("Small is missing")
	}
	if err != nil {
		panic(fmt.Sprintf("rl: algorithm %q: %v", a.Name, err))
	}
	put(a)
}

// Define registers an algorithm of a notebook. It replaces an earlier one that was defined under the same name. The
// names of built-in algorithms are taken. The error names what is missing.
func Define(a Algorithm) error {
	registry.Lock()
	defer registry.Unlock()
	if err := a.complete(); err != nil {
		return fmt.Errorf("rl: algorithm %q: %w", a.Name, err)
	}
	if registry.defined == nil {
		registry.defined = map[string]bool{}
	}
	registry.defined[a.Name] = true
	put(a)
	return nil
}

// Register is Builtin.
//
// Deprecated: use rl.Builtin, or rl.Define in a notebook. The next release removes this name.
func Register(a Algorithm) { Builtin(a) }

// RegisterOwn is Define.
//
// Deprecated: use rl.Define. The next release removes this name.
func RegisterOwn(a Algorithm) error { return Define(a) }

// complete returns an error that names what is missing or taken.
func (a Algorithm) complete() error {
	for _, part := range []struct {
		name    string
		missing bool
	}{
		{"Name", a.Name == ""}, {"Title", a.Title == ""}, {"About", a.About == ""}, {"Tables", len(a.Tables) == 0},
		{"Schedule", a.Schedule == nil},
		{"Protocol", a.Protocol == ""}, {"New", a.New == nil},
	} {
		if part.missing {
			return fmt.Errorf("%s is missing", part.name)
		}
	}
	if _, taken := algorithms()[a.Name]; taken && !registry.defined[a.Name] {
		return fmt.Errorf("the name is registered twice")
	}
	if _, err := protocol.Preset(a.Protocol); err != nil {
		return err
	}
	for _, t := range a.Tables {
		if t.Name == "" || reflect.TypeOf(t.Default).Kind() != reflect.Struct {
			return fmt.Errorf("table %q with default %T, want a name and a struct", t.Name, t.Default)
		}
		for _, other := range registered() {
			if other.Name == t.Name && !reflect.DeepEqual(other.Default, t.Default) {
				return fmt.Errorf("table %s is registered with another default", t.Name)
			}
		}
	}
	own := map[string]bool{}
	for _, p := range a.Presets {
		if p.Name == "" || p.About == "" || p.Make == nil {
			return fmt.Errorf("preset %q lacks a name, a line about it or Make", p.Name)
		}
		if other, taken := presetNamed(p.Name); taken || own[p.Name] {
			return fmt.Errorf("preset %s is registered twice, also by %q", p.Name, other)
		}
		own[p.Name] = true
	}
	return nil
}

// Accepts returns an error if the algorithm's learners cannot act in a family.
func (a Algorithm) Accepts(s sim.Spec) error {
	if a.Discrete {
		return nil
	}
	return Continuous(a.Name, s)
}

// Continuous returns an error if the actions of a family are discrete, for an algorithm that needs continuous ones.
func Continuous(algorithm string, s sim.Spec) error {
	if !s.Discrete() {
		return nil
	}
	names := slices.DeleteFunc(Names(), func(name string) bool { return !algorithms()[name].Discrete })
	return fmt.Errorf("%s needs continuous actions, those of family %s are %s: %s take discrete ones", algorithm,
		s.Name, s.Actions(), list(names))
}

// Names lists the algorithms of this program.
func Names() []string { return slices.Sorted(maps.Keys(algorithms())) }

// Algorithms lists the algorithms of this program, by name.
func Algorithms() []Algorithm {
	var out []Algorithm
	for _, name := range Names() {
		out = append(out, algorithms()[name])
	}
	return out
}

// Lookup returns an algorithm by name. The error of an unknown name gives the nearest one.
func Lookup(name string) (Algorithm, error) {
	if a, ok := algorithms()[name]; ok {
		return a, nil
	}
	return Algorithm{}, fmt.Errorf("algorithm %s does not exist%s", nearest.Quote(name), nearest.Hint(name, Names()))
}

// Title is an algorithm's name as papers write it; another name stays as it is.
func Title(name string) string {
	if a, ok := algorithms()[name]; ok {
		return a.Title
	}
	return name
}

// reads lists the names of an algorithm's tables.
func (a Algorithm) reads() []string {
	var out []string
	for _, t := range a.Tables {
		out = append(out, t.Name)
	}
	return out
}

// registered lists the tables of all algorithms, each once, by name.
func registered() []Table {
	var out []Table
	for _, a := range algorithms() {
		out = append(out, a.Tables...)
	}
	slices.SortFunc(out, func(a, b Table) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(out, func(a, b Table) bool { return a.Name == b.Name })
}

// readers names the algorithms that read a table.
func (t Table) readers() string {
	var names []string
	for _, a := range Algorithms() {
		if slices.Contains(a.reads(), t.Name) {
			names = append(names, a.Name)
		}
	}
	return list(names)
}

// list joins names in a sentence.
func list(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Presets lists the presets of all algorithms, by name.
func Presets() []PresetOf {
	var out []PresetOf
	for _, a := range algorithms() {
		out = append(out, a.Presets...)
	}
	slices.SortFunc(out, func(a, b PresetOf) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// presetNamed returns the algorithm that has registered a preset.
func presetNamed(name string) (algorithm string, ok bool) {
	for _, a := range algorithms() {
		if slices.ContainsFunc(a.Presets, func(p PresetOf) bool { return p.Name == name }) {
			return a.Name, true
		}
	}
	return "", false
}

// Preset returns a configuration by name. The error of an unknown name gives the nearest one.
func Preset(name string) (Config, error) {
	var names []string
	for _, p := range Presets() {
		if p.Name == name {
			c := p.Make()
			c.Preset = name
			return c, nil
		}
		names = append(names, p.Name)
	}
	return Config{}, fmt.Errorf("preset %q does not exist%s", name, nearest.Hint(name, names))
}

// Embedding lists the algorithms whose learners implement Encoding, so that their posteriors can be embedded.
func Embedding() []string {
	return slices.DeleteFunc(Names(), func(name string) bool { return algorithms()[name].Window == nil })
}
