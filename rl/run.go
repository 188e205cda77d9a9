package rl

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	toml "github.com/pelletier/go-toml/v2"

	"nacre/internal/nearest"
	"nacre/rl/config"
	"nacre/rl/protocol"
)

// Config holds everything about a run that changes its result: its own settings, and the settings of algorithms, in
// tables that the algorithms register. A table that was never set has its default. A Config is a value: changing a copy
// does not change the original. Packages of algorithms read and set their tables:
//
//	p := pearl.Of(cfg) // a copy
//	p.Latent = 7
//	pearl.Put(&cfg, p)
type Config struct {
	Algorithm       string     `toml:"algorithm"`
	Family          string     `toml:"family" comment:"task family; nacre envs lists them"`
	Preset          string     `toml:"preset" comment:"where the values below started from"`
	Seed            uint64     `toml:"seed"`
	TrainTasks      int        `toml:"train_tasks" range:"[0,1e6]" comment:"0: the family's own number"`
	TestTasks       int        `toml:"test_tasks" range:"[0,1e6]"`
	Arithmetic      string     `toml:"arithmetic" oneof:"float32 float64" comment:"of training; float64 is the slow reference"`
	CheckpointEvery int        `toml:"checkpoint_every" range:"[1,1e6]" comment:"iterations"`
	EnvSteps        int64      `toml:"env_steps" range:"[0,1e12]" comment:"training ends with the iteration that reaches them; 0: after the algorithm's iterations"`
	Evaluation      Evaluation `toml:"evaluation"`

	tables map[string]any // by name; the map is never changed in place
	set    []string       // tables set by layers since the last Validate
	from   []string       // where each of them was set
	given  []string       // keys of the protocol set since the last Validate
}

// Evaluation says when and how the test tasks are evaluated during training.
type Evaluation struct {
	Every    int               `toml:"every" range:"[1,1e6]" comment:"iterations; the last iteration is always evaluated"`
	Protocol protocol.Protocol `toml:"protocol"`
}

// Values of Config.Arithmetic.
const (
	Float32 = "float32"
	Float64 = "float64"
)

// Default returns the configuration that all others start from. It has no algorithm and no family.
func Default() Config {
	p, err := protocol.Preset("oyster")
	if err != nil {
		panic(err) // package protocol has it
	}
	return Config{Arithmetic: Float32, CheckpointEvery: 1, Evaluation: Evaluation{Every: 1, Protocol: p}}
}

// For returns a copy of c for another algorithm, with the protocol of the given name; the number of repeats stays that
// of c.
func (c Config) For(algorithm, name string) Config {
	p, err := protocol.Preset(name)
	if err != nil {
		panic(err) // presets name protocols that exist
	}
	p.Repeats = c.Evaluation.Protocol.Repeats
	c.Algorithm, c.Evaluation.Protocol = algorithm, p
	return c
}

// Get returns a copy of a table.
func (c Config) Get(t Table) any {
	if v, ok := c.tables[t.Name]; ok {
		return v
	}
	return t.Default
}

// Put sets a table. The value must be of the type of the table's default.
func (c *Config) Put(t Table, value any) {
	if reflect.TypeOf(value) != reflect.TypeOf(t.Default) {
		panic(fmt.Sprintf("rl: table %s holds a %T, not a %T", t.Name, t.Default, value))
	}
	c.tables = maps.Clone(c.tables)
	if c.tables == nil {
		c.tables = map[string]any{}
	}
	c.tables[t.Name] = value
}

// Tables implements config.Tabled. The tables of all algorithms may be set; only those that c's algorithm reads are
// written.
func (c Config) Tables() []config.Table {
	reads := algorithms()[c.Algorithm].reads()
	var out []config.Table
	for _, t := range registered() {
		p := reflect.New(reflect.TypeOf(t.Default))
		p.Elem().Set(reflect.ValueOf(c.Get(t)))
		out = append(out, config.Table{Name: t.Name, Comment: "used by " + t.readers(), Value: p.Interface(),
			Omit: !slices.Contains(reads, t.Name)})
	}
	return out
}

// SetTable implements config.TableSetter.
func (c *Config) SetTable(name string, value any) {
	for _, t := range registered() {
		if t.Name == name {
			c.Put(t, value)
			c.set, c.from = append(slices.Clone(c.set), name), append(slices.Clone(c.from), "")
		}
	}
}

// PlaceTable remembers, for messages, that the table was set at the place where, in a file or flag. It must follow
// SetTable of the same table.
func (c *Config) PlaceTable(table, where string) {
	if k := len(c.set) - 1; k >= 0 && c.set[k] == table {
		c.from[k] = where + ": "
	}
}

// Choose implements config.Chooser. Setting a protocol's name also sets all values of this protocol, except those that
// any layer sets itself. If the name is not one of the known protocols, all its values must be given.
func (c *Config) Choose(values map[string]any) error {
	evaluation, _ := values["evaluation"].(map[string]any)
	of, _ := evaluation["protocol"].(map[string]any)
	for key := range of {
		c.given = append(slices.Clip(c.given), key)
	}
	name, ok := of["name"].(string)
	if !ok {
		return nil
	}
	named, err := protocol.Preset(name)
	to, from := reflect.ValueOf(&c.Evaluation.Protocol).Elem(), reflect.ValueOf(named)
	if err != nil && len(of) < to.NumField() {
		return &config.ValueError{
			Key: "evaluation.protocol.name", Value: nearest.Quote(name),
			Want: "the name of a protocol" + nearest.Hint(name, protocol.Presets()) +
				", or all values of one beside it",
		}
	} else if err != nil {
		return nil
	}
	for i := range to.NumField() {
		if !slices.Contains(c.given, to.Type().Field(i).Tag.Get("toml")) {
			to.Field(i).Set(from.Field(i))
		}
	}
	return nil
}

// Ignores reports whether a pair such as "pearl.latent=7" sets a table that c's algorithm does not read.
func (c Config) Ignores(pair string) bool {
	name, _, _ := strings.Cut(strings.TrimSpace(pair), ".")
	known := slices.ContainsFunc(registered(), func(t Table) bool { return t.Name == name })
	return known && !slices.Contains(algorithms()[c.Algorithm].reads(), name)
}

// Unread forgets which tables were set. Then Validate accepts tables that the algorithm does not read. So a run's file,
// which may hold all tables, can configure a run of another algorithm.
func (c *Config) Unread() { c.set, c.from, c.given = nil, nil, nil }

// Validate checks what the tags cannot: that the algorithm exists, reads the tables that were set since the last
// Validate, and accepts the whole configuration. Tables that came from a preset and that the algorithm does not read
// are no error.
func (c *Config) Validate() error {
	if c.Algorithm == "" {
		return fmt.Errorf("no algorithm is chosen; expected one of %s", strings.Join(Names(), ", "))
	}
	a, err := Lookup(c.Algorithm)
	if err != nil {
		return err
	}
	set, from := c.set, c.from
	c.Unread()
	for k, name := range set {
		if reads := a.reads(); !slices.Contains(reads, name) {
			return fmt.Errorf("%stable %s is set, but %s reads only %s", from[k], name, a.Name,
				strings.Join(reads, " and "))
		}
	}
	if a.Validate == nil {
		return nil
	}
	return a.Validate(*c)
}

// Schedule returns the length of a run in iterations, and the number of gradient updates in one iteration.
func (c Config) Schedule() (iterations, updates int, err error) {
	a, err := Lookup(c.Algorithm)
	if err != nil {
		return 0, 0, err
	}
	iterations, updates = a.Schedule(c)
	return iterations, updates, nil
}

// Change applies key=value pairs such as "pearl.latent=7" and checks the result.
func Change(c *Config, pairs ...string) error {
	return config.Resolve(c, config.SetBy("set", pairs...))
}

// Settings are the values of a configuration by dotted key, as JSON: its own values and the tables that its algorithm
// reads. They are the fingerprint of a run.
type Settings map[string]json.RawMessage

// Settings lists the settings of c.
func (c Config) Settings() (Settings, error) {
	text, err := config.Encode(c)
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	if err := toml.Unmarshal(text, &tree); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	s := Settings{}
	return s, s.add("", tree)
}

func (s Settings) add(prefix string, tree map[string]any) error {
	for key, v := range tree {
		if table, ok := v.(map[string]any); ok {
			if err := s.add(prefix+key+".", table); err != nil {
				return err
			}
			continue
		}
		text, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("configuration: %s%s: %w", prefix, key, err)
		}
		s[prefix+key] = text
	}
	return nil
}

// Difference is a setting that differs between a configuration and earlier settings. It is an error that wraps
// ErrOther.
type Difference struct {
	Key         string // dotted key
	Now, Before string // values as JSON; Now is empty for a setting that this program does not have
	Added       bool   // the earlier program had no such setting; Before is its default
}

func (d *Difference) Error() string {
	switch {
	case d.Now == "":
		return fmt.Sprintf("%v: %s was %s, a setting that this program does not have", ErrOther, d.Key, d.Before)
	case d.Added:
		return fmt.Sprintf("%v: %s = %s, a setting that the earlier program did not have; expected its default, %s",
			ErrOther, d.Key, d.Now, d.Before)
	}
	return fmt.Sprintf("%v: %s = %s, it was %s", ErrOther, d.Key, d.Now, d.Before)
}

func (d *Difference) Unwrap() error { return ErrOther }

// ErrOther is wrapped by the errors of Continues.
var ErrOther = errors.New("another configuration")

// Differences lists the keys in which c differs from the configuration that gave the earlier Settings. A setting that
// the earlier program did not have must be at its default.
func (c Config) Differences(earlier Settings) (list []Difference, err error) {
	now, err := c.Settings()
	if err != nil {
		return nil, err
	}
	standard := Default()
	standard.Algorithm = c.Algorithm
	added, err := standard.Settings()
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(now)) {
		before, had := earlier[key]
		if !had {
			before = added[key]
		}
		if string(before) != string(now[key]) {
			list = append(list, Difference{key, string(now[key]), string(before), !had})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(earlier)) {
		if _, has := now[key]; !has {
			list = append(list, Difference{Key: key, Before: string(earlier[key])})
		}
	}
	return list, nil
}

// Continues compares c with the earlier Settings. It returns nil if they are equal, otherwise the first Difference as
// an error.
func (c Config) Continues(earlier Settings) error {
	list, err := c.Differences(earlier)
	if err == nil && len(list) > 0 {
		err = &list[0]
	}
	return err
}

// Lengthens reports whether a setting, given by its dotted key, only sets how long c's runs are.
func (c Config) Lengthens(key string) bool {
	return key == "env_steps" || key != "" && key == algorithms()[c.Algorithm].Length
}

// Equal reports whether two configurations train the same run.
func (c Config) Equal(d Config) (bool, error) {
	s, err := d.Settings()
	if err != nil {
		return false, err
	}
	switch err = c.Continues(s); {
	case errors.Is(err, ErrOther):
		return false, nil
	default:
		return err == nil, err
	}
}
