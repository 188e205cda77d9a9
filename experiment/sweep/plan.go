package sweep

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"nacre/experiment"
	"nacre/internal/nearest"
	"nacre/rl/config"
	"nacre/sim"
)

// Plan holds what a sweep trains: every system on every family with every seed.
type Plan struct {
	Name     string   `toml:"name" comment:"name of the sweep and its jobs"`
	Out      string   `toml:"out" comment:"folder of all files of the sweep; empty is out/NAME"`
	Families []string `toml:"families" comment:"names of families, or patterns such as ml1/*"`
	Seeds    []uint64 `toml:"seeds"`
	Preset   string   `toml:"preset" comment:"preset of systems that name none; {family} stands for the family's name"`
	EnvSteps int64    `toml:"env_steps" range:"[0,1e12]" comment:"length of every run in environment steps; 0 keeps the presets' iterations"`
	Set      []string `toml:"set" comment:"key=value for every run; a key of a table, such as pearl.latent, is set only in runs whose algorithm reads this table"`
	Systems  []System `toml:"systems"`
	Local    Local    `toml:"local"`
	Slurm    Slurm    `toml:"slurm"`
}

// System is one column of the tables of results.
type System struct {
	Name      string   `toml:"name" comment:"name of the system; empty is the algorithm's name"`
	Algorithm string   `toml:"algorithm" comment:"algorithm of the system; empty is the preset's"`
	Preset    string   `toml:"preset"`
	Set       []string `toml:"set" comment:"key=value for this system; it overrules the plan's set"`
}

// Local holds how runs share this machine.
type Local struct {
	Processes int `toml:"processes" range:"[0,4096]" comment:"number of processes at a time; 0 is as many as the cores allow"`
	Cores     int `toml:"cores" range:"[0,4096]" comment:"number of cores of each run, which is pinned to them; 0 is 1"`
	Together  int `toml:"together" range:"[0,1024]" comment:"number of runs of one system in each process; on a GPU their updates are one program; 0 is 1"`
}

// Run is one cell of a sweep with its full configuration.
type Run struct {
	Name   string            `json:"name"` // name of its folder
	Family string            `json:"family"`
	System string            `json:"system"`
	Seed   uint64            `json:"seed"`
	Config experiment.Config `json:"-"`
}

// shipped are the plans that come with the program.
//
//go:embed plans/*.toml
var shipped embed.FS

// Shipped are the names of the plans that come with the program.
func Shipped() []string {
	entries, err := shipped.ReadDir("plans")
	if err != nil {
		panic(err) // the folder is part of this package
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".toml"))
	}
	return names
}

// Load reads and checks a plan. The plan is a file or, if there is no file of that name, a plan that comes with the
// program.
func Load(name string) (Plan, error) {
	var p Plan
	source := config.File(name)
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		text, err := shipped.ReadFile("plans/" + name + ".toml")
		if err != nil {
			return p, fmt.Errorf("there is no plan %s, neither a file nor one that comes with nacre%s", name,
				nearest.Hint(name, Shipped()))
		}
		source = config.Text("plan "+name, text)
	}
	if err := source(&p); err != nil {
		return p, err
	}
	if err := config.Check(&p); err != nil {
		return p, fmt.Errorf("plan %s: %w", name, err)
	}
	p.Out = cmp.Or(p.Out, path.Join("out", p.Name))
	return p, nil
}

// Validate checks that a plan has what it needs.
func (p Plan) Validate() error {
	switch {
	case p.Name == "" || strings.ContainsFunc(p.Name, notInNames):
		return fmt.Errorf("name = %q, want letters, digits and any of .-_", p.Name)
	case len(p.Families) == 0:
		return fmt.Errorf("families is empty, want at least one; \"nacre envs\" lists them")
	case len(p.Seeds) == 0:
		return fmt.Errorf("seeds is empty, want at least one")
	case len(p.Systems) == 0:
		return fmt.Errorf("no [[systems]], want at least one with an algorithm or a preset")
	}
	return nil
}

// notInNames reports whether a letter has no place in file names and job names.
func notInNames(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r))
}

// Expand lists the runs and checks every configuration. The runs are in order of their seeds, so a sweep that is
// stopped early has all systems and families of its first seeds.
func (p Plan) Expand() ([]Run, error) {
	families, err := p.families()
	if err != nil {
		return nil, err
	}
	var runs []Run
	seen := map[string]bool{}
	for _, seed := range p.Seeds {
		for _, family := range families {
			for i, s := range p.Systems {
				r, err := p.run(s, family, seed)
				if err != nil {
					return nil, fmt.Errorf("plan %s: system %d on %s: %w", p.Name, i+1, family, err)
				}
				if seen[r.Name] {
					return nil, fmt.Errorf("plan %s: two runs are called %s: give systems of one algorithm a name "+
						"each, and families and seeds once", p.Name, r.Name)
				}
				seen[r.Name] = true
				runs = append(runs, r)
			}
		}
	}
	for _, pair := range p.Set {
		if !slices.ContainsFunc(runs, func(r Run) bool { return !r.Config.Ignores(pair) }) {
			return nil, fmt.Errorf("plan %s: set %q: no algorithm of the plan reads that table", p.Name, pair)
		}
	}
	return runs, nil
}

// families are the names that the plan's names and patterns stand for, in its order.
func (p Plan) families() ([]string, error) {
	var out []string
	for _, pattern := range p.Families {
		if !strings.ContainsAny(pattern, "*?[") {
			out = append(out, pattern)
			continue
		}
		n := len(out)
		for _, spec := range sim.Families() {
			match, err := path.Match(pattern, spec.Name)
			if err != nil {
				return nil, fmt.Errorf("plan %s: families: pattern %q: %w", p.Name, pattern, err)
			}
			// ml1/* means the families themselves, not their variants such as ml1/push:v2.
			match = match && strings.Count(spec.Name, ":") == strings.Count(pattern, ":")
			if match && !slices.Contains(out, spec.Name) {
				out = append(out, spec.Name)
			}
		}
		if len(out) == n {
			return nil, fmt.Errorf("plan %s: families: no family matches %q; \"nacre envs\" lists them",
				p.Name, pattern)
		}
	}
	return out, nil
}

// RunName returns the name of the folder of a run of a system on a family with a seed.
func RunName(family, system string, seed uint64) string {
	return fmt.Sprintf("%s-%s-seed%d", strings.NewReplacer("/", "-", ":", "-").Replace(family), system, seed)
}

// run builds a run's configuration in the layers of nacre train: preset, algorithm and family, the plan's and the
// system's assignments, the seed.
func (p Plan) run(s System, family string, seed uint64) (Run, error) {
	preset := cmp.Or(s.Preset, p.Preset)
	if preset == "" {
		return Run{}, fmt.Errorf("no preset, neither the system's nor the plan's; \"nacre presets\" lists them")
	}
	if _, err := sim.Lookup(family); err != nil {
		return Run{}, err
	}
	cfg, err := experiment.Preset(strings.ReplaceAll(preset, "{family}", family))
	if err != nil {
		return Run{}, err
	}
	cfg.Family, cfg.Seed, cfg.EnvSteps = family, seed, p.EnvSteps
	if s.Algorithm != "" {
		cfg.Algorithm = s.Algorithm
	}
	// A setting of the plan for all systems is used by those whose algorithm reads it.
	shared := slices.DeleteFunc(slices.Clone(p.Set), func(pair string) bool { return cfg.Ignores(pair) })
	if err := experiment.Change(&cfg, slices.Concat(shared, s.Set)...); err != nil {
		return Run{}, err
	}
	if cfg.Family != family || cfg.Seed != seed {
		return Run{}, fmt.Errorf("set changes family or seed: list them under families and seeds")
	}
	name := cmp.Or(s.Name, cfg.Algorithm)
	r := Run{Name: RunName(family, name, cfg.Seed), Family: family, System: name, Seed: cfg.Seed, Config: cfg}
	if strings.ContainsFunc(r.Name, notInNames) {
		return Run{}, fmt.Errorf("system name %q, want letters, digits and any of .-_", name)
	}
	return r, nil
}
