//go:build js && wasm

// Command program is the training core for bench/tab. On the CPU or by WebGPU it sets up the benchmark's updates, and
// the product and the gradient that programs.mjs asks of every library. Then it calls the script's nacreReady with
// functions that return promises of the results, or with an error.
package main

import (
	"math"
	"syscall/js"
	"unsafe"

	"nacre/core"
	"nacre/core/devices"
	"nacre/core/nn"
	"nacre/core/op"
	"nacre/rl/benchmark"
	"nacre/tcl/tclpearl"
)

// tasks divide the rows, as in an update.
const tasks = 16

func main() {
	functions, err := prepare(js.Global().Get("nacreProblem"))
	if err != nil {
		functions = map[string]any{"problem": err.Error()}
	}
	js.Global().Call("nacreReady", js.ValueOf(functions))
	select {}
}

func prepare(problem js.Value) (map[string]any, error) {
	d, _, err := devices.Open(map[string]string{"wasm": "cpu", "webgpu": "webgpu"}[problem.Get("device").String()],
		core.DeviceOptions{})
	if err != nil {
		return nil, err
	}
	functions, updates := map[string]any{"device": d.Name()}, map[string]any{}
	for name, make := range map[string]func(core.Device, js.Value) (func() (any, error), error){"product": product,
		"critic": critic} {
		f, err := make(d, problem)
		if err != nil {
			return nil, err
		}
		functions[name] = promised(f)
	}
	sizes := problem.Get("updates")
	for i := range sizes.Length() {
		size := sizes.Index(i).String()
		f, flops, off, err := update(d, size)
		if err != nil {
			return nil, err
		}
		functions[size], updates[size] = promised(f), map[string]any{"work": flops, "off": off}
	}
	functions["updates"] = updates
	return functions, nil
}

// promised is a function of JavaScript whose promise f keeps: f hands the thread back while it computes, which a call
// from JavaScript must not wait for.
func promised(f func() (any, error)) js.Func {
	return js.FuncOf(func(js.Value, []js.Value) any {
		var work js.Func
		work = js.FuncOf(func(_ js.Value, args []js.Value) any {
			go func() {
				defer work.Release()
				if v, err := f(); err != nil {
					args[1].Invoke(err.Error())
				} else {
					args[0].Invoke(v)
				}
			}()
			return nil
		})
		return js.Global().Get("Promise").New(work)
	})
}

// floats copies a Float32Array.
func floats(a js.Value) []float32 {
	v := make([]float32, a.Length())
	bytes := js.Global().Get("Uint8Array").New(a.Get("buffer"), a.Get("byteOffset"), a.Get("byteLength"))
	js.CopyBytesToGo(unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), 4*len(v)), bytes)
	return v
}

// product returns the address of its result in the program's memory, where scripts read it.
func product(d core.Device, problem js.Value) (func() (any, error), error) {
	m, k := problem.Get("rows").Int(), problem.Get("inner").Int()
	b := core.NewBuilder("product", tasks)
	s := b.Stage("product")
	s.Output("c", s.MatMul(s.Input("a", m, k), s.Param("b", k, k), false, false))
	r, err := load(d, b, map[string][]float32{"b": floats(problem.Get("b"))},
		map[string][]float32{"a": floats(problem.Get("a"))})
	if err != nil {
		return nil, err
	}
	c := make([]float32, m*k)
	return func() (any, error) {
		if err := r.Run(); err != nil {
			return nil, err
		}
		if err := r.Read("c", c); err != nil {
			return nil, err
		}
		return uintptr(unsafe.Pointer(&c[0])), nil
	}, nil
}

// critic makes a whole step: beside the gradient, Adam.
func critic(d core.Device, problem js.Value) (func() (any, error), error) {
	rows, sizes := problem.Get("rows").Int(), problem.Get("sizes")
	n := sizes.Length()
	q := nn.MLP{In: sizes.Index(0).Int(), Out: sizes.Index(n - 1).Int(), Act: op.ReLU}.As("q")
	for i := 1; i < n-1; i++ {
		q.Hidden = append(q.Hidden, sizes.Index(i).Int())
	}
	b := core.NewBuilder("critic", tasks)
	s := b.Stage("critic")
	x, y := s.Input("x", rows, q.In), s.Input("y", rows, q.Out)
	loss := s.MeanAll(s.Square(s.Sub(q.Apply(s, x), y)))
	s.OutputNorm("norm", s.Minimise(loss, core.DefaultAdam(3e-4), q.Nodes(s)...)...)
	s.Output("loss", loss)
	weights := map[string][]float32{}
	for i, p := range q.Specs() {
		if i%2 == 0 { // biases start at zero
			weights[p.Name] = floats(problem.Get("weights").Index(i / 2))
		}
	}
	r, err := load(d, b, weights, map[string][]float32{"x": floats(problem.Get("x")), "y": floats(problem.Get("y"))})
	if err != nil {
		return nil, err
	}
	return func() (any, error) {
		if err := r.Run(); err != nil {
			return nil, err
		}
		figures, err := benchmark.Read(r, []string{"loss", "norm"})
		return map[string]any{"loss": figures["loss"], "norm": figures["norm"]}, err
	}, nil
}

// load compiles a program and gives it its parameters and inputs.
func load(d core.Device, b *core.Builder, params, inputs map[string][]float32) (core.Runner, error) {
	p, err := b.Compile()
	if err != nil {
		return nil, err
	}
	memory, err := d.NewMemory(p.ParamSpecs())
	if err != nil {
		return nil, err
	}
	for name, v := range params {
		wide := make([]float64, len(v))
		for i, x := range v {
			wide[i] = float64(x)
		}
		if err := memory.Write(name, wide); err != nil {
			return nil, err
		}
	}
	r, err := d.Load(p, memory)
	if err != nil {
		return nil, err
	}
	for name, v := range inputs {
		if err := r.Write(name, v); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// update is the benchmark's TCL-PEARL update, its operations, and how far the first one's figures are off.
func update(d core.Device, size string) (f func() (any, error), flops, off float64, err error) {
	s, err := benchmark.Find(size)
	if err != nil {
		return nil, 0, 0, err
	}
	y, err := tclpearl.NewBenchmark(s, d)
	if err != nil {
		return nil, 0, 0, err
	}
	figures, err := y.Update(0)
	if err != nil {
		return nil, 0, 0, err
	}
	for name, want := range y.Expected(0) {
		off = max(off, math.Abs(figures[name]/want-1))
	}
	return func() (any, error) { return nil, y.Run() }, float64(y.FLOPs()), off, nil
}
