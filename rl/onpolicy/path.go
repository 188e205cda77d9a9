package onpolicy

import (
	"math"

	"nacre/sim"
)

// Path is a run of steps whose rewards add up: an episode, or the joined episodes of a trial. The slices of inputs may
// be longer than Len steps; they are never written to.
type Path struct {
	Len    int
	Obs    []float32 // Len × width, what the baseline sees
	Act    []float32 // Len × act
	Reward []float32 // Len

	Return    []float64 // Len, by Returns
	Value     []float64 // Len, by a baseline
	Advantage []float64 // Len, by Advantages
}

// NewPath makes a path of n steps, with room for the values that are computed from it.
func NewPath(n int) Path {
	block := make([]float64, 3*n)
	return Path{Len: n, Return: block[:n:n], Value: block[n : 2*n : 2*n], Advantage: block[2*n:]}
}

// Paths makes each trajectory a path. Values are zero until a baseline predicts them.
func Paths(trajectories []sim.Trajectory) []Path {
	out := make([]Path, len(trajectories))
	for i := range trajectories {
		t := &trajectories[i]
		out[i] = NewPath(t.Len)
		out[i].Obs, out[i].Act, out[i].Reward = t.Obs, t.Act, t.Reward
	}
	return out
}

// Returns computes the discounted sums of rewards to the end of each path, R_t = r_t + γ·R_{t+1}. Nothing is added for
// rewards after the end, because the problem has a finite horizon.
func Returns(discount float64, paths []Path) {
	for _, p := range paths {
		sum := 0.0
		for t := p.Len - 1; t >= 0; t-- {
			sum = float64(p.Reward[t]) + discount*sum
			p.Return[t] = sum
		}
	}
}

// Advantages computes generalised advantages (Schulman et al. 2016, eq. 16) from rewards and values:
// A_t = δ_t + γλ·A_{t+1}, δ_t = r_t + γ·V_{t+1} − V_t, with V = 0 after the end.
func Advantages(discount, lambda float64, paths []Path) {
	for _, p := range paths {
		sum, next := 0.0, 0.0
		for t := p.Len - 1; t >= 0; t-- {
			sum = float64(p.Reward[t]) + discount*next - p.Value[t] + discount*lambda*sum
			p.Advantage[t], next = sum, p.Value[t]
		}
	}
}

// These constants say how Normalise scales advantages.
const (
	Std      = "std"      // advantages get mean 0 and standard deviation 1
	Variance = "variance" // they are divided by the variance instead of the deviation, as in garage
	Raw      = "raw"      // they stay as they are
)

// Normalise scales the advantages of all paths together, by one of the constants above: (A − mean)/(d + 1e-8) with d
// the standard deviation or the variance.
func Normalise(how string, paths []Path) {
	if how == Raw {
		return
	}
	var n int
	var mean, variance float64
	for _, p := range paths {
		n += p.Len
		for _, a := range p.Advantage {
			mean += a
		}
	}
	mean /= float64(n)
	for _, p := range paths {
		for _, a := range p.Advantage {
			variance += (a - mean) * (a - mean)
		}
	}
	variance /= float64(n)
	scale := math.Sqrt(variance)
	if how == Variance {
		scale = variance
	}
	for _, p := range paths {
		for t := range p.Advantage {
			p.Advantage[t] = (p.Advantage[t] - mean) / (scale + 1e-8)
		}
	}
}
