package main

import (
	"context"
	"fmt"

	"nacre/internal/measurement"
	"nacre/sim/discrete"
)

// systems are those that are trained in the grid world.
var systems = []struct {
	name, preset string
	settings     []string
}{
	{"RL²", "quick/grid-rl2", nil},
	{"VariBAD", "quick/grid-varibad", nil},
	{"VariBAD with its paper's decoder", "quick/grid-varibad",
		[]string{"varibad.reward_decoder=bernoulli", "varibad.kl_weight=1"}},
}

// grid measures the episodes of a trial in the grid world.
func grid(ctx context.Context, seeds int) (measurement.Measurement, error) {
	m := measurement.Measurement{
		What: "Mean returns of the four episodes of a trial in VariBAD's grid world",
		Conditions: "all 21 goals, ten trials each, actions drawn from the policy as in training; the presets " +
			"quick/grid-rl2 and quick/grid-varibad, and the latter with the Bernoulli decoder and w_kl = 1. The best " +
			"policy is Bayes-optimal, by a search of all paths",
		Spread:   "seeds",
		Commands: []string{"go run ./bench/discrete -write grid"},
		Labels:   []string{"system"},
	}
	best := discrete.BestGrid(4)
	top := measurement.Row{Of: []string{"best"}, Cells: map[string]measurement.Cell{"steps": {Words: "none"}}}
	sum := 0.0
	for e, x := range best {
		sum += x
		m.Columns = append(m.Columns,
			measurement.Column{Name: column(e), Head: fmt.Sprintf("episode %d", e+1), Digits: 2})
		top.Cells[column(e)] = measurement.Cell{Value: x}
	}
	top.Cells["sum"] = measurement.Cell{Value: sum}
	m.Columns = append(m.Columns, measurement.Column{Name: "sum", Head: "sum", Digits: 1, Bold: true},
		measurement.Column{Name: "steps", Head: "steps in training"})
	m.Rows = append(m.Rows, top)
	for _, s := range systems {
		row := measurement.Row{Of: []string{s.name}, Cells: map[string]measurement.Cell{}}
		for seed := range seeds {
			returns, steps, err := train(ctx, s.preset, uint64(seed+1), 0, s.settings...)
			if err != nil {
				return m, err
			}
			sum := 0.0
			for e, x := range returns {
				sum += x
				add(row, column(e), x)
			}
			add(row, "sum", sum)
			row.Cells["steps"] = measurement.Cell{Value: float64(steps)}
		}
		m.Rows = append(m.Rows, row)
	}
	return m, nil
}

func column(episode int) string { return fmt.Sprintf("episode_%d", episode+1) }

// add adds a seed's number to a cell.
func add(r measurement.Row, name string, x float64) {
	c := r.Cells[name]
	c.Seeds = append(c.Seeds, x)
	r.Cells[name] = c
}
