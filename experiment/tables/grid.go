package tables

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"nacre/analysis/stats"
	"nacre/rl/protocol"
	"nacre/sim"
)

// Cell is one system on one family.
type Cell struct {
	// Return is the mean over seeds with Student's 95 % interval, in the table's unit. The value of one seed is
	// Run.Return. N is the number of seeds counted, 0 for an empty cell.
	Return stats.Interval `json:"return"`
	Seeds  []float64      `json:"seeds"` // value of each seed, in the order of SeedOf
	SeedOf []uint64       `json:"seed"`
	Begun  int            `json:"runs"` // number of run folders of the cell, counted or not

	// Final and Success are results on the test tasks at the end of training. Their intervals come from a bootstrap
	// over seeds and tasks; it is a crossed one if the seeds share their tasks. Nil if no run is finished.
	Final   *stats.Interval `json:"final,omitempty"`
	Success *float64        `json:"success,omitempty"`

	Budget Budget   `json:"budget"`
	Paper  *float64 `json:"paper,omitempty"` // the paper's figure
	Notes  []string `json:"notes,omitempty"`
}

// Budget holds the least and the greatest budget of the counted runs of a cell.
type Budget struct {
	Evaluations int     `json:"evaluations"`
	MostOfThem  int     `json:"evaluations_max,omitempty"` // the largest number of evaluations, if not all are equal
	EnvStepsLo  float64 `json:"env_steps_min"`
	EnvStepsHi  float64 `json:"env_steps_max"`
	UpdatesLo   int64   `json:"updates_min"`
	UpdatesHi   int64   `json:"updates_max"`
	Seconds     float64 `json:"seconds"` // mean over the runs
	TestTasks   int     `json:"test_tasks"`
	Explore     int     `json:"trajectories_explored"`
}

// Grid is a table under construction: families by systems.
type Grid struct {
	Systems  []string // names of the systems, from the sweep or the algorithm
	Families []string
	Cells    [][]Cell // Cells[family][system]
	Left     []string // runs given that are not part of the table
}

// Shape says which runs a table takes and how it shows them.
type Shape struct {
	Algorithms []string                 // algorithms taken; nil takes all
	Families   func(family string) bool // reports whether a family is taken; nil takes all
	Order      []string                 // order of the systems
	Unit       float64                  // divisor of returns
	// environment steps at which runs are compared; 0: their end
	At int64
	// with At 0: later steps are ignored; 0: no limit
	Cap   int64
	Value func(Run) (float64, bool)                            // value of a run; nil: Run.Return
	Paper func(family, system string) (value float64, ok bool) // the paper's figure; nil if the paper has no table
}

// gridOf sorts runs into cells. Two runs of one cell with the same seed are an error, because it is unclear which of
// them counts.
func gridOf(runs []Run, s Shape) (*Grid, error) {
	g := &Grid{}
	var taken []Run
	for _, r := range runs {
		if s.Algorithms != nil && !slices.Contains(s.Algorithms, r.Config.Algorithm) ||
			s.Families != nil && !s.Families(r.Config.Family) {
			g.Left = append(g.Left, r.Dir)
			continue
		}
		taken = append(taken, r)
		if !slices.Contains(g.Families, r.Config.Family) {
			g.Families = append(g.Families, r.Config.Family)
		}
	}
	if len(taken) == 0 {
		return nil, fmt.Errorf("none of the %d runs belongs to this table", len(runs))
	}
	slices.Sort(g.Families)
	g.Systems = systems(taken, s.Order)
	for _, family := range g.Families {
		row := make([]Cell, len(g.Systems))
		for j, system := range g.Systems {
			var of []Run
			for _, r := range taken {
				if r.Config.Family == family && r.System == system {
					of = append(of, r)
				}
			}
			var err error
			if row[j], err = cellOf(of, s); err != nil {
				return nil, err
			}
			if s.Paper != nil {
				if v, ok := s.Paper(family, system); ok {
					row[j].Paper = &v
				}
			}
		}
		g.Cells = append(g.Cells, row)
	}
	return g, nil
}

// cellOf summarises the runs of a cell.
func cellOf(runs []Run, s Shape) (Cell, error) {
	c := Cell{Begun: len(runs)}
	if _, err := Together(runs); err != nil {
		return c, err
	}
	var counted []Run
	for _, r := range runs {
		if r.Damage != "" {
			c.Notes = append(c.Notes, fmt.Sprintf("seed %d is damaged and does not count", r.Config.Seed))
			continue
		}
		if !r.reached(s.At) {
			at := fmt.Sprintf("is at %.0f %%", 100*r.Share)
			if r.Finished {
				at = fmt.Sprintf("ends at %s environment steps", plain(r.last()))
			}
			c.Notes = append(c.Notes, fmt.Sprintf("seed %d %s", r.Config.Seed, at))
			continue
		}
		v, evaluations, ok := s.value(r)
		if !ok {
			c.Notes = append(c.Notes, fmt.Sprintf("seed %d has no evaluation%s", r.Config.Seed, s.where(r)))
			continue
		}
		counted = append(counted, r)
		c.Seeds, c.SeedOf = append(c.Seeds, v/s.Unit), append(c.SeedOf, r.Config.Seed)
		c.Budget.add(r, evaluations, len(counted))
	}
	if len(counted) == 0 {
		return c, nil
	}
	c.Return = stats.MeanInterval(c.Seeds)
	c.Budget.Seconds /= float64(len(counted))
	if err := c.finish(counted, s.Unit); err != nil {
		return c, err
	}
	said, err := Together(counted)
	if said != "" {
		c.Notes = append(c.Notes, said)
	}
	return c, err
}

// value returns what a run counts as, and the evaluations behind it.
func (s Shape) value(r Run) (v float64, evaluations int, ok bool) {
	if s.Value != nil {
		v, ok = s.Value(r)
		return v, 0, ok
	}
	return r.Return(s.at(r))
}

// at is the number of environment steps at which a run is taken; 0 for its end.
func (s Shape) at(r Run) float64 {
	if s.At == 0 && s.Cap > 0 {
		return min(float64(s.Cap), r.last())
	}
	return float64(s.At)
}

// where says in which steps a run has no evaluation that counts, if it has others.
func (s Shape) where(r Run) string {
	if len(r.Curve) == 0 {
		return ""
	}
	steps := s.at(r)
	if steps == 0 {
		steps = r.last()
	}
	return fmt.Sprintf(" that counts in the last tenth of %s environment steps", plain(steps))
}

// add widens the budget to a run, the n-th counted.
func (b *Budget) add(r Run, evaluations, n int) {
	if n == 1 {
		*b = Budget{Evaluations: evaluations, EnvStepsLo: r.last(), EnvStepsHi: r.last(), UpdatesLo: r.Updates,
			UpdatesHi: r.Updates}
	}
	least, most := min(b.Evaluations, evaluations), max(b.Evaluations, b.MostOfThem, evaluations)
	if b.Evaluations = least; most > least {
		b.MostOfThem = most
	}
	b.EnvStepsLo, b.EnvStepsHi = min(b.EnvStepsLo, r.last()), max(b.EnvStepsHi, r.last())
	b.UpdatesLo, b.UpdatesHi = min(b.UpdatesLo, r.Updates), max(b.UpdatesHi, r.Updates)
	b.Seconds += r.Seconds
}

// finish fills what the evaluations at the end say.
func (c *Cell) finish(runs []Run, unit float64) error {
	var values [][]float64
	var first *protocol.Result
	crossed, success := true, 0.0
	for _, r := range runs {
		if r.Final == nil {
			return nil
		}
		if first == nil {
			first = r.Final
		}
		crossed = crossed && slices.EqualFunc(r.Final.Tasks, first.Tasks, func(x, y protocol.TaskResult) bool {
			return reflect.DeepEqual(x.Params, y.Params)
		})
		tasks := r.Final.AdaptedByTask()
		for i := range tasks {
			tasks[i] /= unit
		}
		values = append(values, tasks)
		success += r.Final.Summary.AdaptedSuccess.Mean / float64(len(runs))
	}
	bootstrap := stats.Bootstrap
	if crossed {
		bootstrap = stats.BootstrapCrossed
	}
	const resamples = 4000
	i, err := bootstrap(values, 0.95, resamples, 1)
	if err != nil {
		return err
	}
	c.Final = &i
	if sim.Succeeds(runs[0].Config.Family) {
		c.Success = &success
	}
	c.Budget.TestTasks, c.Budget.Explore = len(first.Tasks), first.Protocol.Explore
	return nil
}

// counted is how many seeds stand behind a cell.
func (c Cell) counted() int { return len(c.Seeds) }

// complete lists the rows in which all of some systems have a cell.
func (g *Grid) complete(systems ...int) []int {
	var out []int
	for i, row := range g.Cells {
		if !slices.ContainsFunc(systems, func(j int) bool { return row[j].counted() == 0 }) {
			out = append(out, i)
		}
	}
	return out
}

// decimals to which returns are compared and shown, as the paper's are: what is equal to them is a tie.
const decimals = 2

func round(v float64) float64 {
	const scale = 100 // 10^decimals
	return math.Round(v*scale) / scale
}
