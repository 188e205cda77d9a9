package prelude

import (
	"cmp"
	"crypto/hkdf"
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	ouriter "nacre/kernel/internal/prelude/iter"

	ourcmp "nacre/kernel/internal/prelude/cmp"
	ourhkdf "nacre/kernel/internal/prelude/crypto_hkdf"
	ourpbkdf2 "nacre/kernel/internal/prelude/crypto_pbkdf2"
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

// Pull and Pull2 do what those of package iter do: values in turn, stopped early or not at all, and panics.
func TestPull(t *testing.T) {
	run := func(pull func(iter.Seq[int]) (func() (int, bool), func()), n, stopAt, panicAt int) (out []string) {
		say := func(a ...any) { out = append(out, fmt.Sprint(a...)) }
		next, stop := pull(func(yield func(int) bool) {
			defer say("left")
			for k := range n {
				if k == panicAt {
					panic("at " + fmt.Sprint(k))
				}
				if !yield(k * k) {
					say("told to stop")
					return
				}
			}
		})
		step := func() (ok bool) {
			defer func() {
				if x := recover(); x != nil {
					say("panic: ", x)
				}
			}()
			v, ok := next()
			say(v, ok)
			return ok
		}
		for k := range n + 2 {
			if k == stopAt {
				stop()
				stop()
			}
			step()
		}
		stop()
		return out
	}
	for n := range 4 {
		for stopAt := range n + 2 {
			for _, panicAt := range []int{-1, 0, 1} {
				got, want := run(ouriter.Pull[int], n, stopAt, panicAt), run(iter.Pull[int], n, stopAt, panicAt)
				if !slices.Equal(got, want) {
					t.Errorf("Pull of %d, stopped at %d, panic at %d: %v, want %v", n, stopAt, panicAt, got, want)
				}
			}
		}
	}
	next, stop := ouriter.Pull2(slices.All([]string{"a", "b"}))
	k, v, ok := next()
	k2, v2, ok2 := next()
	_, _, ok3 := next()
	if k != 0 || v != "a" || !ok || k2 != 1 || v2 != "b" || !ok2 || ok3 {
		t.Error("Pull2:", k, v, ok, k2, v2, ok2, ok3)
	}
	stop()
}

func TestKeysLikeTheStandardLibrary(t *testing.T) {
	same := func(what string, got []byte, gotErr error, want []byte, wantErr error) {
		t.Helper()
		if string(got) != string(want) || fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
			t.Errorf("%s: %x, %v, want %x, %v", what, got, gotErr, want, wantErr)
		}
	}
	r := rand.New(rand.NewSource(2))
	some := func(n int) []byte {
		b := make([]byte, r.Intn(n))
		r.Read(b)
		return b
	}
	for _, salt := range [][]byte{nil, {}, some(20), some(200)} {
		for _, n := range []int{-1, 0, 1, 31, 32, 33, 100, 255 * 32, 255*32 + 1} {
			secret, info := append(some(90), 1), string(some(30))
			got, err := ourpbkdf2.Key(sha512.New, string(secret), salt, 1+r.Intn(9), n)
			_, wantErr := pbkdf2.Key(sha512.New, string(secret), salt, 1, n)
			if (err == nil) != (wantErr == nil) || err == nil && len(got) != n {
				t.Errorf("pbkdf2: %d bytes, %v, want %d, %v", len(got), err, n, wantErr)
			}
			iter := r.Intn(6)
			got, err = ourpbkdf2.Key(sha256.New, string(secret), salt, iter, n)
			want, wantErr := pbkdf2.Key(sha256.New, string(secret), salt, iter, n)
			same("pbkdf2", got, err, want, wantErr)
			if n < 0 {
				continue
			}
			got, err = ourhkdf.Key(sha256.New, secret, salt, info, n)
			want, wantErr = hkdf.Key(sha256.New, secret, salt, info, n)
			same("hkdf.Key", got, err, want, wantErr)
			got, err = ourhkdf.Extract(sha512.New, secret, salt)
			want, wantErr = hkdf.Extract(sha512.New, secret, salt)
			same("hkdf.Extract", got, err, want, wantErr)
			got, err = ourhkdf.Expand(sha256.New, secret, info, n)
			want, wantErr = hkdf.Expand(sha256.New, secret, info, n)
			same("hkdf.Expand", got, err, want, wantErr)
		}
	}
}
