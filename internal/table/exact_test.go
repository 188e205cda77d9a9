package table

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Whole numbers of 64 bits keep all their digits in every format, so that equal labels stay equal and different ones
// different; where they are coordinates, it is said how many are rounded, with the first and its place.
func TestWholeNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for range 60 {
		ints, unsigned := make([]int64, 12), r.IntN(2) == 0
		first := int64(r.Uint64() >> r.IntN(12))
		for i := range ints {
			switch ints[i] = first + int64(r.IntN(6)); {
			case unsigned:
			case i%3 == 1:
				ints[i] = -ints[i]
			}
		}
		var words []string
		var pickles, binaries bytes.Buffer
		inexact, at := 0, 0
		for i, v := range ints {
			word, same := strconv.FormatInt(v, 10), int64(float64(v)) == v && v != math.MaxInt64
			if unsigned {
				near := float64(uint64(v))
				word, same = strconv.FormatUint(uint64(v), 10), near < 1<<64 && uint64(near) == uint64(v)
			}
			if !same {
				if inexact++; inexact == 1 {
					at = i
				}
			}
			words = append(words, word)
			pickles.WriteString("L" + word + "L\n")
			binaries.Write(packed(v))
		}
		list := strings.Join(words, ",\n")
		u := map[bool]string{true: "u", false: "i"}[unsigned]
		for name, raw := range map[string][]byte{
			"x.csv":   []byte("x\n" + strings.Join(words, "\n")),
			"x.tsv":   []byte("x\ty\n" + strings.Join(words, ".0\t0\n") + ".0\t0\n"),
			"x.json":  []byte(`{"x": [` + list + `]}`),
			"x.jsonl": []byte(`{"x": ` + strings.Join(words, "}\n{\"x\": ") + "}"),
			"x.npz":   archive(t, "x", npy("'<"+u+"8'", "False", "(12,)", binaries.Bytes())),
			"x.npy":   npy("'|O'", "False", "(12,)", pickled([]int{12}, false, pickles.String())),
			"x.safetensors": tensors(fmt.Sprintf(`{"x":{"dtype":"%s64","shape":[12],"data_offsets":[0,96]}}`,
				strings.ToUpper(u)), binaries.Bytes()),
		} {
			f, err := Read(name, raw, Options{})
			if err != nil {
				t.Fatal(name, err)
			}
			c := f.Columns()[0]
			if !slices.Equal(c.Words(), words) {
				t.Errorf("%s: %v, want %v", name, c.Words(), words)
			}
			chosen, err := Choose([]Column{c}, Choice{}, f.Row)
			want := ""
			if inexact > 0 {
				want = fmt.Sprintf("%q (%s, first %s at %s)", c.Name, count(inexact, "value"), words[at], f.Row(at))
			}
			if said := strings.Join(chosen.Notes, "\n"); err != nil || !strings.Contains(said, want) ||
				(want == "") == strings.Contains(said, RoundedNote) {
				t.Errorf("%s: %v: %v, %v, want %s", name, words, said, err, want)
			}
		}
	}
}
