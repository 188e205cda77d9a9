package tclpearl_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/core/feed"
	"nacre/core/nn"
	"nacre/core/ref"
	"nacre/internal/fatal"
	"nacre/internal/rng"
	"nacre/pearl"
	"nacre/rl"
	"nacre/rl/belief"
	"nacre/rl/benchmark"
	"nacre/rl/rltest"
	"nacre/tcl"
	"nacre/tcl/tclpearl"
)

// theirs is an update by the TCL authors' own program: its losses in the order in which it differentiates them, the
// sums of the networks' absolute weights after it, and the logarithms of the tasks' temperatures.
type theirs struct {
	Losses   []float64
	Weights  map[string]float64
	LogAlpha []float64 `json:"log_alpha"`
}

// byAuthors reads the updates that bench/torch/authors.py wrote, by algorithm.
func byAuthors(t *testing.T) map[string][]theirs {
	t.Helper()
	text, err := os.ReadFile("testdata/authors.json")
	check(t, err)
	var out struct{ Updates map[string][]theirs }
	check(t, json.Unmarshal(text, &out))
	for _, name := range []string{"pearl", "tcl-pearl"} {
		if len(out.Updates[name]) != 3 || len(out.Updates[name][0].Weights) < 6 ||
			len(out.Updates[name][0].LogAlpha) != authorsTrain {
			t.Fatalf("updates of %s: %v", name, out.Updates[name])
		}
	}
	return out.Updates
}

// The problem of bench/torch/authors.py.
const (
	authorsObs, authorsAct, authorsTrain = 12, 4, 5
	authorsTasks, authorsBatch           = 4, 8
)

var authorsSlots = []int{2, 0, 3, 2}

// authorsUpdate is the update of a preset at that problem's sizes.
type authorsUpdate struct {
	t    *testing.T
	p    pearl.Config
	nets pearl.Networks
	mem  core.Memory
	run  core.Runner
	key  nn.MLP
}

func newAuthorsUpdate(t *testing.T, preset string, d core.Device, changes ...string) *authorsUpdate {
	t.Helper()
	c, err := rl.Preset(preset)
	check(t, err)
	check(t, rl.Change(&c, changes...))
	p, tc := pearl.Of(c), tcl.Of(c)
	p.Latent, p.Hidden, p.EncoderHidden, p.MetaBatch, p.Batch, p.Context, tc.Window = 3, 14, 10, authorsTasks,
		authorsBatch, 6, 6
	p.MeanReg = 0 // theirs is of the mean after tanh; neither has a gradient
	u := &authorsUpdate{t: t, p: p, nets: pearl.NewNetworks(p, authorsObs, authorsAct).ForTasks(authorsTrain)}
	specs := u.nets.Specs()
	var aux belief.Auxiliary
	if c.Algorithm == "tcl-pearl" {
		aux, err = tcl.New(tc, u.nets.Encoder, p.MetaBatch)
		check(t, err)
		specs = append(specs, aux.Params()...)
		u.key = u.nets.Encoder.Net.As("encoder_key")
		u.key.In, u.key.Hidden = p.EncoderHidden, u.key.Hidden[tc.SharedLayers:]
	}
	u.mem, err = d.NewMemory(specs)
	check(t, err)
	u.weights()
	if aux != nil {
		check(t, aux.Init(u.mem))
	}
	program, err := pearl.UpdateProgram(p, u.nets, aux)
	check(t, err)
	u.run, err = d.Load(program, u.mem)
	check(t, err)
	u.data(program)
	return u
}

// weights are uniform in ±1/√inputs, biases too.
func (u *authorsUpdate) weights() {
	u.t.Helper()
	for number, net := range map[uint64]nn.MLP{1: u.nets.Encoder.Net, 2: u.nets.Q1, 3: u.nets.Q2,
		5: u.nets.Policy.Net} {
		specs := net.Specs()
		for k := 0; k < len(specs); k += 2 {
			w, b := specs[k], specs[k+1]
			stream, bound := 1000*number+10*uint64(k/2), 1/math.Sqrt(float64(w.Rows))
			check(u.t, u.mem.Write(w.Name, benchmark.Transpose(rng.Uniform(stream, w.Rows*w.Cols, -bound, bound),
				w.Cols, w.Rows)))
			check(u.t, u.mem.Write(b.Name, rng.Uniform(stream+1, b.Cols, -bound, bound)))
		}
	}
	alpha := authorsTrain
	if u.p.Temperature != "per-task" {
		alpha = 1
	}
	check(u.t, u.mem.Write("log_alpha", rng.Uniform(9, authorsTrain, -1, 1)[:alpha]))
	check(u.t, nn.Copy(u.mem, u.nets.Q1Target, u.nets.Q1))
	check(u.t, nn.Copy(u.mem, u.nets.Q2Target, u.nets.Q2))
}

func (u *authorsUpdate) data(program *core.Program) {
	u.t.Helper()
	n, rows := authorsTasks*authorsBatch, authorsTasks*6
	which := make([]float64, authorsTasks*authorsTrain)
	for slot, task := range authorsSlots {
		which[slot*authorsTrain+task] = 1
	}
	done := rng.Uniform(5, n, 0, 1)
	for i, x := range done {
		done[i] = 0
		if x < 0.1 {
			done[i] = 1
		}
	}
	ones := slices.Repeat([]float64{1}, rows)
	row := authorsObs + authorsAct + 1
	for name, x := range map[string][]float64{
		"obs": rng.Normal(1, n*authorsObs), "next_obs": rng.Normal(2, n*authorsObs),
		"act": rng.Uniform(3, n*authorsAct, -1, 1),
		"rew": rng.Normal(4, n), "done": done, "which": which,
		"context": rng.Normal(6, rows*row), "key_context": rng.Normal(7, rows*row),
		"query_context":  rng.Normal(8, rows*row),
		"context_weight": ones, "key_weight": ones, "query_weight": ones,
	} {
		if _, has := program.Inputs[name]; has {
			check(u.t, u.run.Write64(name, x))
		}
	}
}

// step makes an update with the noise of a step.
func (u *authorsUpdate) step(step int) {
	u.t.Helper()
	base, n := 1_000_000*uint64(step+1), authorsTasks*authorsBatch
	check(u.t, u.run.Write64("eps_z", rng.Normal(base+1, authorsTasks*u.p.Latent)))
	check(u.t, u.run.Write64("eps_a", rng.Normal(base+2, n*authorsAct)))
	check(u.t, u.run.Write64("eps_next", rng.Normal(base+3, n*authorsAct)))
	if u.p.ActorLatent == "redrawn" {
		check(u.t, u.run.Write64("eps_z_actor", rng.Normal(base+4, authorsTasks*u.p.Latent)))
	}
	check(u.t, u.run.Run())
}

func (u *authorsUpdate) figure(name string) float64 {
	u.t.Helper()
	x := make([]float64, 1)
	check(u.t, u.run.Read64(name, x))
	return x[0]
}

// losses are those that the authors' program differentiates, but for the temperature's.
func (u *authorsUpdate) losses() []float64 {
	u.t.Helper()
	if u.key.Name == "" {
		return []float64{u.p.KLWeight * u.figure("kl"), u.figure("q_loss"), u.figure("policy_loss")}
	}
	return []float64{u.figure("q_loss"), u.p.KLWeight * u.figure("kl"), u.figure("tcl_loss"), u.figure("policy_loss")}
}

func (u *authorsUpdate) absolute(net nn.MLP) (sum float64) {
	u.t.Helper()
	for _, p := range net.Specs() {
		x := make([]float64, p.Rows*p.Cols)
		check(u.t, u.mem.Read(p.Name, x))
		for _, v := range x {
			sum += math.Abs(v)
		}
	}
	return sum
}

// Three updates of authors/pearl and authors/tcl-pearl are those of the authors' own programs: in float64 all losses,
// weights and temperatures agree to 1e-11, in float32 as far as that goes.
func TestUpdateIsThatOfTheAuthors(t *testing.T) {
	device, err := cpu.New(cpu.Options{Workers: 2})
	check(t, err)
	for algorithm, updates := range byAuthors(t) {
		for within, d := range map[float64]core.Device{1e-11: ref.Device, 3e-4: device} {
			u := newAuthorsUpdate(t, "authors/"+algorithm, d)
			near := func(step int, what string, got, want float64) {
				t.Helper()
				if !(math.Abs(got-want) <= within*max(1, math.Abs(want))) {
					t.Errorf("%s on %s, update %d: %s is %.13g, theirs %.13g", algorithm, d.Name(), step,
						what, got, want)
				}
			}
			for step, want := range updates {
				u.step(step)
				for i, got := range u.losses() {
					near(step, "loss", got, want.Losses[i])
				}
				for name, net := range map[string]nn.MLP{"encoder": u.nets.Encoder.Net, "encoder_key": u.key,
					"q1": u.nets.Q1, "q2": u.nets.Q2,
					"policy": u.nets.Policy.Net, "q1_target": u.nets.Q1Target, "q2_target": u.nets.Q2Target} {
					if sum, has := want.Weights[name]; has {
						near(step, "the absolute weights of "+name, u.absolute(net), sum)
					}
				}
				alpha := make([]float64, authorsTrain)
				check(t, u.mem.Read("log_alpha", alpha))
				for i, got := range alpha {
					near(step, "a log temperature", got, want.LogAlpha[i])
				}
			}
			check(t, u.run.Close())
		}
	}
}

// Each departure of the update from PEARL's and TCL's own is needed for that: with one of them undone the third update
// is not the authors'.
func TestEachDepartureIsFelt(t *testing.T) {
	want := byAuthors(t)["tcl-pearl"][2]
	for _, undone := range [][]string{
		{"pearl.temperature=learned", "pearl.defect_pooled_temperature=false"},
		{"pearl.defect_pooled_temperature=false"},
		{"pearl.alpha_loss=log"}, {"pearl.actor_latent=critic"}, {"pearl.defect_detached_reg=false"},
		{"tcl.contrast=posteriors", "tcl.sigma=std"}, {"tcl.sigma=var"}, {"tcl.query=context"},
		{"tcl.key_gradient=false"},
		{"tcl.shared_layers=0", "tcl.key_gradient=false"}, {"tcl.defect_column_maximum=false"},
	} {
		u := newAuthorsUpdate(t, "authors/tcl-pearl", ref.Device, undone...)
		for step := range 3 {
			u.step(step)
		}
		off := 0.0
		for i, got := range u.losses() {
			off = max(off, math.Abs(got/want.Losses[i]-1))
		}
		if u.p.Temperature == "per-task" {
			alpha := make([]float64, authorsTrain)
			check(t, u.mem.Read("log_alpha", alpha))
			for i, got := range alpha {
				off = max(off, math.Abs(got-want.LogAlpha[i]))
			}
		}
		for name, net := range map[string]nn.MLP{"encoder": u.nets.Encoder.Net, "policy": u.nets.Policy.Net} {
			off = max(off, math.Abs(u.absolute(net)/want.Weights[name]-1))
		}
		if off < 1e-9 {
			t.Errorf("with %v the update is the authors' all the same, to %g", undone, off)
		}
		check(t, u.run.Close())
	}
}

// between lists the settings in which one configuration is not another, as "key: theirs → ours".
func between(t *testing.T, from, to string) []string {
	t.Helper()
	a, err := rl.Preset(from)
	check(t, err)
	b, err := rl.Preset(to)
	check(t, err)
	a.Preset, b.Preset = "", ""
	if to != "authors/pearl" {
		a.Algorithm = b.Algorithm // so that both have the tables; it is compared below
	}
	settings, err := a.Settings()
	check(t, err)
	differ, err := b.Differences(settings)
	check(t, err)
	var out []string
	for _, d := range differ {
		out = append(out, strings.ReplaceAll(d.Key+": "+d.Before+" → "+d.Now, `"`, ""))
	}
	return out
}

// The authors' presets, setting by setting: what they change of the paper's table, as the launchers and programs named
// in authors.go have it. Everything else is the paper's.
func TestAuthorsPresets(t *testing.T) {
	both := []string{
		"pearl.actor_latent: critic → redrawn", "pearl.alpha_loss: log → linear", "pearl.critic: value → target-q",
		"pearl.defect_detached_reg: false → true", "pearl.defect_pooled_temperature: false → true",
		"pearl.extra_posterior_steps: 800 → 750", "pearl.init: oyster → xavier", "pearl.iterations: 34 → 100",
		"pearl.prior_steps: 800 → 750",
		"pearl.temperature: fixed → per-task",
	}
	protocol := []string{"evaluation.protocol.carry_belief: false → true",
		"evaluation.protocol.name: garage-ml1 → garage-2020-old"}
	for name, own := range map[string][]string{
		"authors/pearl": {"pearl.context: 128 → 64", "pearl.encoder_hidden: 400 → 200"},
		"authors/tcl-pearl": {
			"pearl.encoder_layers: 3 → 6", "tcl.contrast: posteriors → transitions", "tcl.crop: inclusive → exclusive",
			"tcl.defect_column_maximum: false → true", "tcl.key_gradient: false → true",
			"tcl.pair: same-trajectory → same-task",
			"tcl.query: context → own", "tcl.shared_layers: 0 → 3", "tcl.sigma: std → raw", "tcl.window: 64 → 128",
		},
	} {
		want := slices.Sorted(slices.Values(slices.Concat(both, protocol, own)))
		got := slices.DeleteFunc(between(t, "paper/ml1", name), func(d string) bool {
			return name == "authors/pearl" && (strings.HasPrefix(d, "algorithm:") || strings.HasPrefix(d, "tcl."))
		})
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s changes\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// authors/pearl-windows is authors/tcl-pearl but for the algorithm, and that is authors/tcl-pearl's without its loss:
// the same networks from the same weights, contexts drawn in the same way, and with a weight of 0 the same update.
func TestWindowsDifferInTheLossAlone(t *testing.T) {
	if got := between(t, "authors/tcl-pearl", "authors/pearl-windows"); len(got) > 0 {
		t.Errorf("settings differ: %v", got)
	}
	c, err := rl.Preset("authors/pearl-windows")
	check(t, err)
	if c.Algorithm != tclpearl.Windows {
		t.Errorf("algorithm %s", c.Algorithm)
	}
	a, b := newAuthorsUpdate(t, "authors/pearl-windows", ref.Device),
		newAuthorsUpdate(t, "authors/tcl-pearl", ref.Device, "tcl.scale=0")
	defer a.run.Close()
	defer b.run.Close()
	for step := range 3 {
		a.step(step)
		b.step(step)
	}
	for _, net := range append(a.nets.Trained(), a.nets.Q1Target, a.nets.Q2Target) {
		if x, y := a.absolute(net), b.absolute(net); math.Abs(x/y-1) > 1e-13 {
			t.Errorf("after three updates the absolute weights of %s sum to %v, with TCL of weight 0 to %v",
				net.Name, x, y)
		}
	}
	tasks, draw := contextDraws(t, "authors/pearl-windows"), contextDraws(t, "authors/tcl-pearl")
	if tasks != draw || tasks != (feed.Draw{Kind: feed.Window, Store: 1, N: 128, ExclusiveEnd: true}) {
		t.Errorf("contexts are drawn as %+v and %+v", tasks, draw)
	}
}

// contextDraws is how the learner of a preset draws its contexts.
func contextDraws(t *testing.T, preset string) feed.Draw {
	t.Helper()
	c, err := rl.Preset(preset)
	check(t, err)
	check(t, rl.Change(&c, "pearl.hidden=4", "pearl.encoder_hidden=4", "pearl.buffer_capacity=1000"))
	a, err := rl.Lookup(c.Algorithm)
	check(t, err)
	device, err := cpu.New(cpu.Options{Workers: 1})
	check(t, err)
	setup, _, _ := rltest.Point(t, device, 1)
	l, err := a.New(c, setup)
	check(t, err)
	defer l.Close()
	plan := l.(*pearl.Learner).Plan
	for _, f := range plan.Fills {
		if f.Input == "context" {
			return plan.Draws[f.Draw]
		}
	}
	t.Fatalf("%s: nothing fills the context", preset)
	return feed.Draw{}
}

// Contracts of the learners with the authors' options: one worker or three, resuming, adapting.
func TestAuthorsContracts(t *testing.T) {
	options := append([]string{
		"pearl.critic=target-q", "pearl.temperature=per-task", "pearl.alpha_loss=linear", "pearl.actor_latent=redrawn",
		"pearl.init=xavier",
		"pearl.defect_detached_reg=true", "pearl.defect_pooled_temperature=true",
	}, small...)
	rltest.Learner(t, "pearl", options...)
	rltest.Learner(t, tclpearl.Windows, append(options, "tcl.window=5", "tcl.crop=exclusive")...)
	rltest.Learner(t, "tcl-pearl", append(options, "pearl.encoder_layers=4", "tcl.window=5", "tcl.pair=same-task",
		"tcl.crop=exclusive", "tcl.query=own",
		"tcl.contrast=transitions", "tcl.sigma=raw", "tcl.shared_layers=2", "tcl.key_gradient=true",
		"tcl.defect_column_maximum=true")...)
}

var check = fatal.On
