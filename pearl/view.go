package pearl

import (
	"math"

	"nacre/core"
	"nacre/core/graph"
	"nacre/rl/replay"
	"nacre/rl/weights"
)

// view turns observations and rewards into the networks' inputs. Its zero value leaves them as they are.
type view struct {
	obs, act         int
	standard, symlog bool
}

// Parameters of standardised observations, 1×obs each: seen is clamp((o − mean)·scale, ±limit).
const (
	obsMean  = "obs/mean"
	obsScale = "obs/scale"
	limit    = 10
	// minStd bounds the scale of coordinates that hardly move in the initial collection.
	minStd = 0.01
)

// observation: rows×obs → rows×obs.
func (v view) observation(s *core.Stage, o *graph.Node) *graph.Node {
	if !v.standard {
		return o
	}
	return s.Clamp(s.Mul(s.Sub(o, s.Param(obsMean, 1, v.obs)), s.Param(obsScale, 1, v.obs)), -limit, limit)
}

// reward: rows×1 → rows×1, sign(r)·log(1 + |r|) (Hafner et al. 2023) if not as it is.
func (v view) reward(s *core.Stage, r *graph.Node) *graph.Node {
	if !v.symlog {
		return r
	}
	return s.Mul(s.Sign(r), s.Log1p(s.Abs(r)))
}

// context: rows (o, a, r) or (o, a, r, o') of any number.
func (v view) context(s *core.Stage, c *graph.Node) *graph.Node {
	at := v.obs + v.act
	parts := []*graph.Node{v.observation(s, s.SliceCols(c, 0, v.obs)), s.SliceCols(c, v.obs, at),
		v.reward(s, s.SliceCols(c, at, at+1))}
	if width := c.Shape()[1]; width > at+1 {
		parts = append(parts, v.observation(s, s.SliceCols(c, at+1, width)))
	}
	return s.ConcatCols(parts...)
}

// describe says through which views the networks see.
func (v view) describe(d weights.Description) {
	if v.standard {
		for _, input := range []string{"observation", "next_observation"} {
			d.Views[input] = weights.Standardised(obsMean, obsScale, limit)
		}
	}
	if v.symlog {
		d.Views["reward"] = weights.Symlog()
	}
}

func (v view) specs() []core.ParamSpec {
	if !v.standard {
		return nil
	}
	return []core.ParamSpec{{Name: obsMean, Rows: 1, Cols: v.obs}, {Name: obsScale, Rows: 1, Cols: v.obs}}
}

// init shows observations as they are.
func (v view) init(m core.Memory) error {
	if !v.standard {
		return nil
	}
	ones := make([]float64, v.obs)
	for i := range ones {
		ones[i] = 1
	}
	return m.Write(obsScale, ones)
}

// fit takes mean and deviation of the observations that are in the replay of all tasks.
func (v view) fit(m core.Memory, buf *replay.Buffer) error {
	if !v.standard {
		return nil
	}
	n, mean, scale := 0.0, make([]float64, v.obs), make([]float64, v.obs)
	for _, task := range buf.RL {
		for o := range task.Observations {
			n++
			for j, x := range o { // Welford: scale holds the sum of squares about the mean
				d := float64(x) - mean[j]
				mean[j] += d / n
				scale[j] += d * (float64(x) - mean[j])
			}
		}
	}
	for j, squares := range scale {
		scale[j] = 1 / max(math.Sqrt(squares/n), minStd)
	}
	if err := m.Write(obsMean, mean); err != nil {
		return err
	}
	return m.Write(obsScale, scale)
}
