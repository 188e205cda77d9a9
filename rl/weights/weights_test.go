package weights_test

import (
	"reflect"
	"strings"
	"testing"

	"nacre/core/nn"
	"nacre/core/op"
	"nacre/rl/weights"
)

func described() weights.Description {
	d := weights.New()
	net := nn.MLP{Name: "policy", In: 5, Hidden: []int{7, 7}, Out: 4, Act: op.ReLU}
	d.Networks["policy"] = weights.MLP(net, []weights.Part{weights.In("observation", 3), weights.In("z", 2)},
		[]weights.Part{weights.In("mean", 2), weights.Within("log_std", 2, -20, 2)})
	d.Networks["encoder"] = weights.MLP(nn.MLP{In: 6, Out: 2},
		[]weights.Part{weights.In("observation", 3), weights.In("action", 2), weights.In("reward", 1)},
		[]weights.Part{weights.In("mean", 2)})
	return d
}

// Only the first layers of networks that see an input through a view have other names.
func TestStored(t *testing.T) {
	d := described()
	d.Views["reward"] = weights.Symlog()
	for parameter, want := range map[string]string{"policy/w0": "policy/w0", "encoder/w0": "encoder/w0_viewed",
		"encoder/b0": "encoder/b0_viewed", "encoder/w1": "encoder/w1", "encoder_key/w0": "encoder_key/w0",
		"log_alpha": "log_alpha"} {
		if got := d.Stored(parameter); got != want || weights.Parameter(got) != parameter {
			t.Errorf("%s is stored as %s, want %s; and read as %s", parameter, got, want, weights.Parameter(got))
		}
	}
}

func TestTextAndBack(t *testing.T) {
	d := described()
	d.Views["observation"] = weights.Standardised("obs/mean", "obs/scale", 10)
	d.Views["task"] = weights.View{Function: "standardised", Mean: []float64{0.1}, Scale: []float64{1 / 3.0}}
	text, err := d.Text()
	if err != nil {
		t.Fatal(err)
	}
	back, ok, err := weights.Parse(map[string]string{weights.Key: text})
	if err != nil || !ok || !reflect.DeepEqual(back, d) {
		t.Errorf("%s\nis read as %+v, %v, %v", text, back, ok, err)
	}
	if seen := back.Seen(); seen != "observation standardised, task standardised" {
		t.Error(seen)
	}
	if _, ok, err := weights.Parse(nil); ok || err != nil {
		t.Errorf("a file without a description: %v, %v", ok, err)
	}
	for text, want := range map[string]string{`{"version": 4}`: "has version 4; this program reads 1 to 3",
		`{"version": "1"}`: `the metadata "agent"`, `{}`: "has version 0"} {
		if _, _, err := weights.Parse(map[string]string{weights.Key: text}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
}

func TestWrongSizes(t *testing.T) {
	defer func() {
		if r := recover(); r == nil || !strings.Contains(r.(string), "v has 3 inputs and 1 outputs, described are 2") {
			t.Errorf("recovered %v", r)
		}
	}()
	weights.MLP(nn.MLP{Name: "v", In: 3, Out: 1}, []weights.Part{weights.In("observation", 2)},
		[]weights.Part{weights.In("value", 1)})
}
