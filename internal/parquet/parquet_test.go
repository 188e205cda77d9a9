//go:build !js

package parquet

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"nacre/internal/whole"
)

// file is a file of testdata, which make.py there wrote.
func file(t *testing.T, name string) []byte {
	raw, err := os.ReadFile("testdata/" + name + ".parquet")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// words are a column's values in short.
func words(c Column) string {
	var out []string
	for i := range max(len(c.Num), len(c.Text)) {
		switch {
		case c.Text != nil:
			out = append(out, c.Text[i])
		case math.IsNaN(c.Num[i]):
			out = append(out, "")
		default:
			out = append(out, whole.Text(c.Num[i], c.Rest[i]))
		}
	}
	s := strings.Join(out, ",")
	if c.Lengths != nil {
		s += fmt.Sprint(" ", c.Lengths, c.Inner)
	}
	for _, said := range []string{c.Left, c.Note} {
		if said != "" {
			s += " (" + said + ")"
		}
	}
	return s
}

// What pyarrow wrote is read: types, missing values, lists, and every packing.
func TestRead(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"types": {
			"i": "1,,4611686018427387905", "u": "18446744073709551615,0,", "h": "1.5,-2,+Inf", "b": "1,,0",
			"dec":  "1.23,,-0.05",
			"dec0": "18446744073709551615,-5,",
			"long": "12345678901234567168,, (decimals of more digits than are kept, about 16)",
			"at":   "1970-01-01T00:00:00,1970-01-01T00:00:00.001,",
			"utc":  "1970-01-01T00:00:00Z,1970-01-01T00:00:00.000001Z,", "clock": "00:00:00.000001,23:59:59.999999,",
			"bell": "00:00:00.001,,", "day": "1970-01-01,2020-01-01,",
			"raw":  "ff00,6162, (bytes that are no text, as hexadecimal digits)",
			"text": "x,,",
		},
		"lists": {
			"flat": "1,2,3 [2 0 0 1] []", "grid": "1,2,3,4,5,6,7,8 [4 2 0 2] [2]",
			"uneven": "1,2,3,4 [3 1 0 0] [1] (lists within lists, of different lengths)", "of.a": "1,,,4",
			"of.b.c": "2.5,,,",
		},
		"spans": {
			"s": "1,,9007199254740993 (spans of time, in seconds)", "ms": "1,,9007199254740993 (spans of time, in " +
				"milliseconds)",
			"us": "1,,9007199254740993 (spans of time, in microseconds)",
			"ns": "1,,9007199254740993 (spans of time, in nanoseconds)", "n": "1,2,3",
			"at":   "1970-01-01T00:00:00,1970-01-01T00:00:00.000001,1970-01-01T00:00:00.000002",
			"of.d": "5,,7 (spans of time, in microseconds)", "of.n": "1,,2",
			"list": "5,7,8 [1 0 2] [] (spans of time, in nanoseconds)",
		},
		"spans-bare": {"us": "1,,9007199254740993"},
		"codecs": {
			"none": "0,1,2,0,1,2,0,1,2,0,1,2", "snappy": "0,1,2,0,1,2,0,1,2,0,1,2", "gzip": "0,1,2,0,1,2,0,1,2,0,1,2",
			"zstd": "0,1,2,0,1,2,0,1,2,0,1,2", "lz4": "0,1,2,0,1,2,0,1,2,0,1,2", "brotli": "0,1,2,0,1,2,0,1,2,0,1,2",
		},
	} {
		columns, err := Read(file(t, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(columns) != len(want) {
			t.Errorf("%s: %d columns, want %d", name, len(columns), len(want))
		}
		for _, c := range columns {
			if got := words(c); got != want[c.Name] {
				t.Errorf("%s: column %s: %s, want %s", name, c.Name, got, want[c.Name])
			}
		}
	}
}

// Columns of one name keep their own values, types and units: beside one another, in structures and in lists. Names
// that are empty, or differ by case only, are names too.
func TestEqualNames(t *testing.T) {
	columns, err := Read(file(t, "twice"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range columns {
		got = append(got, c.Name+" "+words(c))
	}
	if want := []string{"a 1,2,3", "a 10,20,30", "A 0.5,1.5,", "a x,,z", " 5,6,7", " u,v,w",
		"d 1,2,3 (spans of time, in seconds)", "d 4,5,6", "of.x 1,2,3", "of.x p,q,r", "of.x 0.25,0.5,0.75", "a.b 8,9,8",
		"a.b 7,6,5", "list 1,2,3 [2 0 1] []", "list s,t,u [1 1 1] []", "rows.x 1,2,3 [1 2 0] []",
		"rows.x 4,5,6 [1 2 0] []", "m.key_value.key k,l [1 0 1] []", "m.key_value.value 1,2 [1 0 1] []",
		"m.key_value.key i,j [0 2 0] []", "m.key_value.value 3,4 [0 2 0] []",
	}; !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// A schema of Arrow's that is cut, or has other bytes, is no reason to fail.
func TestDamagedSchema(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	raw := file(t, "spans")
	at := bytes.Index(raw, []byte("/////"))
	schema := raw[at : at+bytes.IndexByte(raw[at:], 0)]
	if i := bytes.IndexFunc(schema, func(c rune) bool { return !strings.ContainsRune(base64Letters, c) }); i > 0 {
		schema = schema[:i]
	}
	const want = "seconds,milliseconds,microseconds,nanoseconds,,,microseconds,,nanoseconds"
	if got := strings.Join(spans(string(schema[:len(schema)/4*4])), ","); got != want {
		t.Fatalf("the whole schema: %q", got)
	}
	for n := 0; n < len(schema); n += 4 {
		spans(string(schema[:n]))
		other := bytes.Clone(schema[:len(schema)/4*4])
		other[r.IntN(len(other))] = base64Letters[r.IntN(64)]
		spans(string(other))
	}
}

const base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="

// Pages packed by LZ4 that are about as long as what they hold, which parquet-go alone reads wrongly.
func TestLZ4(t *testing.T) {
	for _, name := range []string{"lz4", "lz4-pages"} {
		columns, err := Read(file(t, name))
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range columns[0].Num {
			if want := float64((i*7919+13)%10007) / 10007; x != want {
				t.Fatalf("%s: value %d is %v, want %v", name, i, x, want)
			}
		}
		if n := len(columns[0].Num); n != 200 {
			t.Errorf("%s: %d values, want 200", name, n)
		}
	}
}

// A damaged file is an error or other values, but no panic, and Read ends.
func TestDamaged(t *testing.T) {
	for _, name := range []string{"lz4", "types", "lists"} {
		raw := file(t, name)
		for at := 4; at < len(raw)-8; at += 7 {
			bad := append([]byte{}, raw...)
			bad[at] ^= 0x55
			Read(bad)
		}
		for want, bad := range map[string][]byte{
			"it is cut off":               raw[:len(raw)-9],
			"does not begin as a Parquet": append([]byte{'x'}, raw...),
		} {
			if _, err := Read(bad); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
}

// What is written is read again: whole numbers with all their digits, missing ones, infinite ones, truth values, texts,
// and columns in their order. Equal columns are equal bytes.
func TestWrite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	large, rest := whole.Int(math.MaxInt64 - 1)
	largest, least := whole.Uint(math.MaxUint64)
	columns := []Column{
		{Name: "z", Num: []float64{3, nan, -1}},
		{Name: "seed", Num: []float64{large, 0, 5}, Rest: []int16{rest, 0, 0}},
		{Name: "u", Num: []float64{largest, nan, 0}, Rest: []int16{least, 0, 0}},
		{Name: "x", Num: []float64{0.1, nan, -inf}},
		{Name: "none", Num: []float64{nan, nan, nan}},
		{Name: "huge", Num: []float64{1e20, 0.5, nan}},
		{Name: "is", Num: []float64{1, nan, 0}, Bool: true},
		{Name: "a b", Text: []string{"é\n", "", "7"}},
	}
	raw, err := Write(columns)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Write(columns)
	if err != nil || !bytes.Equal(raw, again) {
		t.Errorf("%v: two files differ", err)
	}
	got, err := Read(raw)
	if err != nil || len(got) != len(columns) {
		t.Fatalf("%v: %d columns", err, len(got))
	}
	for k, want := range []string{"3,,-1", "9223372036854775806,0,5", "18446744073709551615,,0", "0.1,,-Inf", ",,",
		"100000000000000000000,0.5,", "1,,0", "é\n,,7"} {
		if c := got[k]; c.Name != columns[k].Name || words(c) != want || c.Bool != columns[k].Bool {
			t.Errorf("%s: %q; want %s: %q", c.Name, words(c), columns[k].Name, want)
		}
	}
	if _, err := Write(nil); err == nil {
		t.Error("a table without columns is written")
	}
	if raw, err = Write([]Column{{Name: "x", Num: []float64{}}}); err != nil {
		t.Fatal(err)
	}
	if got, err = Read(raw); err != nil || len(got) != 1 || len(got[0].Num) != 0 {
		t.Errorf("no rows: %v, %v", got, err)
	}
}
