package varibad

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"nacre/core/cpu"
	"nacre/core/ref"
	"nacre/internal/rng"
	"nacre/rl"
	"nacre/sim"
)

// theirs is a case of testdata/torch.json.
type theirs struct {
	Decoder                 string
	StateWeight             float64 `json:"state_weight"`
	KLTo                    string  `json:"kl_to"`
	Loss, Reward, State, KL float64
	Gradients               map[string][]float64
}

// With both reward decoders the loss, its parts and every gradient are those of an independent PyTorch program, both in
// float64.
func TestELBOIsThatOfPyTorch(t *testing.T) {
	text, err := os.ReadFile("testdata/torch.json")
	check(t, err)
	var file struct{ Cases []theirs }
	check(t, json.Unmarshal(text, &file))
	if len(file.Cases) != 3 {
		t.Fatalf("%d cases, want 3", len(file.Cases))
	}
	for _, c := range file.Cases {
		n, m := tiny(t, ref.Device, func(own *Config) {
			own.RewardDecoder, own.StateWeight, own.KLTo = c.Decoder, c.StateWeight, c.KLTo
		})
		for i, s := range n.Specs()[:len(c.Gradients)] {
			x := rng.Normal(100+uint64(i), s.Rows*s.Cols)
			for j := range x {
				x[j] *= 0.5
			}
			check(t, m.Write(s.Name, x))
		}
		trials, noise := problem(n)
		f, grads, _ := elboGradients(t, ref.Device, n, m, trials, 5, noise...)
		for name, x := range map[string][2]float64{"loss": {f.Loss, c.Loss}, "reward": {f.Reward, c.Reward},
			"state": {f.State, c.State}, "kl": {f.KL, c.KL}} {
			nearTheirs(t, c, name, x[0], x[1])
		}
		if len(grads) != len(c.Gradients) {
			t.Errorf("gradients by %d parameters, PyTorch has %d", len(grads), len(c.Gradients))
		}
		for name, want := range c.Gradients {
			for i := range want {
				nearTheirs(t, c, name, grads[name][i], want[i])
			}
		}
	}
}

func nearTheirs(t *testing.T, c theirs, name string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) {
		t.Errorf("%s decoder, KL to %s: %s %.12g, in PyTorch %.12g", c.Decoder, c.KLTo, name, got, want)
	}
}

// problem is that of bench/torch/varibad.py.
func problem(n Networks) (trials []*trial, noise []float32) {
	w, from := n.Encoder.Width(), n.Encoder.obs+n.Encoder.act+1
	for i, steps := range []int{5, 3} {
		one := &trial{Len: steps}
		places := rng.Uniform(60+uint64(i), 2*steps, 0, 1)
		for j, x := range rng.Normal(50+uint64(i), w*steps) {
			if k := j%w - from; k >= 0 {
				x = math.Floor(places[j/w*2+k] * float64(cells[k]))
			}
			one.Rows = append(one.Rows, float32(x))
		}
		trials = append(trials, one)
	}
	for _, x := range rng.Normal(70, 2*6*n.Encoder.latent) {
		noise = append(noise, float32(x))
	}
	return trials, noise
}

// The decoder needs few enough observations, all of them whole numbers in their ranges.
func TestBernoulliDecoderRefuses(t *testing.T) {
	n, m := tiny(t, ref.Device, func(c *Config) { c.RewardDecoder = bernoulli })
	for _, s := range []sim.Spec{{Name: "field", ObsDim: 2}, {Name: "field", ObsDim: 2, ObsChoices: []int{65, 64}},
		{Name: "field", ObsDim: 5, ObsChoices: []int{1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20}}} {
		_, err := n.withHeads(s)
		for _, word := range []string{"varibad.reward_decoder", "field", s.Observations(), "4096", `"squared"`} {
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %v, want %s in it", s.Observations(), err, word)
			}
		}
	}
	if most, err := n.withHeads(sim.Spec{Name: "field", ObsDim: 2, ObsChoices: []int{64, 64}}); err != nil ||
		most.heads != 4096 {
		t.Errorf("64 by 64 observations: %d heads, %v", most.heads, err)
	}
	for _, bad := range []float32{-1, 2, 0.5, float32(math.NaN()), float32(math.Inf(1))} {
		trials, rows := randomTrials(n.Encoder.Width(), 5, 3)
		inCells(n, trials, rows)
		trials[1].Rows[n.Encoder.Width()-1] = bad
		v, err := newVAE(ref.Device, m, n, 5)
		check(t, err)
		err = v.set(trials, rng.New(1))
		if err == nil || !strings.Contains(err.Error(), "number 1") || !strings.Contains(err.Error(), "from 0 to 1") {
			t.Errorf("an observation of %g: %v", bad, err)
		}
		check(t, v.Close())
	}
}

// A family without discrete observations is refused before anything is made.
func TestBernoulliOnThePointRobot(t *testing.T) {
	point, err := sim.Lookup("point-goal")
	check(t, err)
	setup := rl.Setup{Spec: point.Spec(), Train: make([]sim.Task, 1), Device: ref.Device}
	c := Grid()
	c.RewardDecoder = bernoulli
	if _, err := New(c, setup); err == nil || !strings.Contains(err.Error(), "family point-goal are Box(2)") {
		t.Errorf("the point robot: %v", err)
	}
}

// wanderings are trials of so many steps to random cells, one of which pays 1 and the others −0.1.
func wanderings(n Networks, trials, steps int) (out []*trial, goals []int) {
	for i := range trials {
		r, one, goal := rng.New(6, uint64(i)), &trial{Len: steps}, i%n.heads
		at := []float32{0, 0}
		for range steps {
			row := append(append([]float32(nil), at...), 1, -0.1)
			at = []float32{float32(r.IntN(cells[0])), float32(r.IntN(cells[1]))}
			if int(at[0])*cells[1]+int(at[1]) == goal {
				row[3] = 1
			}
			one.Rows = append(one.Rows, append(row, at...)...)
		}
		out, goals = append(out, one), append(goals, goal)
	}
	return out, goals
}

// After some updates the heads know, from a trial in which a cell paid, which one it was.
func TestHeadsFindTheCellThatPays(t *testing.T) {
	d, err := cpu.New(cpu.Options{Workers: 1})
	check(t, err)
	c := Default()
	c.Latent, c.Embed, c.Memory, c.Decoder, c.Trials, c.Posteriors, c.Decodes, c.LRVAE, c.KLWeight = 3, 16, 16, 16, 24,
		0, 0, 1e-2, 0.1
	c.RewardDecoder = bernoulli
	n, err := NewNetworks(c, 2, 1).withHeads(sim.Spec{ObsDim: 2, ObsChoices: cells})
	check(t, err)
	m, err := d.NewMemory(n.Specs())
	check(t, err, n.init(m, 1))
	v, err := newVAE(d, m, n, 12)
	check(t, err)
	defer v.Close()
	trials, goals := wanderings(n, c.Trials, 12)
	for step := range 300 {
		check(t, v.set(trials, rng.New(2, uint64(step))))
		_, err = v.step()
		check(t, err)
	}
	at, right, paid := values(t, m, n.Specs()), 0, 0
	for i, one := range trials {
		var rows []float64
		seen := false
		for j, x := range one.Rows {
			rows = append(rows, float64(x))
			seen = seen || j%n.Encoder.Width() == 3 && x > 0
		}
		if !seen {
			continue
		}
		paid++
		q := at.beliefs(n.Encoder, rows)
		logits := at.net(n.reward, relu, q[len(q)-1].Mean...)
		if slices.Index(logits, slices.Max(logits)) == goals[i] && slices.Max(logits) > 0 {
			right++
		}
	}
	if paid < 15 || right < paid*9/10 {
		t.Errorf("of %d trials in which a cell paid, the heads find it in %d, want nine of ten", paid, right)
	}
}
