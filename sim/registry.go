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
	byName map[string]Family
}{byName: map[string]Family{}}

// Register makes f known under the name in its Spec. A name registered again is replaced, so that a notebook cell
// that defines a family can be run twice. It is an error if the name is empty or a dimension is not positive.
func Register(f Family) error {
	s := f.Spec()
	if s.Name == "" {
		return fmt.Errorf("sim: register: the family has no name")
	}
	if s.ObsDim < 1 || s.ActDim < 1 || s.Horizon < 1 || s.TaskDim < 0 {
		return fmt.Errorf("sim: register %s: ObsDim %d, ActDim %d and Horizon %d must be at least 1 and TaskDim %d at least 0",
			s.Name, s.ObsDim, s.ActDim, s.Horizon, s.TaskDim)
	}
	registry.Lock()
	defer registry.Unlock()
	registry.byName[s.Name] = f
	return nil
}

// Checker is implemented by families that need something a build may lack. Available returns nil, or an error that
// wraps ErrUnavailable and says what to do.
type Checker interface {
	Available() error
}

// Lookup returns the family registered under name. For an unknown name the error gives the nearest one and the list;
// for a family that this build cannot run it wraps ErrUnavailable and says what to do.
func Lookup(name string) (Family, error) {
	registry.RLock()
	f, ok := registry.byName[name]
	registry.RUnlock()
	if !ok {
		return nil, unknown(name)
	}
	if c, ok := f.(Checker); ok {
		if err := c.Available(); err != nil {
			return nil, fmt.Errorf("sim: family %q: %w", name, err)
		}
	}
	return f, nil
}

// Families returns what is registered, sorted by name, including families that this build cannot run.
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
	return fmt.Errorf("sim: unknown family %q%s", name, nearest.Hint(name, names))
}
