package experiment

import "testing"

// A run goes on where it was, in the precision it had, unless another device is named.
func TestHostOfRecord(t *testing.T) {
	for _, c := range []struct {
		device string // of the record
		host   Host
		want   Host
	}{
		{"cpu/avx512 ×2", Host{Workers: 1}, Host{Workers: 1, Device: "cpu"}},
		{"cpu/avx512+bf16x3 ×2", Host{}, Host{Device: "cpu", Precision: "bf16x3"}},
		{"cpu/avx512+bf16 ×2", Host{Precision: "fp32"}, Host{Device: "cpu", Precision: "fp32"}},
		{"cuda:1/tf32 NVIDIA H100", Host{}, Host{Device: "cuda:1", Precision: "tf32"}},
		{"cuda:0/fp32+own NVIDIA H100", Host{}, Host{Device: "cuda:0", Precision: "fp32"}},
		{"cuda:0/tf32 NVIDIA H100", Host{Device: "cpu"}, Host{Device: "cpu"}},
		{"tpu/fp32", Host{}, Host{}},
		{"", Host{}, Host{}},
	} {
		if got := c.host.recorded(Record{Sessions: []Process{{}, {Device: c.device}}}); got != c.want {
			t.Errorf("%q, %+v: %+v, want %+v", c.device, c.host, got, c.want)
		}
	}
}
