// Package weights describes trained networks to a program that reads a file of weights and knows nothing else of the
// run: what goes into each network, in which order and through which views, what comes out, and how an action is made
// of it. The description lies in the file's metadata as JSON, under Key.
//
//	d := weights.New()
//	d.Networks["policy"] = weights.MLP(net, []weights.Part{weights.In("observation", 20), weights.In("z", 5)},
//		[]weights.Part{weights.In("mean", 6), weights.Within("log_std", 6, -20, 2)})
//	d.Views["observation"] = weights.Standardised("obs/mean", "obs/scale", 10)
//	d.Stored("policy/w0") // "policy/w0_viewed"
package weights

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nacre/core/nn"
)

// Key is the key of the description in a file's metadata.
const Key = "agent"

// Version is the newest version of descriptions. A reader must refuse a newer one. Descriptions of agents with a memory
// have version 2, those of agents that adapt by gradient steps version 3, others version 1.
const Version = 3

// Description describes the networks of an agent.
type Description struct {
	Version  int                `json:"version"`
	Networks map[string]Network `json:"networks"`
	// Views say through which functions networks see their inputs, by the input's name. An input without a view is seen
	// as it is.
	Views map[string]View `json:"views"`
	// Belief says how the encoder's outputs for a context's rows become one embedding: Product or Average. It is empty
	// if there is no encoder.
	Belief string `json:"belief,omitempty"`
	// Action says how an action, in [-1,1], is made of the policy's outputs and standard normal noise.
	Action string `json:"action"`
	// Memory says what the recurrent unit reads during a trial, OfPolicy or OfBelief. It is empty if there is none. The
	// unit's state is 0 at the beginning of a trial and goes on from one episode to the next.
	Memory string `json:"memory,omitempty"`
	// ResetInputs says that the first step of an episode sees 0 in place of the last action, the last reward and the
	// end of the last episode.
	ResetInputs bool `json:"reset_inputs,omitempty"`
	// Choices are the numbers of choices of a discrete action.
	Choices []int `json:"choices,omitempty"`
	// Inner is how an agent adapts by a gradient step of its own weights. It is nil for agents that do not.
	Inner *Inner `json:"inner,omitempty"`
	// Scale divides the actions of the network "policy", mean and deviation. It is 0, which means 1, if they are taken
	// as they are.
	Scale float64 `json:"scale,omitempty"`
}

// Inner is MAML's step from the weights θ of the network "policy" to θ' = θ − Rate·∇L(θ), where L is
// −mean(log π(a|o)·A) over the steps of some episodes on one task. A are generalised advantages with Discount and
// Lambda. No gradient passes an output outside of its bounds.
type Inner struct {
	Rate       float64 `json:"rate"`
	Discount   float64 `json:"discount"`
	Lambda     float64 `json:"lambda"`
	Advantages string  `json:"advantages"` // onpolicy.Std, Variance or Raw
	Baseline   string  `json:"baseline"`   // LeastSquares, OfNetwork or Restarted
	Ridge      float64 `json:"ridge"`      // of the least squares
}

// Baselines of advantages: what gives the values of observations.
const (
	// LeastSquares is fitted to the discounted returns of the episodes, on the features o, o², t/100, (t/100)²,
	// (t/100)³ and 1 of observation o, clipped to [-10,10], and step t. Ridge is added to the diagonal of the normal
	// equations, and multiplied by 10 until they can be solved.
	LeastSquares = "least squares"
	// OfNetwork is the network "value".
	OfNetwork = "network"
	// Restarted is a network that is drawn anew and fitted for each adaptation. It is not in the file.
	Restarted = "restarted network"
)

// What a recurrent unit reads.
const (
	// OfPolicy is a unit that reads, before each action, the observation, the last action, the last reward, and 1 if an
	// episode of the trial has just ended, otherwise 0. The action is computed from the state after that.
	OfPolicy = "policy"
	// OfBelief is a unit that reads each transition once it is complete. The belief is computed from its state. The
	// action is computed from the observation and the belief.
	OfBelief = "belief"
)

// Ways in which a context's rows become one belief.
const (
	// Product multiplies the rows' Gaussians: 1/var = Σ 1/var_n, mean = var·Σ mean_n/var_n. Without rows it is N(0, I).
	Product = "product"
	// Average is the average of the rows' embeddings, with the variance 1/rows. Without rows it is N(0, I).
	Average = "average"
)

// Actions of policies. Without noise, the action of a Gaussian policy is computed from its mean alone.
const (
	// Squashed is the action of soft actor-critics.
	Squashed = "tanh(mean + exp(log_std) * noise)"
	// Plain is an action that environments clip to [-1,1].
	Plain = "mean + exp(log_std) * noise"
	// Divided is Plain with outputs in units of 1/scale.
	Divided = "(mean + exp(log_std) * noise) / scale"
	// Drawn is a discrete action: for each group of Choices, 1 at the most probable choice, or at one drawn with the
	// probabilities softmax(logits), and 0 elsewhere.
	Drawn = "one-hot(softmax(logits))"
)

// GRU is the Cell of a gated recurrent unit, nn.GRU.
const GRU = "gru"

// Network is a multi-layer perceptron. Layer l computes x·W + b from the tensors NAME/w<l>, inputs × outputs, and
// NAME/b<l>, 1 × outputs. Every layer but the last is followed by the activation.
//
// With a Cell it is a recurrent unit with one Hidden width and the tensors NAME/wx, NAME/bx, NAME/wh and NAME/bh.
type Network struct {
	Cell       string `json:"cell,omitempty"`
	Inputs     []Part `json:"inputs"` // side by side, in this order
	Hidden     []int  `json:"hidden"` // widths of the hidden layers
	Activation string `json:"activation"`
	Outputs    []Part `json:"outputs"` // side by side, in this order
}

// Part is a group of a network's inputs or outputs.
type Part struct {
	Name string `json:"name"`
	Size int    `json:"size"`
	// Function is applied to an output of the last layer, "softplus", "tanh" or "relu"; empty: none. Min and Max clip
	// the result; nil: no bound.
	Function string `json:"function,omitempty"`
	// If Tensor is not empty, this output does not come from the last layer: it is the tensor of this name in the file,
	// 1 × Size.
	Tensor string   `json:"tensor,omitempty"`
	Min    *float64 `json:"min,omitempty"`
	Max    *float64 `json:"max,omitempty"`
}

// View is a function of an input: "symlog", sign(x)·log(1+|x|), or "standardised", (x − mean)·scale, clipped to
// [-Limit, Limit] if Limit is not 0. Mean and scale are tensors of the file, 1 × size, or numbers.
type View struct {
	Function    string    `json:"function"`
	MeanTensor  string    `json:"mean_tensor,omitempty"`
	ScaleTensor string    `json:"scale_tensor,omitempty"`
	Mean        []float64 `json:"mean,omitempty"`
	Scale       []float64 `json:"scale,omitempty"`
	Limit       float64   `json:"limit,omitempty"`
}

// Symlog is the view sign(x)·log(1+|x|).
func Symlog() View { return View{Function: "symlog"} }

// Standardised is the view with the mean and the scale of two tensors.
func Standardised(mean, scale string, limit float64) View {
	return View{Function: "standardised", MeanTensor: mean, ScaleTensor: scale, Limit: limit}
}

// New returns a description without networks of an agent with a squashed Gaussian policy.
func New() Description {
	return Description{Version: 1, Networks: map[string]Network{}, Views: map[string]View{}, Action: Squashed}
}

// NewRecurrent returns a description without networks of an agent with a memory, OfPolicy or OfBelief, whose policy is
// a Gaussian that is not squashed, or, with choices, discrete.
func NewRecurrent(memory string, choices []int) Description {
	d := New()
	d.Version, d.Memory, d.Choices, d.Action = 2, memory, choices, Plain
	if len(choices) > 0 {
		d.Action = Drawn
	}
	return d
}

// NewInner returns a description without networks of an agent that adapts by a gradient step. Its policy is a Gaussian
// that is not squashed, whose actions are divided by scale, or, with choices, discrete.
func NewInner(step Inner, choices []int, scale float64) Description {
	d := NewRecurrent("", choices)
	d.Version, d.Inner = 3, &step
	if scale != 1 && len(choices) == 0 {
		d.Action, d.Scale = Divided, scale
	}
	return d
}

// In is a part as it is.
func In(name string, size int) Part { return Part{Name: name, Size: size} }

// Within is a part that is clipped.
func Within(name string, size int, least, most float64) Part {
	return Part{Name: name, Size: size, Min: &least, Max: &most}
}

// Constant is an output that is a tensor of the file.
func Constant(name, tensor string, size int, least, most float64) Part {
	p := Within(name, size, least, most)
	p.Tensor = tensor
	return p
}

// Unit describes a gated recurrent unit.
func Unit(unit nn.GRU, inputs []Part) Network {
	if in := size(inputs); in != unit.In {
		panic(fmt.Sprintf("weights: unit %s has %d inputs, described are %d", unit.Name, unit.In, in))
	}
	return Network{Cell: GRU, Inputs: inputs, Hidden: []int{unit.Hidden}, Activation: "tanh",
		Outputs: []Part{In("state", unit.Hidden)}}
}

// MLP describes a network. It panics if the parts do not have the network's sizes, because then the caller is wrong.
func MLP(net nn.MLP, inputs, outputs []Part) Network {
	if in, out := size(inputs), size(outputs); in != net.In || out != net.Out {
		panic(fmt.Sprintf("weights: network %s has %d inputs and %d outputs, described are %d and %d", net.Name, net.In,
			net.Out, in, out))
	}
	return Network{Inputs: inputs, Hidden: slices.Clone(net.Hidden), Activation: strings.ToLower(net.Act.String()),
		Outputs: outputs}
}

func size(parts []Part) (n int) {
	for _, p := range parts {
		if p.Tensor == "" {
			n += p.Size
		}
	}
	return n
}

// viewed is what the name of a first layer's tensor ends in if the network sees an input through a view. A reader that
// knows nothing of views then finds no first layer, and does not compute with inputs that the network never saw.
const viewed = "_viewed"

// Stored returns the name under which a parameter is stored.
func (d Description) Stored(parameter string) string {
	network, layer, _ := strings.Cut(parameter, "/")
	n, is := d.Networks[network]
	through := func(p Part) bool { return d.Views[p.Name].Function != "" }
	if is && (layer == "w0" || layer == "b0") && slices.ContainsFunc(n.Inputs, through) {
		return parameter + viewed
	}
	return parameter
}

// Parameter returns the parameter that is stored under a name.
func Parameter(stored string) string { return strings.TrimSuffix(stored, viewed) }

// Seen says in words through which views the networks see.
func (d Description) Seen() string {
	var words []string
	for _, input := range slices.Sorted(maps.Keys(d.Views)) {
		words = append(words, input+" "+d.Views[input].Function)
	}
	if len(words) == 0 {
		return "inputs as they are"
	}
	return strings.Join(words, ", ")
}

// Text is the description as it stands in a file's metadata.
func (d Description) Text() (string, error) {
	text, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("weights: %w", err)
	}
	return string(text), nil
}

// Parse reads a description from a file's metadata. It returns false if there is none, as in files of older programs.
// The error says what is wrong with the text, or that a newer program wrote it.
func Parse(metadata map[string]string) (d Description, ok bool, err error) {
	text, ok := metadata[Key]
	if !ok {
		return d, false, nil
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return d, false, fmt.Errorf("weights: the metadata %q: %w", Key, err)
	}
	if d.Version < 1 || d.Version > Version {
		return d, false, fmt.Errorf("weights: the description has version %d; this program reads 1 to %d: use a newer "+
			"program", d.Version, Version)
	}
	return d, true, nil
}
