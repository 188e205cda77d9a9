package losses_test

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/feed"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/core/ref"
	"nacre/internal/fatal"
	"nacre/internal/heavy"
	"nacre/internal/rng"
	"nacre/rl"
	"nacre/rl/auxiliary"
	"nacre/rl/auxiliary/losses"
	"nacre/rl/belief"
	"nacre/rl/config"
	"nacre/rl/mql"
	"nacre/rl/rl2"
	"nacre/rl/rltest"
	"nacre/rl/varibad"
)

var check = fatal.On

// opened makes a loss with settings over its defaults.
func opened(l auxiliary.Loss, on auxiliary.Setting, settings ...string) (belief.Auxiliary, error) {
	own := reflect.New(reflect.TypeOf(l.Table.Default))
	own.Elem().Set(reflect.ValueOf(l.Table.Default))
	for _, set := range settings {
		if err := config.Resolve(own.Interface(), config.Set(strings.TrimPrefix(set, l.Name+"."))); err != nil {
			return nil, err
		}
	}
	c := rl.Default()
	c.Put(l.Table, own.Elem().Interface())
	return l.New(c, on)
}

// encoders are those of all algorithms that infer a task from transitions, small, beside the suite's own.
func encoders() map[string]belief.ContextEncoder {
	const obs, act = 3, 2
	q, r, v := mql.Default(), rl2.Default(), varibad.Default()
	q.Context, q.Hidden, q.Layers, q.History = 4, 3, 1, 6
	r.Hidden, v.Embed, v.Memory, v.Latent = 4, 3, 4, 2
	out := rltest.Encoders()
	actor, critic := mql.NewNetworks(q, obs, act).Encoders()
	out["MQL's actor"], out["MQL's critics"] = actor, critic
	out["RL²"] = rl2.NewPolicy(r, obs, act).Encoder()
	out["VariBAD"] = varibad.NewEncoder(v, obs, act)
	return out
}

// Every loss, with its own settings and each of its variants, keeps the contract on every encoder.
func TestEveryLossOnEveryEncoder(t *testing.T) {
	heavy.Skip(t, "builds every pair of a loss and an encoder")
	for _, l := range losses.All() {
		variants := map[string][]string{"": nil}
		maps.Copy(variants, l.Variants)
		switch l.Name {
		case "infonce":
			variants["distance"] = []string{"infonce.similarity=distance"}
			variants["bilinear"] = []string{"infonce.similarity=bilinear", "infonce.key=shared"}
			variants["rows"] = []string{"infonce.sampling=rows", "infonce.pair=same-task"}
		case "reconstruction":
			variants["squared"] = []string{"reconstruction.likelihood=squared", "reconstruction.targets=reward"}
		}
		for name, settings := range variants {
			on := encoders()
			if name != "" { // the suite's own have both kinds of posterior
				on = nil
			}
			if l.Window != nil {
				settings = append(slices.Clone(settings), l.Name+".window=6")
			}
			t.Run(l.Name+"/"+name, func(t *testing.T) {
				rltest.Auxiliary(t, func(s auxiliary.Setting) (belief.Auxiliary, error) {
					return opened(l, s, settings...)
				}, on)
			})
		}
	}
}

// theirs is a case of testdata/torch.json.
type theirs struct {
	Loss   float64
	Z      []float64
	Params map[string][]float64
}

// The problem of bench/torch/auxiliary.py.
const (
	slots, train, size, obs, act, rows, hidden = 5, 4, 3, 2, 2, 6, 7

	row = obs + act + 1
)

var tasks = []int{2, 0, 3, 2, 0}

// linear is the encoder of that problem, of which only the keys of contrastive losses are made.
var linear = belief.Encoder{Latent: size, Net: nn.MLP{Name: "encoder", In: row, Out: 2 * size, Act: op.ReLU}}

// Each loss and its gradients are those of an independent PyTorch program, both in float64.
func TestLossesAreThoseOfPyTorch(t *testing.T) {
	text, err := os.ReadFile("testdata/torch.json")
	check(t, err)
	var file struct{ Cases map[string]theirs }
	check(t, json.Unmarshal(text, &file))
	settings := map[string][]string{
		"focal": nil, "focal/paper": {"focal.form=paper"}, "focal/power": {"focal.power=1", "focal.beta=0.5"},
		"focal/bounded": {"focal.bounded=true", "focal.epsilon=0.02"},
		"infonce":       {"infonce.window=6"},
		"infonce/distance": {"infonce.window=6", "infonce.similarity=distance", "infonce.temperature=1",
			"infonce.negatives=mask-same-task"},
		"infonce/bilinear": {"infonce.window=6", "infonce.similarity=bilinear", "infonce.temperature=1",
			"infonce.key=shared"},
		"classifier":     {"classifier.hidden=7"},
		"reconstruction": {"reconstruction.hidden=7"},
		"reconstruction/squared": {"reconstruction.hidden=7", "reconstruction.likelihood=squared",
			"reconstruction.targets=reward"},
		"unicorn": {"unicorn.hidden=7"},
	}
	if len(file.Cases) != len(settings) {
		t.Errorf("%d cases, want %d", len(file.Cases), len(settings))
	}
	for _, l := range losses.All() {
		for name, set := range settings {
			if of, _, _ := strings.Cut(name, "/"); of != l.Name {
				continue
			}
			t.Run(name, func(t *testing.T) {
				a, err := opened(l, auxiliary.Setting{Encoder: linear, Slots: slots, Train: train, Obs: obs, Act: act,
					Context: feed.Draw{Kind: feed.Window, N: rows}}, append(set, l.Name+".scale=2")...)
				check(t, err)
				compare(t, a, file.Cases[name])
			})
		}
	}
}

// compare computes a loss of embeddings that are an input, and its gradients.
func compare(t *testing.T, a belief.Auxiliary, want theirs) {
	t.Helper()
	b := core.NewBuilder("loss", slots)
	s := b.Stage("loss")
	z := s.Input("z", slots, size)
	loss := a.Loss(s, belief.Posterior{Mean: z})
	s.Output("loss", loss)
	specs := append(linear.Specs(), a.Params()...)
	by := []core.ParamSpec{}
	for _, p := range specs {
		if want.Params[p.Name] != nil {
			by = append(by, p)
		}
	}
	if len(by) != len(want.Params) {
		t.Errorf("gradients by %d parameters, PyTorch has %d", len(by), len(want.Params))
	}
	for i, g := range s.Gradients(loss, append(belief.Nodes(s, by), z)...) {
		if i < len(by) {
			s.Output("d/"+by[i].Name, g)
		} else {
			s.Output("d/z", g)
		}
	}
	program, err := b.Compile()
	check(t, err)
	m, err := ref.Device.NewMemory(specs)
	check(t, err)
	fill(t, m, linear.Net.Name, 100)
	check(t, a.Init(m))
	fill(t, m, "classifier", 210)
	fill(t, m, "reconstruction/reward", 300)
	fill(t, m, "reconstruction/next_observation", 320)
	if slices.ContainsFunc(specs, func(p core.ParamSpec) bool { return p.Name == "infonce/w" }) {
		check(t, m.Write("infonce/w", rng.Normal(200, size*size)))
	}
	run, err := ref.Device.Load(program, m)
	check(t, err)
	for name, x := range inputs() {
		if _, has := program.Inputs[name]; has {
			check(t, run.Write64(name, x))
		}
	}
	check(t, run.Run())
	near := func(output string, want []float64) { t.Helper(); rltest.Near(t, run, output, want) }
	near("loss", []float64{want.Loss})
	near("d/z", want.Z)
	for name, g := range want.Params {
		near("d/"+name, g)
	}
}

// fill writes the weights and biases of a perceptron, those of layer l from streams stream+2l and stream+2l+1.
func fill(t *testing.T, m core.Memory, network string, stream uint64) {
	t.Helper()
	for _, p := range m.Params() {
		kind, found := strings.CutPrefix(p.Name, network+"/")
		if !found || len(kind) != 2 {
			continue
		}
		x := rng.Normal(stream+2*uint64(kind[1]-'0')+uint64(strings.IndexByte("wb", kind[0])), p.Rows*p.Cols)
		for i := range x {
			x[i] /= 2
		}
		check(t, m.Write(p.Name, x))
	}
}

// inputs are those of the losses.
func inputs() map[string][]float64 {
	weights := slices.Repeat([]float64{1}, slots*rows)
	clear(weights[2*rows-2 : 2*rows]) // slot 1 has a short window
	same, other, one := make([]float64, slots*slots), make([]float64, slots*slots), make([]float64, slots*train)
	for i, a := range tasks {
		one[i*train+a] = 1
		for j, b := range tasks {
			if i != j && a == b {
				same[i*slots+j], other[i*slots+j] = 1, auxiliary.Masked
			}
		}
	}
	return map[string][]float64{
		"z": rng.Normal(1, slots*size), "reconstruction_rows": rng.Normal(2, slots*rows*(row+obs)),
		"key_context": rng.Normal(3, slots*rows*row), "key_weight": weights, "reconstruction_weight": weights,
		"focal_mask": same, "infonce_mask": other, "focal_task": one, "classifier_task": one,
	}
}

// MQL, RL² and VariBAD with each of the losses are learners like those without.
func TestCarried(t *testing.T) {
	for algorithm := range rltest.Recurrent() {
		for _, l := range losses.All() {
			t.Run(algorithm+"-"+l.Name, func(t *testing.T) {
				if l.Name != "infonce" {
					heavy.Skip(t, "trains every pair of an algorithm and a loss")
				}
				rltest.Carried(t, algorithm, l)
			})
		}
	}
}

// A loss of weight 0 leaves every parameter of the algorithm as it is without a loss, to the last bit; any other weight
// changes the encoder.
func TestWeightlessLoss(t *testing.T) {
	for algorithm, small := range rltest.Recurrent() {
		t.Run(algorithm, func(t *testing.T) {
			plain := rltest.Trained(t, algorithm, small...)
			with := append(slices.Clone(small), "auxiliary.tasks=3", "auxiliary.rows=4")
			without := rltest.Trained(t, algorithm+"-classifier", append(with, "classifier.scale=0")...)
			weighed := rltest.Trained(t, algorithm+"-classifier", append(with, "classifier.scale=1")...)
			changed := false
			for name, x := range plain {
				if !slices.Equal(x, without[name]) {
					t.Errorf("%s differs with a loss of weight 0", name)
				}
				changed = changed || !slices.Equal(x, weighed[name])
			}
			if !changed {
				t.Error("a loss of weight 1 changes no parameter")
			}
		})
	}
}
