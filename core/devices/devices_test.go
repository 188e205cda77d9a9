package devices_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nacre/core"
	"nacre/core/devices"
)

func Example() {
	d, _, err := devices.Open("ref", core.DeviceOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Name())
	_, _, err = devices.Open("cudda", core.DeviceOptions{})
	message, _, _ := strings.Cut(err.Error(), " (known: ")
	fmt.Println(message)
	// Output:
	// ref/float64
	// device "cudda" is unknown; did you mean "cuda"?
}

// Every backend says all that others read of it, and what it makes is named after it.
func TestList(t *testing.T) {
	names := map[string]bool{devices.Auto: true}
	for _, b := range devices.All() {
		if names[b.Name] || b.Name == "" || strings.ContainsAny(b.Name, ":/ ") || b.Title == "" ||
			len(b.Precisions) == 0 || b.Open == nil {
			t.Errorf("%q: its name is taken or no name, or it lacks a title, precisions or Open", b.Name)
		}
		names[b.Name] = true
		if b.Accelerator && b.Probe == nil {
			t.Errorf("%s: nobody can find out whether it is there", b.Name)
		}
		d, notice, err := devices.Open(b.Name, core.DeviceOptions{Workers: 1})
		switch {
		case errors.Is(err, core.ErrUnusable):
			t.Logf("%s: %v", b.Name, err)
		case err != nil || notice != "":
			t.Errorf("%s: notice %q, error %v", b.Name, notice, err)
		case !strings.HasPrefix(d.Name(), b.Name+"/") && !strings.HasPrefix(d.Name(), b.Name+":0/"):
			t.Errorf("%s: its device is called %q", b.Name, d.Name())
		}
	}
	if got := devices.Names(); len(got) != len(names) {
		t.Errorf("names %q", got)
	}
}

func TestCheck(t *testing.T) {
	for name, want := range map[string]string{"": "cpu", "cpu": "cpu", "cuda": "cuda", "cuda:3": "cuda", "ref": "ref",
		"webgpu:1": "webgpu", "auto": ""} {
		b, ordinal, ok, err := devices.Check(name)
		if err != nil || b.Name != want || ok != (name != "auto") || (ordinal == 3) != (name == "cuda:3") {
			t.Errorf("%q: %q, number %d, %v, error %v", name, b.Name, ordinal, ok, err)
		}
	}
	known := slices.Sorted(slices.Values(devices.Names()))
	for name, want := range map[string]string{"gpu": "known: " + strings.Join(known, ", "),
		"CUDA": `did you mean "cuda"?`, "cuda:-1": "number from 0", "cuda:x": "number from 0",
		"cuda:": "number from 0", "cpu:1": "one CPU only", ":1": "is unknown"} {
		if _, _, _, err := devices.Check(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", name, err, want)
		}
	}
	if !devices.Accelerated("auto") || !devices.Accelerated("cuda:1") || devices.Accelerated("") ||
		devices.Accelerated("ref") {
		t.Error("what is an accelerator is wrong")
	}
}

// A precision that a device does not have is an error; where "auto" comes to the CPU it is not asked for.
func TestPrecision(t *testing.T) {
	if p, err := devices.Precisions("auto"); err != nil ||
		!slices.Equal(p, []string{"fp32", "tf32", "tf32x3", "bf16"}) {
		t.Errorf("auto: %q, %v", p, err)
	}
	if _, _, err := devices.Open("cpu", core.DeviceOptions{Workers: 1, Precision: "tf32"}); err == nil ||
		!strings.Contains(err.Error(),
			`precision "tf32" is none of device cpu's; did you mean "fp32"? (known: bf16, bf16x3, fp32)`) {
		t.Errorf("TF32 on the CPU: %v", err)
	}
	t.Setenv("NACRE_CUDA_LIBS", t.TempDir()) // no GPU here, whatever the machine has
	t.Setenv("NACRE_WEBGPU_LIB", filepath.Join(t.TempDir(), "none"))
	d, notice, err := devices.Open("auto", core.DeviceOptions{Workers: 1, Precision: "tf32"})
	if err != nil || !strings.HasPrefix(d.Name(), "cpu/") ||
		!strings.Contains(notice, "no usable GPU, taking the CPU (cpu/") {
		t.Errorf("auto: %v, notice %q, error %v", d, notice, err)
	}
}
