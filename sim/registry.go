package sim

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"nacre/internal/nearest"
)

var registry = struct {
	sync.RWMutex
	byName  map[string]Family
	builtin map[string]bool // names that Builtin has taken
	openers []opener
	opened  map[string]Family // the last that an opener made of a name
}{byName: map[string]Family{}, builtin: map[string]bool{}, opened: map[string]Family{}}

// opener makes families of names that begin alike.
type opener struct {
	prefix string
	open   func(name string) (Family, error)
}

// Opener registers the function open, which makes families that cannot be listed in advance, such as those of classes
// in Python. Lookup calls open for every name that begins with prefix; open may return the family that it returned
// before. The package that has open calls Opener in its init.
func Opener(prefix string, open func(name string) (Family, error)) {
	registry.Lock()
	defer registry.Unlock()
	registry.openers = append(registry.openers, opener{prefix, open})
}

// Opens reports whether the family of this name is one that an Opener makes.
func Opens(name string) bool { return openerOf(name) != nil }

func openerOf(name string) func(string) (Family, error) {
	registry.RLock()
	defer registry.RUnlock()
	for _, o := range registry.openers {
		if strings.HasPrefix(name, o.prefix) {
			return o.open
		}
	}
	return nil
}

// known is the family of a name if it need not be made.
func known(name string) (Family, bool) {
	registry.RLock()
	defer registry.RUnlock()
	if f, ok := registry.byName[name]; ok {
		return f, true
	}
	f, ok := registry.opened[name]
	return f, ok
}

// Define registers a family of a notebook under the name in its Spec. A second family of the same name replaces the
// first, so a cell can be run twice. Only the names of built-in families cannot be used. It is an error if the name is
// empty or a dimension is not positive.
func Define(f Family) error {
	if err := check(f.Spec()); err != nil {
		return err
	}
	return register(f, false)
}

// Builtin registers families of the program, from the init of the package that contains them. It panics if Define would
// refuse a family, if its Source is empty or if its name is taken: these are mistakes of the program.
func Builtin[F Family](families ...F) {
	for _, f := range families {
		if err := builtin(f); err != nil {
			panic(err)
		}
	}
}

// Register is Define.
//
// Deprecated: use sim.Define. The next release removes this name.
func Register(f Family) error { return Define(f) }

// MustRegister is Builtin.
//
// Deprecated: use sim.Builtin. The next release removes this name.
func MustRegister[F Family](families ...F) { Builtin(families...) }

func builtin(f Family) error {
	s := f.Spec()
	if err := check(s); err != nil {
		return err
	}
	if s.Source == "" {
		return fmt.Errorf("sim: family %s: the Source is empty; expected what defines the family", s.Name)
	}
	return register(f, true)
}

func register(f Family, builtin bool) error {
	name := f.Spec().Name
	registry.Lock()
	defer registry.Unlock()
	if _, known := registry.byName[name]; registry.builtin[name] || builtin && known {
		return fmt.Errorf("sim: family %s: a built-in family has this name; expected another", name)
	}
	registry.byName[name] = f
	if builtin {
		registry.builtin[name] = true
	}
	return nil
}

// check says what a family's description lacks.
func check(s Spec) error {
	if s.Name == "" {
		return fmt.Errorf("sim: the family has no name")
	}
	if s.ObsDim < 1 || s.ActDim < 1 || s.Horizon < 1 || s.TaskDim < 0 {
		return fmt.Errorf("sim: family %s: ObsDim %d, ActDim %d and Horizon %d must be at least 1 and TaskDim %d at "+
			"least 0",
			s.Name, s.ObsDim, s.ActDim, s.Horizon, s.TaskDim)
	}
	return s.checkChoices()
}

// Lookup returns the family registered under name. For an unknown name the error gives the nearest name and the list of
// names. For a family that this build cannot run, the error wraps ErrUnavailable and says what to do. It opens a
// name with the prefix of an Opener.
func Lookup(name string) (Family, error) {
	registry.RLock()
	f, ok := registry.byName[name]
	registry.RUnlock()
	if !ok {
		return open(name)
	}
	if c, ok := f.(Checker); ok {
		if err := c.Available(); err != nil {
			return nil, fmt.Errorf("sim: family %q: %w", name, err)
		}
	}
	return f, nil
}

// open makes the family of a name that is not registered.
func open(name string) (Family, error) {
	of := openerOf(name)
	if of == nil {
		return nil, unknown(name)
	}
	f, err := of(name)
	if err == nil {
		err = check(f.Spec())
	}
	if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	registry.Lock()
	defer registry.Unlock()
	registry.opened[name] = f
	return f, nil
}

// Families returns the Specs of all registered families, sorted by name, including families that this build cannot run.
func Families() []Spec {
	registry.RLock()
	defer registry.RUnlock()
	specs := make([]Spec, 0, len(registry.byName))
	for _, f := range registry.byName {
		specs = append(specs, f.Spec())
	}
	slices.SortFunc(specs, func(a, b Spec) int { return strings.Compare(a.Name, b.Name) })
	return specs
}

func unknown(name string) error {
	specs := Families()
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = s.Name
	}
	return fmt.Errorf("sim: unknown family %s%s", nearest.Quote(name), nearest.Hint(name, names))
}
