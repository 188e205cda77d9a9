// Package slices is the source from which cells instantiate the generic functions of the standard package slices,
// which have no compiled form to call. Type parameters are in the standard package's order.
package slices

import (
	"cmp"
	"iter"
	"sort"
)

func All[S ~[]E, E any](s S) iter.Seq2[int, E] {
	return func(yield func(int, E) bool) {
		for k := 0; k < len(s); k++ {
			if !yield(k, s[k]) {
				return
			}
		}
	}
}

func AppendSeq[S ~[]E, E any](s S, seq iter.Seq[E]) S {
	seq(func(v E) bool { s = append(s, v); return true })
	return s
}

func Backward[S ~[]E, E any](s S) iter.Seq2[int, E] {
	return func(yield func(int, E) bool) {
		for k := len(s) - 1; k >= 0; k-- {
			if !yield(k, s[k]) {
				return
			}
		}
	}
}

func BinarySearch[S ~[]E, E cmp.Ordered](x S, target E) (int, bool) {
	k := sort.Search(len(x), func(k int) bool { return !cmp.Less(x[k], target) })
	return k, k < len(x) && cmp.Compare(x[k], target) == 0
}

func BinarySearchFunc[S ~[]E, E, T any](x S, target T, f func(E, T) int) (int, bool) {
	k := sort.Search(len(x), func(k int) bool { return f(x[k], target) >= 0 })
	return k, k < len(x) && f(x[k], target) == 0
}

func Chunk[S ~[]E, E any](s S, n int) iter.Seq[S] {
	if n < 1 {
		panic("cannot be less than 1")
	}
	return func(yield func(S) bool) {
		for k := 0; k < len(s); k += n {
			end := min(n, len(s)-k)
			if !yield(s[k : k+end : k+end]) {
				return
			}
		}
	}
}

func Clip[S ~[]E, E any](s S) S { return s[:len(s):len(s)] }

func Clone[S ~[]E, E any](s S) S {
	if s == nil {
		return nil
	}
	return append(S{}, s...)
}

func Collect[E any](seq iter.Seq[E]) []E {
	var s []E
	seq(func(v E) bool { s = append(s, v); return true })
	return s
}

func Compact[S ~[]E, E comparable](s S) S {
	return CompactFunc(s, func(a, b E) bool { return a == b })
}

func CompactFunc[S ~[]E, E any](s S, eq func(E, E) bool) S {
	n := 1
	for n < len(s) && !eq(s[n], s[n-1]) {
		n++
	}
	if n >= len(s) {
		return s
	}
	for k := n + 1; k < len(s); k++ {
		if !eq(s[k], s[k-1]) {
			s[n] = s[k]
			n++
		}
	}
	clear(s[n:])
	return s[:n]
}

func Compare[S ~[]E, E cmp.Ordered](a, b S) int {
	return CompareFunc(a, b, func(x, y E) int { return cmp.Compare(x, y) })
}

func CompareFunc[S1 ~[]E1, S2 ~[]E2, E1, E2 any](a S1, b S2, f func(E1, E2) int) int {
	for k := range a {
		if k >= len(b) {
			return 1
		}
		if c := f(a[k], b[k]); c != 0 {
			return c
		}
	}
	if len(a) < len(b) {
		return -1
	}
	return 0
}

func Concat[S ~[]E, E any](list ...S) S {
	n := 0
	for _, s := range list {
		n += len(s)
	}
	if n == 0 {
		return nil
	}
	out := Grow(S(nil), n)
	for _, s := range list {
		out = append(out, s...)
	}
	return out
}

func Contains[S ~[]E, E comparable](s S, v E) bool { return Index(s, v) >= 0 }

func ContainsFunc[S ~[]E, E any](s S, f func(E) bool) bool { return IndexFunc(s, f) >= 0 }

func Delete[S ~[]E, E any](s S, i, j int) S {
	_ = s[i:j:len(s)]
	if i == j {
		return s
	}
	old := len(s)
	s = append(s[:i], s[j:]...)
	clear(s[len(s):old])
	return s
}

func DeleteFunc[S ~[]E, E any](s S, del func(E) bool) S {
	n := 0
	for k := range s {
		if !del(s[k]) {
			s[n] = s[k]
			n++
		}
	}
	clear(s[n:])
	return s[:n]
}

func Equal[S ~[]E, E comparable](a, b S) bool {
	return EqualFunc(a, b, func(x, y E) bool { return x == y })
}

func EqualFunc[S1 ~[]E1, S2 ~[]E2, E1, E2 any](a S1, b S2, eq func(E1, E2) bool) bool {
	if len(a) != len(b) {
		return false
	}
	for k := range a {
		if !eq(a[k], b[k]) {
			return false
		}
	}
	return true
}

func Grow[S ~[]E, E any](s S, n int) S {
	if n < 0 {
		panic("cannot be negative")
	}
	more := n - (cap(s) - len(s))
	if more <= 0 {
		return s
	}
	return append(s[:cap(s)], make([]E, more)...)[:len(s)]
}

func Index[S ~[]E, E comparable](s S, v E) int {
	for k := range s {
		if s[k] == v {
			return k
		}
	}
	return -1
}

func IndexFunc[S ~[]E, E any](s S, f func(E) bool) int {
	for k := range s {
		if f(s[k]) {
			return k
		}
	}
	return -1
}

func Insert[S ~[]E, E any](s S, i int, v ...E) S {
	_ = s[i:]
	n := len(v)
	switch {
	case n == 0:
		return s
	case i == len(s):
		return append(s, v...)
	case len(s)+n > cap(s):
		out := append(s[:i], make(S, len(s)+n-i)...)
		copy(out[i:], v)
		copy(out[i+n:], s[i:])
		return out
	}
	v = append([]E(nil), v...) // which may be part of s
	s = s[:len(s)+n]
	copy(s[i+n:], s[i:])
	copy(s[i:], v)
	return s
}

func IsSorted[S ~[]E, E cmp.Ordered](x S) bool {
	for k := len(x) - 1; k > 0; k-- {
		if cmp.Less(x[k], x[k-1]) {
			return false
		}
	}
	return true
}

func IsSortedFunc[S ~[]E, E any](x S, f func(a, b E) int) bool {
	for k := len(x) - 1; k > 0; k-- {
		if f(x[k], x[k-1]) < 0 {
			return false
		}
	}
	return true
}

func Max[S ~[]E, E cmp.Ordered](x S) E {
	if len(x) == 0 {
		panic("slices.Max: empty list")
	}
	m := x[0]
	for k := 1; k < len(x); k++ {
		m = max(m, x[k])
	}
	return m
}

func MaxFunc[S ~[]E, E any](x S, f func(a, b E) int) E {
	if len(x) == 0 {
		panic("slices.MaxFunc: empty list")
	}
	m := x[0]
	for k := 1; k < len(x); k++ {
		if f(x[k], m) > 0 {
			m = x[k]
		}
	}
	return m
}

func Min[S ~[]E, E cmp.Ordered](x S) E {
	if len(x) == 0 {
		panic("slices.Min: empty list")
	}
	m := x[0]
	for k := 1; k < len(x); k++ {
		m = min(m, x[k])
	}
	return m
}

func MinFunc[S ~[]E, E any](x S, f func(a, b E) int) E {
	if len(x) == 0 {
		panic("slices.MinFunc: empty list")
	}
	m := x[0]
	for k := 1; k < len(x); k++ {
		if f(x[k], m) < 0 {
			m = x[k]
		}
	}
	return m
}

func Repeat[S ~[]E, E any](x S, count int) S {
	if count < 0 {
		panic("cannot be negative")
	}
	out := make(S, 0, len(x)*count)
	for k := 0; k < count; k++ {
		out = append(out, x...)
	}
	return out
}

func Replace[S ~[]E, E any](s S, i, j int, v ...E) S {
	_ = s[i:j]
	n := len(s) - (j - i) + len(v)
	switch {
	case i == j:
		return Insert(s, i, v...)
	case j == len(s):
		out := append(s[:i], v...)
		if len(out) < len(s) {
			clear(s[len(out):])
		}
		return out
	case n > cap(s):
		out := append(s[:i], make(S, n-i)...)
		copy(out[i:], v)
		copy(out[i+len(v):], s[j:])
		return out
	}
	v = append([]E(nil), v...) // which may be part of s
	out := s[:n]
	copy(out[i+len(v):], s[j:])
	copy(out[i:], v)
	if n < len(s) {
		clear(s[n:])
	}
	return out
}

func Reverse[S ~[]E, E any](s S) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}

func Sort[S ~[]E, E cmp.Ordered](x S) {
	switch v := any([]E(x)).(type) {
	case []float64:
		sort.Float64s(v)
	case []int:
		sort.Ints(v)
	case []string:
		sort.Strings(v)
	default:
		sort.Slice(x, func(i, j int) bool { return cmp.Less(x[i], x[j]) })
	}
}

func SortFunc[S ~[]E, E any](x S, f func(a, b E) int) {
	sort.Slice(x, func(i, j int) bool { return f(x[i], x[j]) < 0 })
}

func SortStableFunc[S ~[]E, E any](x S, f func(a, b E) int) {
	sort.SliceStable(x, func(i, j int) bool { return f(x[i], x[j]) < 0 })
}

func Sorted[E cmp.Ordered](seq iter.Seq[E]) []E {
	s := Collect(seq)
	Sort(s)
	return s
}

func SortedFunc[E any](seq iter.Seq[E], f func(E, E) int) []E {
	s := Collect(seq)
	SortFunc(s, f)
	return s
}

func SortedStableFunc[E any](seq iter.Seq[E], f func(E, E) int) []E {
	s := Collect(seq)
	SortStableFunc(s, f)
	return s
}

func Values[S ~[]E, E any](s S) iter.Seq[E] {
	return func(yield func(E) bool) {
		for k := 0; k < len(s); k++ {
			if !yield(s[k]) {
				return
			}
		}
	}
}
