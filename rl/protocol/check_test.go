package protocol

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// A result is whole as it is written; with any one part of it changed it is not, wherever that part is.
func TestCheck(t *testing.T) {
	p := Protocol{Name: "p", Explore: 1, Scored: 2, Z: Mean, Repeats: 2}
	whole, err := Evaluate(t.Context(), &line{}, goals(7, 1, 3, 5), p, &believer{}, 42)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	read := func(text []byte) (r Result, err error) {
		if err = json.Unmarshal(text, &r); err == nil {
			err = r.Check()
		}
		return r, err
	}
	if again, err := read(text); err != nil || !reflect.DeepEqual(again, whole) {
		t.Fatalf("%+v, %v; want %+v", again, err, whole)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for name, change := range map[string]func(m map[string]any, task map[string]any, list []any, k int){
		"a null":             func(_, _ map[string]any, list []any, k int) { list[k] = nil },
		"another return":     func(_, _ map[string]any, list []any, k int) { list[k] = 500.0 + list[k].(float64) },
		"a huge return":      func(_, _ map[string]any, list []any, k int) { list[k] = 1e308 },
		"fewer trajectories": func(_, task map[string]any, list []any, k int) { task["return"].([]any)[0] = list[:k] },
		"fewer repeats": func(_, task map[string]any, _ []any, _ int) {
			for _, key := range []string{"return", "success", "len"} {
				task[key] = task[key].([]any)[:1]
			}
		},
		"no success":   func(_, task map[string]any, _ []any, _ int) { delete(task, "success") },
		"a null list":  func(_, task map[string]any, _ []any, _ int) { task["len"].([]any)[1] = nil },
		"one task":     func(m, _ map[string]any, _ []any, _ int) { m["tasks"] = m["tasks"].([]any)[:1] },
		"no task":      func(m, _ map[string]any, _ []any, _ int) { m["tasks"] = []any{} },
		"null tasks":   func(m, _ map[string]any, _ []any, _ int) { m["tasks"] = nil },
		"no protocol":  func(m, _ map[string]any, _ []any, _ int) { delete(m, "protocol") },
		"no summary":   func(m, _ map[string]any, _ []any, _ int) { delete(m, "summary") },
		"nothing":      func(m, _ map[string]any, _ []any, _ int) { clear(m) },
		"a null param": func(_, task map[string]any, _ []any, _ int) { task["params"] = []any{nil} },
	} {
		for range 20 {
			var m map[string]any
			if err := json.Unmarshal(text, &m); err != nil {
				t.Fatal(err)
			}
			task := m["tasks"].([]any)[r.IntN(3)].(map[string]any)
			list := task["return"].([]any)[r.IntN(2)].([]any)
			k := 1 + r.IntN(2) // the first trajectory explores, and is not in the summary's mean
			change(m, task, list, k)
			changed, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := read(changed); err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v; want one sentence", name, err)
			}
		}
	}
}
