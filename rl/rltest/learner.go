// Package rltest tests implementations of the contracts of package rl. One line in an algorithm's tests runs a whole
// suite on the point robot. With settings that make the algorithm small it takes a second or two.
//
//	func TestLearner(t *testing.T) { rltest.Learner(t, "rl2", "rl2.hidden=5", "rl2.meta_batch=3", "rl2.epochs=4") }
//
// The suite tests properties that every algorithm must have and that are easily forgotten: the algorithm resumes bit
// for bit, allows any number of workers, and gives one clear error. An algorithm's own tests check its results.
package rltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/rl"
	"nacre/rl/auxiliary"
	"nacre/rl/config"
	"nacre/rl/protocol"
	"nacre/rl/replay"
	"nacre/sim"
)

// iterations that the suite trains for.
const iterations = 2

// Learner tests a registered algorithm, configured by key=value pairs, against the contract of rl.Learner and of the
// capabilities that its learners have.
func Learner(t *testing.T, algorithm string, settings ...string) {
	t.Helper()
	s := onPoint(t, algorithm, settings)
	a := s.Algorithm
	t.Run("configuration", s.configuration)
	t.Run("presets", s.presets)
	t.Run("refuses", s.refuses)
	s.learns(t)
	s.family = Choosing
	if a.Discrete {
		t.Run("discrete actions", s.learns)
		return
	}
	t.Run("discrete actions", s.needsContinuous)
}

// Recurrent has the algorithms with recurrent encoders that take an auxiliary loss, each with settings that make it
// small.
func Recurrent() map[string][]string {
	return map[string][]string{
		"mql": {"mql.hidden=8", "mql.context=5", "mql.history=4", "mql.batch=16", "mql.updates_per_iteration=6",
			"mql.warmup_transitions=0", "mql.min_initial_steps=100", "mql.initial_steps=20", "mql.initial_episode=10",
			"mql.adapt_updates=3", "mql.replay_updates=3"},
		"rl2": {"rl2.hidden=5", "rl2.meta_batch=3", "rl2.episodes=2", "rl2.epochs=4", "rl2.chunk=20"},
		"varibad": {"varibad.embed=5", "varibad.memory=6", "varibad.decoder=7", "varibad.policy_hidden=5",
			"varibad.trials=3", "varibad.unroll=5", "varibad.posteriors=4", "varibad.decodes=4",
			"varibad.meta_batch=4", "varibad.buffer_trials=20", "varibad.vae_updates=3"},
	}
}

// Carried tests one of these algorithms with the loss l as Learner does.
func Carried(t *testing.T, algorithm string, l auxiliary.Loss) {
	t.Helper()
	settings := append(Recurrent()[algorithm], "auxiliary.tasks=3", "auxiliary.rows=4")
	for _, set := range l.Small {
		if strings.HasPrefix(set, l.Table.Name+".") {
			settings = append(settings, set)
		}
	}
	Learner(t, algorithm+"-"+l.Name, settings...)
}

// Trained returns the parameters of a registered algorithm, with the state of their optimisers, after the suite's
// training on the point robot.
func Trained(t *testing.T, algorithm string, settings ...string) map[string][]float64 {
	t.Helper()
	return onPoint(t, algorithm, settings).trained(t, 1).memory
}

// onPoint is the suite of an algorithm with some settings on the point robot.
func onPoint(t *testing.T, algorithm string, settings []string) suite {
	t.Helper()
	a, err := rl.Lookup(algorithm)
	check(t, err)
	cfg := rl.Default()
	cfg.Algorithm, cfg.Family = algorithm, "point-goal"
	check(t, rl.Change(&cfg, settings...))
	point, err := sim.Lookup(cfg.Family)
	check(t, err)
	return suite{a, cfg, point}
}

// learns runs what a learner must do on the suite's family.
func (s suite) learns(t *testing.T) {
	whole := s.trained(t, 1)
	t.Run("workers", func(t *testing.T) { whole.same(t, s.trained(t, 3)) })
	t.Run("resume", func(t *testing.T) { s.resume(t, whole) })
	t.Run("length", func(t *testing.T) { s.length(t, whole) })
	t.Run("cancellation", func(t *testing.T) { s.cancellation(t, whole) })
	t.Run("evaluation", s.evaluation)
	t.Run("encoder", s.encoder)
}

// suite is an algorithm under test.
type suite struct {
	rl.Algorithm
	cfg    rl.Config
	family sim.Family
}

// needsContinuous checks that an algorithm that cannot act in a family of discrete actions says so, and which can.
func (s suite) needsContinuous(t *testing.T) {
	d, err := cpu.New(cpu.Options{Workers: 1})
	check(t, err)
	setup, _, _ := setup(t, s.family, d, 1)
	err = s.Accepts(setup.Spec)
	l, made := s.New(s.cfg, setup)
	if made == nil {
		t.Error("a learner was made", l.Close())
	}
	for _, err := range []error{err, made} {
		if err == nil || !strings.Contains(err.Error(), "needs continuous actions, those of family choosing are "+
			"MultiDiscrete(3, 2)") || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line that says what it needs", err)
		}
	}
}

// open makes a learner on the CPU; it is closed twice with the test.
func (s suite) open(t *testing.T, workers int) rl.Learner {
	t.Helper()
	d, err := cpu.New(cpu.Options{Workers: workers})
	check(t, err)
	setup, _, _ := setup(t, s.family, d, workers)
	l, err := s.New(s.cfg, setup)
	check(t, err)
	t.Cleanup(func() {
		for _, time := range []string{"first", "second"} {
			if err := l.Close(); err != nil {
				t.Errorf("the %s Close: %v", time, err)
			}
		}
	})
	return l
}

// configuration checks that a configuration written as TOML can be read back, and holds the algorithm's tables only.
func (s suite) configuration(t *testing.T) {
	text, err := config.Encode(s.cfg)
	check(t, err)
	back := rl.Default()
	check(t, config.Resolve(&back, config.Text("configuration", text)))
	again, err := config.Encode(back)
	check(t, err)
	if !bytes.Equal(text, again) {
		t.Errorf("written\n%s\nread back and written\n%s", text, again)
	}
	if same, err := s.cfg.Equal(back); err != nil || !same {
		t.Errorf("read back it is another configuration: %v", s.cfg.Continues(must(back.Settings())))
	}
	for _, other := range rl.Algorithms() {
		for _, table := range other.Tables {
			reads := slices.ContainsFunc(s.Tables, func(own rl.Table) bool { return own.Name == table.Name })
			if bytes.Contains(text, []byte("\n["+table.Name+"]\n")) != reads {
				t.Errorf("%s reads table %s: %v, but written it is the other way round", s.Name, table.Name, reads)
			}
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// presets checks that each preset is a complete configuration of the algorithm, or of an algorithm that reads only
// tables of this algorithm: TCL-PEARL's presets that were published with PEARL train PEARL unless another algorithm is
// asked for.
func (s suite) presets(t *testing.T) {
	for _, p := range s.Presets {
		c, err := rl.Preset(p.Name)
		check(t, err)
		if err := config.Check(&c); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		if n, updates := s.Schedule(c); !s.reads(c.Algorithm) || c.Family == "" || n < 1 || updates < 1 {
			t.Errorf("%s: algorithm %q on family %q, %d iterations of %d updates", p.Name, c.Algorithm, c.Family,
				n, updates)
		}
	}
}

// reads reports whether all tables of a registered algorithm are also tables of the suite's algorithm.
func (s suite) reads(algorithm string) bool {
	a, err := rl.Lookup(algorithm)
	if err != nil {
		return false
	}
	for _, t := range a.Tables {
		if !slices.ContainsFunc(s.Tables, func(own rl.Table) bool { return own.Name == t.Name }) {
			return false
		}
	}
	return true
}

// refuses checks that these are errors: a setup without train tasks, and values outside the ranges and choices of every
// setting.
func (s suite) refuses(t *testing.T) {
	d, err := cpu.New(cpu.Options{Workers: 1})
	check(t, err)
	setup, _, _ := setup(t, s.family, d, 1)
	refused := func(about string, c rl.Config, setup rl.Setup) {
		t.Helper()
		l, err := s.New(c, setup)
		switch {
		case err == nil:
			l.Close()
			t.Errorf("no error about %s", about)
		case !strings.Contains(err.Error(), about) || strings.Contains(err.Error(), "\n"):
			t.Errorf("error %q, want one line with %q", err, about)
		}
	}
	without := setup
	without.Train = nil
	refused("no train tasks", s.cfg, without)
	for _, table := range s.Tables {
		for i := range reflect.TypeOf(table.Default).NumField() {
			f := reflect.TypeOf(table.Default).Field(i)
			changed := reflect.New(reflect.TypeOf(table.Default)).Elem()
			changed.Set(reflect.ValueOf(s.cfg.Get(table)))
			if _, bounded := f.Tag.Lookup("range"); bounded && changed.Field(i).CanInt() {
				changed.Field(i).SetInt(-1)
			} else if bounded {
				changed.Field(i).SetFloat(math.NaN())
			} else if _, chosen := f.Tag.Lookup("oneof"); chosen {
				changed.Field(i).SetString("nonsense")
			} else {
				continue
			}
			c := s.cfg
			c.Put(table, changed.Interface())
			refused(f.Tag.Get("toml"), c, setup)
		}
	}
}

// length checks that a longer run begins with exactly the same iterations.
func (s suite) length(t *testing.T, whole outcome) {
	if s.Length == "" {
		t.Skip("the algorithm names no setting that is its number of iterations")
	}
	n, _ := s.Schedule(s.cfg)
	check(t, rl.Change(&s.cfg, fmt.Sprintf("%s=%d", s.Length, 10*n)))
	if longer, _ := s.Schedule(s.cfg); longer != 10*n {
		t.Errorf("%s = %d makes %d iterations", s.Length, 10*n, longer)
	}
	whole.same(t, s.trained(t, 1))
}

// outcome is what training computes.
type outcome struct {
	metrics []float64
	memory  map[string][]float64
}

// same compares bits.
func (o outcome) same(t *testing.T, other outcome) {
	t.Helper()
	for i, x := range o.metrics {
		if y := other.metrics[i]; math.Float64bits(x) != math.Float64bits(y) {
			t.Errorf("metric %d is %v and %v", i, x, y)
		}
	}
	for name, x := range o.memory {
		if !slices.Equal(x, other.memory[name]) {
			t.Errorf("%s differs", name)
		}
	}
}

// trained is the outcome of all iterations of a new learner.
func (s suite) trained(t *testing.T, workers int) outcome {
	t.Helper()
	return s.train(t, s.open(t, workers))
}

func (s suite) train(t *testing.T, l rl.Learner) (o outcome) {
	t.Helper()
	for i := range iterations {
		s.collect(t, l, i)
		s.update(t, l, i, 0, s.updates(l, i))
		o.metrics = append(o.metrics, report(t, l, i)...)
	}
	o.memory = memory(t, l.Memory())
	return o
}

// updates of an iteration that is collected.
func (s suite) updates(l rl.Learner, iteration int) int {
	if p, ok := l.(rl.Pacer); ok {
		return p.Updates(iteration)
	}
	_, n := s.Schedule(s.cfg)
	return n
}

func (s suite) collect(t *testing.T, l rl.Learner, iteration int) {
	t.Helper()
	steps, err := l.Collect(context.Background(), iteration)
	check(t, err)
	if steps < 1 {
		t.Errorf("iteration %d took %d environment steps", iteration, steps)
	}
}

// update makes updates from ≤ u < to, in the chunks the learner makes, and waits for them, beside the next collection
// where the learner can.
func (s suite) update(t *testing.T, l rl.Learner, iteration, from, to int) {
	t.Helper()
	if ahead, ok := l.(rl.Ahead); ok && iteration+1 < iterations {
		check(t, ahead.Ahead(iteration+1))
	}
	bulk, ok := l.(rl.Bulk)
	for u := from; u < to; {
		if n := 1; ok && bulk.Chunk() > 1 {
			n = min(bulk.Chunk(), to-u)
			check(t, bulk.UpdateMany(iteration, u, n))
			u += n
			continue
		}
		check(t, l.Update(iteration, u))
		u++
	}
	if ok {
		check(t, bulk.Settle())
	}
}

// await waits for a collection ahead.
func await(t *testing.T, l rl.Learner) {
	t.Helper()
	if ahead, ok := l.(rl.Ahead); ok {
		check(t, ahead.AwaitAhead())
	}
}

// report checks that all metrics are among the announced ones. It returns their values in the announced order, NaN for
// a metric without a value.
func report(t *testing.T, l rl.Learner, iteration int) []float64 {
	t.Helper()
	await(t, l)
	names, values := l.MetricNames(), map[string]float64{}
	defer func() {
		if len(values) == 0 {
			t.Errorf("iteration %d reports no metric", iteration)
		}
	}()
	check(t, l.Metrics(iteration, func(name string, v float64) {
		if _, twice := values[name]; twice || !slices.Contains(names, name) {
			t.Errorf("metric %s is recorded twice or was not announced", name)
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("metric %s is %v", name, v)
		}
		values[name] = v
	}))
	var out []float64
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			t.Errorf("metric %s is announced twice", name)
		}
		v, has := values[name]
		if !has {
			v = math.NaN()
		}
		out = append(out, v)
	}
	return out
}

// entries of a parameter: its values and its optimiser's.
func entries(p core.ParamSpec) map[string]int {
	n := p.Rows * p.Cols
	return map[string]int{p.Name: n, p.Name + ".m": n, p.Name + ".v": n, p.Name + ".t": 1}
}

func memory(t *testing.T, m core.Memory) map[string][]float64 {
	t.Helper()
	out := map[string][]float64{}
	for _, p := range m.Params() {
		for name, n := range entries(p) {
			out[name] = make([]float64, n)
			check(t, m.Read(name, out[name]))
		}
	}
	return out
}

// hand gives one learner the contents of the other's checkpoint.
func hand(t *testing.T, to, from rl.Learner) {
	t.Helper()
	for name, x := range memory(t, from.Memory()) {
		check(t, to.Memory().Write(name, x))
	}
	saved, loaded := from.State(), to.State()
	if len(saved) != len(loaded) {
		t.Fatalf("%d and %d parts of state", len(saved), len(loaded))
	}
	for i, part := range saved {
		var b bytes.Buffer
		if loaded[i].Name != part.Name {
			t.Fatalf("parts of state %s and %s", part.Name, loaded[i].Name)
		}
		check(t, part.Save(&b))
		check(t, loaded[i].Load(&b))
	}
}

// resume checks that a learner may take over another's memory and state midway, after a collection and between updates.
// It must end like a learner that trained without interruption.
func (s suite) resume(t *testing.T, whole outcome) {
	first := s.open(t, 1)
	s.collect(t, first, 0)
	second := s.open(t, 2)
	hand(t, second, first)
	n := s.updates(second, 0)
	if n != s.updates(first, 0) {
		t.Errorf("%d updates, %d when resumed", s.updates(first, 0), n)
	}
	s.update(t, second, 0, 0, n/2)
	third := s.open(t, 1)
	hand(t, third, second)
	s.update(t, third, 0, n/2, n)
	o := outcome{metrics: report(t, third, 0)}
	last := s.open(t, 1)
	hand(t, last, third)
	s.collect(t, last, 1)
	s.update(t, last, 1, 0, s.updates(last, 1))
	o.metrics = append(o.metrics, report(t, last, 1)...)
	o.memory = memory(t, last.Memory())
	whole.same(t, o)
}

// cancellation checks that a collection stops when it is told to, says why, and leaves nothing behind.
func (s suite) cancellation(t *testing.T, whole outcome) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	l := s.open(t, 1)
	if _, err := l.Collect(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Fatalf("Collect of a cancelled context: %v", err)
	}
	whole.same(t, s.train(t, l))
}

// evaluation checks that adaptation is the same a second time, does not depend on the other tasks, needs only the
// networks that act, and does not change the learner.
func (s suite) evaluation(t *testing.T) {
	d, err := cpu.New(cpu.Options{Workers: 1})
	check(t, err)
	setup, pool, test := setup(t, s.family, d, 1)
	l, err := s.New(s.cfg, setup)
	check(t, err)
	t.Cleanup(func() { check(t, l.Close()) })
	s.collect(t, l, 0)
	s.update(t, l, 0, 0, s.updates(l, 0))
	await(t, l)
	p, err := protocol.Preset(s.Protocol)
	check(t, err)
	p.Explore, p.Repeats = min(p.Explore, 2), 2
	before := memory(t, l.Memory())
	var results [2]protocol.Result
	for i := range results {
		results[i], err = protocol.Evaluate(context.Background(), pool, test, p, l.Adapter(), 7)
		check(t, err)
	}
	if fmt.Sprint(results[0]) != fmt.Sprint(results[1]) {
		t.Errorf("two evaluations of one seed differ:\n%v\n%v", results[0], results[1])
	}
	p.Repeats = 1
	both, err := protocol.Evaluate(context.Background(), pool, test, p, l.Adapter(), 7)
	check(t, err)
	for i, task := range test {
		alone, err := protocol.Evaluate(context.Background(), pool, []sim.Task{task}, p, l.Adapter(), 7)
		check(t, err)
		if a, b := fmt.Sprint(both.Tasks[i].Return), fmt.Sprint(alone.Tasks[0].Return); a != b {
			t.Errorf("task %d returns %s beside another, %s alone", i, a, b)
		}
	}
	outcome{memory: before}.same(t, outcome{memory: memory(t, l.Memory())})
	if s.Acts == nil {
		return
	}
	for _, param := range l.Memory().Params() {
		if network, _, _ := strings.Cut(param.Name, "/"); !slices.Contains(s.Acts, network) {
			check(t, l.Memory().Write(param.Name, slices.Repeat([]float64{math.NaN()}, param.Rows*param.Cols)))
		}
	}
	acting, err := protocol.Evaluate(context.Background(), pool, test, p, l.Adapter(), 7)
	check(t, err)
	if fmt.Sprint(acting) != fmt.Sprint(both) {
		t.Errorf("with %q only, an evaluation differs:\n%v\n%v", s.Acts, acting, both)
	}
}

// encoder checks that learners implement rl.Encoding if the registry says so.
func (s suite) encoder(t *testing.T) {
	l := s.open(t, 1)
	e, ok := l.(rl.Encoding)
	if ok != (s.Window != nil) {
		t.Fatalf("a window is registered: %v, a learner is Encoding: %v", s.Window != nil, ok)
	}
	if !ok {
		t.Skip("infers no posterior")
	}
	setup, _, _ := setup(t, s.family, nil, 1)
	if n := s.Window(s.cfg); n < 1 {
		t.Errorf("a window of %d rows, want at least 1", n)
	}
	Encoder(t, e.Encoder(), replay.Dims{Obs: setup.Spec.ObsDim, Act: setup.Spec.ActDim})
}
