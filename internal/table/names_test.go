package table

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// shown are a file's columns with their values, and after a bar what is said.
func shown(f *File, err error) string {
	if err != nil {
		return err.Error()
	}
	var out []string
	for _, c := range f.Columns() {
		out = append(out, c.Name+":"+strings.Join(c.Words(), ","))
	}
	return strings.Join(out, " ") + " | " + strings.Join(f.Notes, " | ")
}

func tensors(header string, data ...any) []byte {
	raw := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(raw, header...), packed(data...)...)
}

// Values under one name never become another's: each keeps its own under another name, which is said, or the file is
// refused.
func TestEqualNames(t *testing.T) {
	u := func(values ...byte) []byte {
		return npy("'|u1'", "False", fmt.Sprintf("(%d,)", len(values)), values)
	}
	for _, c := range []struct {
		name string
		raw  []byte
		want string
	}{
		{"x.npz", archive(t, "a", u(1, 2), "b", u(3, 4), "a", u(5, 6)), "a.npy is in the archive twice"},
		{"x.npz", archive(t, "a", u(1, 2), "A", u(3, 4), "", u(5, 6)), "a:1,2 A:3,4 array 3:5,6 | array 3 has no name"},
		{"x.npz", archive(t, "c.re", u(1), "c", npy("'<c8'", "False", "(1,)", packed([]float32{2, 3}))),
			`c.re:1 c.re_2:2 c.im:3 | a second array "c.re" is called "c.re_2"`},
		{"x.npz", archive(t, "z0", u(1, 2), "z", npy("'|u1'", "False", "(2, 2)", []byte{3, 4, 5, 6})),
			`z0:1,2 z0_2:3,5 z1:4,6 | a second column "z0" is called "z0_2"`},
		{"x.npy", npy("[('p.x', '|u1'), ('p', [('x', '|u1')])]", "False", "(2,)", []byte{1, 2, 3, 4}),
			`p.x:1,3 p.x_2:2,4 | a second array "p.x" is called "p.x_2"`},
		{"x.safetensors", tensors(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},`+
			`"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, []byte{1, 2}), "name a is repeated"},
		{"x.safetensors", tensors(`{"":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, []byte{1}),
			"tensor 1:1 | tensor 1 has no name"},
		{"x.json", []byte(`[{"a": 1, "a": 2}, {"a": 3}]`), `a:2,3 | row 0 (counted from 0) has "a" twice`},
		{"x.json", []byte(`[{"a.b": 1, "a": {"b": 2}}, {"A.b": 3}]`),
			`a.b:2, A.b:,3 | row 0 (counted from 0) has "a.b" twice`},
		{"x.json", []byte(`{"a": [1, 2], "a": [3, 4], "": [5, 6]}`),
			`a:1,2 a_2:3,4 column 3:5,6 | a second column "a" is called "a_2" | column 3 has no name`},
		{"x.json", []byte(`{"columns": ["a", "a"], "data": [[1, 2], [3, 4]]}`),
			`a:1,3 a_2:2,4 | a second column "a" is called "a_2"`},
		{"x.json", []byte(`{"columns": ["a"], "data": [[1]], "data": [[2]]}`),
			`"data" is there 2 times; expected it once`},
		{"x.json", []byte(`{"columns": [{"name": "a", "values": [1], "values": [2]}]}`),
			"without one name and one list"},
		{"x.json", []byte(`{"0": {"a": 1, "a": 2}, "0": {"a": 3}}`),
			`index:0,0 a:2,3 | row 0 (counted from 0) has "a" twice`},
		{"x.csv", []byte("a,A,a,a_2\n1,2,3,4\n"), `a:1 A:2 a_3:3 a_2:4 | read as: a second column "a" is called "a_3"`},
		{"x.csv", []byte("column 4,b,c\n1,2,3\n4,5,6,7\n"),
			`column 4:1,4 b:2,5 c:3,6 column 4_2:,7 | read as: 1 line (line 3 first) longer than the names: what is ` +
				`beyond is in columns of its own; a second column "column 4" is called "column 4_2"`},
	} {
		if got := shown(Read(c.name, c.raw, Options{})); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}

// However names repeat in a table, every column keeps its own values and no two have one name.
func TestRandomNames(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	names := []string{"a", "a_2", "a_3", "A", "", "column 3", "index", "b"}
	for range 300 {
		var text bytes.Buffer
		width := 2 + r.IntN(6)
		for j := range width {
			fmt.Fprintf(&text, "%s%s", []string{"", ","}[min(j, 1)], names[r.IntN(len(names))])
		}
		for i := range 3 {
			text.WriteString("\n")
			for j := range width {
				fmt.Fprintf(&text, "%s%d.5", []string{"", ","}[min(j, 1)], 10*i+j)
			}
		}
		f, err := Read("x.csv", text.Bytes(), Options{})
		if err != nil || len(f.Arrays) != width {
			t.Fatalf("%s: %v, %v", text.Bytes(), f, err)
		}
		known := map[string]bool{}
		for j, a := range f.Arrays {
			if got, want := strings.Join(a.Words(), " "), fmt.Sprintf("%d.5 1%d.5 2%d.5", j, j, j); got != want ||
				known[a.Name] || a.Name == "" {
				t.Errorf("%s: column %d is %q with %s, want %s", text.Bytes(), j, a.Name, got, want)
			}
			known[a.Name] = true
		}
	}
}

// A message names the place that is wrong, whichever row it is in.
func TestPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for range 40 {
		at := 1 + r.IntN(28)
		rows := func(odd func(i int) string) (out string) {
			for i := range 30 {
				if i == at {
					out += odd(i)
				} else {
					out += fmt.Sprintf("%d.5,%d,%c\n", i, i*i, 'k'+i%3)
				}
			}
			return out
		}
		line := fmt.Sprintf("line %d", at+2)
		objects := ""
		for i := range 30 {
			extra := map[bool]string{true: `, "extra": 3`}[i == at]
			objects += fmt.Sprintf(`{"a": %d.5, "task": "k"%s}`+"\n", i, extra)
		}
		items, list := "", "["
		for i := range 90 {
			items += map[bool]string{true: "L1180591620717411303424L\n", false: "K\x01"}[i == 3*at+1]
		}
		for i := range 30 {
			list += map[bool]string{true: "", false: ", "}[i == 0] +
				map[bool]string{true: `{"a": [1, 1180591620717411303424]}`, false: `{"a": [1]}`}[i == at]
		}
		for _, c := range []struct{ name, text, want string }{
			{"x.csv", "a,b,task\n" + rows(func(i int) string { return "1,2,k,7\n" }),
				`column "column 4" has 1 value in 30 rows, first on ` + line + "; every row must have one"},
			{"x.csv", "a,b,task\n" + rows(func(i int) string { return "1_000.000,2,k\n" }),
				`column "a" is text: ` + line + ` has "1_000.000"`},
			{"x.jsonl", objects,
				fmt.Sprintf(`column "extra" has 1 value in 30 rows, first on row %d (`, at)},
			{"x.json", strings.Repeat("[{\"a\": 1}]\n", 1+at),
				fmt.Sprintf("value 1 of %d that follow one another", 1+at)},
			{"x.json", "[[1, 2], [3, 4]] [[5, 6]]", "value 1 of 2 that follow one another is a list of rows"},
			{"x.json", list + "]", fmt.Sprintf("1180591620717411303424 in row %d (counted from 0)", at)},
			{"x.npy", string(npy("'|O'", "False", "(30, 3)", pickled([]int{30, 3}, false, items))),
				fmt.Sprintf("first 1180591620717411303424 in row %d (counted from 0)", at)},
		} {
			f, err := Read(c.name, []byte(c.text), Options{})
			said := ""
			if err == nil {
				said = strings.Join(f.Notes, "\n")
				_, err = Choose(f.Columns(), Choice{}, f.Row)
			}
			if said += fmt.Sprint("\n", err); !strings.Contains(said, c.want) {
				t.Errorf("%s, row %d: %s, want %s", c.name, at, said, c.want)
			}
		}
	}
}
