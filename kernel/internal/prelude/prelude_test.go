package prelude

import (
	"cmp"
	"maps"
	"math"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	ourcmp "nacre/kernel/internal/prelude/cmp"
	ourmaps "nacre/kernel/internal/prelude/maps"
	ourslices "nacre/kernel/internal/prelude/slices"
)

// The sources here do what the standard packages do.
func TestLikeTheStandardLibrary(t *testing.T) {
	same := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	r := rand.New(rand.NewSource(1))
	for range 200 {
		a := make([]int, r.Intn(12))
		for k := range a {
			a[k] = r.Intn(6)
		}
		b := slices.Clone(a)
		ourslices.Sort(a)
		slices.Sort(b)
		same("Sort", a, b)
		x := r.Intn(7)
		i, ok := ourslices.BinarySearch(a, x)
		j, ok2 := slices.BinarySearch(b, x)
		same("BinarySearch", []any{i, ok}, []any{j, ok2})
		same("Compact", ourslices.Compact(slices.Clone(a)), slices.Compact(slices.Clone(a)))
		lo := r.Intn(len(a) + 1)
		hi := lo + r.Intn(len(a)-lo+1)
		same("Delete", ourslices.Delete(slices.Clone(a), lo, hi), slices.Delete(slices.Clone(a), lo, hi))
		same("Insert", ourslices.Insert(slices.Clone(a), lo, 8, 9), slices.Insert(slices.Clone(a), lo, 8, 9))
		same("Replace", ourslices.Replace(slices.Clone(a), lo, hi, 7), slices.Replace(slices.Clone(a), lo, hi, 7))
		same("Index", ourslices.Index(a, x), slices.Index(a, x))
		same("Chunk", ourslices.Collect(ourslices.Chunk(a, 3)), slices.Collect(slices.Chunk(a, 3)))
		even := func(v int) bool { return v%2 == 0 }
		same("DeleteFunc", ourslices.DeleteFunc(slices.Clone(a), even), slices.DeleteFunc(slices.Clone(a), even))
		m := map[int]bool{}
		for _, v := range a {
			m[v] = true
		}
		same("Keys", ourslices.Sorted(ourmaps.Keys(m)), slices.Sorted(maps.Keys(m)))
		if len(a) > 0 {
			same("Max", ourslices.Max(a), slices.Max(a))
		}
		same("Compare", ourslices.Compare(a, b[:lo]), slices.Compare(a, b[:lo]))
	}
	values := []float64{math.NaN(), math.Inf(-1), -1, 0, 2, math.Inf(1)}
	for _, x := range values {
		for _, y := range values {
			same("cmp", []any{ourcmp.Compare(x, y), ourcmp.Less(x, y)}, []any{cmp.Compare(x, y), cmp.Less(x, y)})
		}
	}
}
