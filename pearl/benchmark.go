package pearl

import (
	"maps"
	"math"

	"nacre/core"
	"nacre/core/cpu"
	"nacre/internal/rng"
	"nacre/rl/belief"
	"nacre/rl/benchmark"
)

// benchTasks and benchBatch are the meta-batch of the benchmark, and the transitions of each of its tasks.
const (
	benchTasks = 16
	benchBatch = 256
)

// Benchmark is one complete gradient update of PEARL, without or with a further loss on the encoder.
type Benchmark struct {
	size    benchmark.Size
	further *Further
	run     core.Runner
	program *core.Program
	waited  [1]float64

	device core.Device
	mem    core.Memory
	config Config
	nets   Networks
	aux    belief.Auxiliary
}

// Further is a loss on the encoder in a Benchmark.
type Further struct {
	Algorithm string // name of PEARL with this loss
	Auxiliary func(s benchmark.Size, enc belief.Encoder, metaBatch int) (belief.Auxiliary, error)
	// Inputs returns the loss's inputs. window draws windows from a stream, one per task; weights are their weights.
	Inputs   func(window func(stream uint64) []float64, weights []float64) map[string][]float64
	Figures  []string // names of the loss's figures, which come after q_loss
	Expected map[string][3]benchmark.Figures
}

// NewBenchmark loads the update on the device and sets its weights and inputs. The argument further is a further loss,
// or nil.
func NewBenchmark(s benchmark.Size, d core.Device, further *Further) (*Benchmark, error) {
	c := Default()
	c.Latent, c.Hidden, c.EncoderHidden = s.Latent, s.Hidden, s.EncoderHidden
	c.MetaBatch, c.Batch, c.Context, c.RewardScale = benchTasks, benchBatch, s.Window, s.RewardScale
	nets := NewNetworks(c, s.Obs, s.Act)
	specs := nets.Specs()
	var aux belief.Auxiliary
	if further != nil {
		a, err := further.Auxiliary(s, nets.Encoder, benchTasks)
		if err != nil {
			return nil, err
		}
		aux, specs = a, append(specs, a.Params()...)
	}
	mem, err := d.NewMemory(specs)
	if err != nil {
		return nil, err
	}
	if err := yardWeights(mem, nets, aux); err != nil {
		return nil, err
	}
	y := &Benchmark{size: s, further: further, device: d, mem: mem, config: c, nets: nets, aux: aux}
	if y.program, err = UpdateProgram(c, nets, aux); err != nil {
		return nil, err
	}
	if y.run, err = d.Load(y.program, mem); err != nil {
		return nil, err
	}
	if err := y.data(nets.Encoder.Width()); err != nil {
		y.run.Close()
		return nil, err
	}
	return y, nil
}

// Algorithm is "pearl", or the algorithm of the further loss.
func (y *Benchmark) Algorithm() string {
	if y.further != nil {
		return y.further.Algorithm
	}
	return "pearl"
}

// Size is the size for which the update was made.
func (y *Benchmark) Size() benchmark.Size { return y.size }

// Program is the compiled update.
func (y *Benchmark) Program() *core.Program { return y.program }

// FLOPs is the number of floating-point operations of an update's matrix products.
func (y *Benchmark) FLOPs() int64 { return y.program.FLOPs() }

// Explain makes updates with the data of Prepare and says how the CPU computes them. Other devices cannot say.
func (y *Benchmark) Explain(updates int) (*cpu.Execution, error) { return cpu.Explain(y.run, updates) }

// Close frees the device's buffers.
func (y *Benchmark) Close() error { return y.run.Close() }

// yardWeights fills the networks: stream 1000·net + 10·layer (+1 for an output bias), stored output by input there.
func yardWeights(m core.Memory, n Networks, aux belief.Auxiliary) error {
	number := map[string]int{n.Encoder.Net.Name: 1, n.Q1.Name: 2, n.Q2.Name: 3, n.V.Name: 4, n.Policy.Net.Name: 5}
	for _, net := range n.Trained() {
		last := 3e-3
		if net.Name == n.Policy.Net.Name {
			last = 1e-3
		}
		specs := net.Specs()
		for k := 0; k < len(specs); k += 2 {
			w, b := specs[k], specs[k+1]
			stream, bound := uint64(1000*number[net.Name]+10*(k/2)), 1/math.Sqrt(float64(w.Cols))
			bias := make([]float64, b.Cols)
			for j := range bias {
				bias[j] = 0.1
			}
			if k == len(specs)-2 {
				bound = last
				bias = rng.Uniform(stream+1, b.Cols, -last, last)
			}
			if err := m.Write(w.Name, benchmark.Transpose(rng.Uniform(stream, w.Rows*w.Cols, -bound, bound), w.Cols,
				w.Rows)); err != nil {
				return err
			}
			if err := m.Write(b.Name, bias); err != nil {
				return err
			}
		}
	}
	if aux != nil {
		if err := aux.Init(m); err != nil {
			return err
		}
	}
	return n.copyTrailing(m)
}

// data writes the meta-batch: streams 1 to 9.
func (y *Benchmark) data(row int) error {
	s, nb := y.size, benchTasks*benchBatch
	window := func(stream uint64) []float64 {
		offset, x := rng.Normal(9, benchTasks*row), rng.Normal(stream, benchTasks*s.Window*row)
		for i := range x {
			x[i] += offset[i/(s.Window*row)*row+i%row]
		}
		return x
	}
	done := benchmark.Ends(nb)
	ones := make([]float64, benchTasks*s.Window)
	for i := range ones {
		ones[i] = 1
	}
	inputs := map[string][]float64{
		"obs": rng.Normal(1, nb*s.Obs), "next_obs": rng.Normal(2, nb*s.Obs), "act": rng.Uniform(3, nb*s.Act, -1, 1),
		"rew": rng.Normal(4, nb), "done": done, "context": window(6), "context_weight": ones,
	}
	if y.further != nil {
		maps.Copy(inputs, y.further.Inputs(window, ones))
	}
	return benchmark.Write(y.run, inputs)
}

// Names lists the names of the figures that Update returns, in the order of the update.
func (y *Benchmark) Names() []string {
	names := []string{"kl", "q_loss"}
	if y.further != nil {
		names = append(names, y.further.Figures...)
	}
	return append(names, "v_loss", "policy_loss", "grad_encoder", "grad_q1", "grad_q2", "grad_v", "grad_policy")
}

// Prepare writes the noise of a step. Run then makes the update. Update does both and reads the figures.
func (y *Benchmark) Prepare(step int) error {
	base := 1_000_000 * uint64(step+1)
	if err := y.run.Write64("eps_z", rng.Normal(base+1, benchTasks*y.size.Latent)); err != nil {
		return err
	}
	return y.run.Write64("eps_a", rng.Normal(base+2, benchTasks*benchBatch*y.size.Act))
}

// Run makes one update with the data of Prepare. It calls Start and then Wait.
func (y *Benchmark) Run() error {
	if err := y.Start(); err != nil {
		return err
	}
	return y.Wait()
}

// Start begins an update and returns. A device with a queue is not done when Start returns.
func (y *Benchmark) Start() error { return y.run.Run() }

// Wait returns when the update that Start began is done. It reads an output of the update, and this read waits.
func (y *Benchmark) Wait() error { return y.run.Read64("q_loss", y.waited[:]) }

// Update makes update number step, from 0, and returns its figures.
func (y *Benchmark) Update(step int) (benchmark.Figures, error) {
	if err := benchmark.Updated(y, step); err != nil {
		return nil, err
	}
	return benchmark.Read(y.run, y.Names())
}

// expected figures of the first three updates, by size, computed in float64 by an independent PyTorch 1.13 program of
// the same update.
var expected = map[string][3]benchmark.Figures{
	"oyster": {
		{"kl": 141.469520619, "q_loss": 49.9809259627, "v_loss": 16.4225516168, "policy_loss": -4.01481131848,
			"grad_encoder": 2.59912910838, "grad_q1": 0.387106224664, "grad_q2": 0.398008099995,
			"grad_v": 18.8238031362, "grad_policy": 1.22024716177},
		{"kl": 141.246165792, "q_loss": 49.975831148, "v_loss": 16.1879510537, "policy_loss": -4.00561799181,
			"grad_encoder": 2.6034790478, "grad_q1": 0.324459414402, "grad_q2": 0.327157644088, "grad_v": 18.7645559059,
			"grad_policy": 1.11127450143},
		{"kl": 141.016786421, "q_loss": 49.9716282904, "v_loss": 16.0891036419, "policy_loss": -4.01301794292,
			"grad_encoder": 2.65055137491, "grad_q1": 0.268702562059, "grad_q2": 0.267675727651,
			"grad_v": 19.1214116882, "grad_policy": 1.03367112548},
	},
	"metaworld": {
		{"kl": 197.983740038, "q_loss": 199.917664104, "v_loss": 7.27063014684, "policy_loss": -2.65905091879,
			"grad_encoder": 4.01274195842, "grad_q1": 0.76955634335, "grad_q2": 0.800342420217, "grad_v": 14.1151942796,
			"grad_policy": 1.09868331705},
		{"kl": 197.300679733, "q_loss": 199.903976996, "v_loss": 7.06241657807, "policy_loss": -2.64737353866,
			"grad_encoder": 4.08830992545, "grad_q1": 0.678664245447, "grad_q2": 0.697586434894,
			"grad_v": 14.0826318049, "grad_policy": 0.939743367743},
		{"kl": 196.573735408, "q_loss": 199.891995203, "v_loss": 6.92646269646, "policy_loss": -2.6513917789,
			"grad_encoder": 4.30813988805, "grad_q1": 0.609847640393, "grad_q2": 0.619575247794,
			"grad_v": 14.4917535726, "grad_policy": 0.854680130506},
	},
}

// Expected returns the figures of update number step, 0 to 2, to twelve digits.
func (y *Benchmark) Expected(step int) benchmark.Figures {
	if y.further != nil {
		return y.further.Expected[y.size.Name][step]
	}
	return expected[y.size.Name][step]
}
