package tsne

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npy"
	"github.com/sbinet/npyio/npz"
)

func TestSaveAndLoad(t *testing.T) {
	x, label := wave()
	x.Data[5] = math.Nextafter(1, 2)
	std := NewMatrix(120, 4)
	for i := range std.Data {
		std.Data[i] = 1 / float64(i+1)
	}
	full := &Embeddings{Mean: x, Std: std, Label: label}
	for _, e := range []*Embeddings{full, {Mean: x, Label: label}, {Mean: x}} {
		for _, name := range []string{"e.npz", "e.csv", "e.safetensors"} {
			path := filepath.Join(t.TempDir(), name)
			if err := e.Save(path); err != nil {
				t.Fatal(err)
			}
			got, err := Load(path, "")
			if err != nil {
				t.Fatal(err)
			}
			if said := strings.Join(got.Read, "; "); name == "e.csv" && !strings.HasPrefix(said,
				"laid out: mean0, mean1, mean2, "+
					"mean3 (4 columns)") || strings.Contains(said, "left out") {
				t.Errorf("%s: said %q", name, said)
			}
			if got.Read = nil; !reflect.DeepEqual(got, e) {
				t.Errorf("%s: another value came back", name)
			}
		}
	}
	named := &Embeddings{Mean: x, Label: label, Names: []string{"east", "north", "west"}}
	for _, name := range []string{"e.csv", "e.npz"} {
		path := filepath.Join(t.TempDir(), name)
		if err := named.Save(path); err != nil {
			t.Fatal(err)
		}
		got, err := Load(path, "")
		if err != nil {
			t.Fatal(err)
		}
		if got.Read = nil; !reflect.DeepEqual(got, named) || got.Name(1) != "north" {
			t.Errorf("named labels of %s: %+v", name, got)
		}
	}
}

// An array is stored in half the room where that loses nothing, and only there.
func TestSaveIsNarrowWhereExact(t *testing.T) {
	x, label := wave()
	for i, v := range x.Data {
		x.Data[i] = float64(float32(v))
	}
	std := NewMatrix(x.Rows, x.Cols)
	for i := range std.Data {
		std.Data[i] = float64(float32(i)) * 0x1p-140
	}
	for _, c := range []struct {
		at   float64
		want map[string]string
	}{
		{x.Data[7], map[string]string{"mean.npy": "<f4", "std.npy": "<f4", "label.npy": "<i8"}},
		{math.Nextafter(1, 2), map[string]string{"mean.npy": "<f8", "std.npy": "<f4", "label.npy": "<i8"}},
		{1e39, map[string]string{"mean.npy": "<f8", "std.npy": "<f4", "label.npy": "<i8"}},
	} {
		x.Data[7] = c.at
		e := &Embeddings{Mean: x, Std: std, Label: label}
		path := filepath.Join(t.TempDir(), "e.npz")
		if err := e.Save(path); err != nil {
			t.Fatal(err)
		}
		if got, err := Load(path, ""); err != nil || !reflect.DeepEqual(got, e) {
			t.Errorf("with %v another value came back: %v", c.at, err)
		}
		r, err := npz.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, key := range r.Keys() {
			got[key] = r.Header(key).Descr.Type
		}
		r.Close()
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("with %v: types %v; expected %v", c.at, got, c.want)
		}
	}
}

// A message about a file of 20,000 tensors is a line.
func TestManyTensors(t *testing.T) {
	var header strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&header, `%c"layer.%d":{"dtype":"BF16","shape":[1,2],"data_offsets":[%d,%d]}`, "{,"[min(i, 1)],
			i, 4*i, 4*i+4)
	}
	header.WriteByte('}')
	file := binary.LittleEndian.AppendUint64(nil, uint64(header.Len()))
	file = append(append(file, header.String()...), make([]byte, 80_000)...)
	_, err := Load(write(t, "many.safetensors", file), "")
	if err == nil || !strings.Contains(err.Error(), "and 19988 more; name the columns") || len(err.Error()) > 1000 {
		t.Errorf("%.1200v", err)
	}
}

func TestLoadAnybodysCSV(t *testing.T) {
	path := write(t, "iris.csv", []byte("species, length,width\nsetosa,5.1,3.5\nvirginica,5.9,3\nsetosa,4.9,3\n"))
	e, err := Load(path, "species")
	if err != nil {
		t.Fatal(err)
	}
	want := &Embeddings{
		Mean:  Matrix{Rows: 3, Cols: 2, Data: []float64{5.1, 3.5, 5.9, 3, 4.9, 3}},
		Label: []int{0, 1, 0}, Names: []string{"setosa", "virginica"}, Columns: []string{"length", "width"},
		Read: []string{`read as: blanks around 1 text without quotes left out, first "length" on line 1`,
			"laid out: length, width (2 columns); labels: species"},
	}
	if !reflect.DeepEqual(e, want) {
		t.Errorf("got %+v", e)
	}
	for text, want := range map[string]string{
		"species,length,width\nsetosa,5.1,3.5\nvirginica,5.9,3\nsetosa,4.9,3\n": "[length width] [setosa virginica] " +
			"[0 1 0]",
		"a,b,Digit\n1,2,7\n3,4,9\n5,6,7\n": "[a b] [] [7 9 7]",
		// two of text: none is chosen
		"a,b,kind,note\n1,2,x,p\n3,4,y,q\n5,6,y,r\n": "[a b] [] []",
		// two that may be labels: neither is laid out
		"a,b,class,task\n1,2,1,1\n3,4,1,1\n5,6,2,1\n":     "[a b] [] []",
		"a,note,label,class\n1,x,u,1\n3,y,v,1\n5,z,u,2\n": "[a] [u v] [0 1 0]",
	} {
		e, err := Load(write(t, "own.csv", []byte(text)), "")
		if err != nil {
			t.Error(err)
		} else if got := fmt.Sprint(e.Columns, e.Names, e.Label); got != want {
			t.Errorf("of %q read %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{"a,b\nx,y\nu,v\n": "no column of numbers among a, b",
		"a,b\n1,2\n3,no\n": `line 3, column "b": "no" is not a number`} {
		if _, err := Load(write(t, "bad.csv", []byte(text)), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("of %q the error is %v, want %s", text, err, want)
		}
	}
}

// npyHeader is a version 1.0 header as numpy writes it.
func npyHeader(descr, order, shape string) []byte {
	h := "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }"
	h += strings.Repeat(" ", 63-(10+len(h))%64) + "\n"
	return append([]byte("\x93NUMPY\x01\x00"+string([]byte{byte(len(h)), byte(len(h) >> 8)})), h...)
}

func zipped(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for name, b := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func write(t *testing.T, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The mark that spreadsheets put at a file's beginning is no part of the first column's name.
func TestMarkBeforeCSV(t *testing.T) {
	for name, raw := range map[string]string{"plain": "\ufeffgoal,a,b\nx,1,2\ny,3,4\n",
		"quoted": "\ufeff\"goal\",a,b\nx,1,2\ny,3,4\n"} {
		if got := Labels("a.csv", []byte(raw)); !slices.Equal(got, []string{"goal", "a", "b"}) {
			t.Errorf("%s: the columns are %q", name, got)
		}
		e, err := Read("a.csv", []byte(raw), "goal")
		if err != nil || !slices.Equal(e.Names, []string{"x", "y"}) || e.Mean.Cols != 2 {
			t.Errorf("%s: got %+v, %v", name, e, err)
		}
	}
}

func TestLoadColumnMajorFloat32(t *testing.T) {
	// [[1, 2, 3], [4, 5, 6]] column by column, and labels as bytes.
	data := npyHeader("<f4", "True", "(2, 3)")
	for _, v := range []float32{1, 4, 2, 5, 3, 6} {
		b := math.Float32bits(v)
		data = append(data, byte(b), byte(b>>8), byte(b>>16), byte(b>>24))
	}
	label := append(npyHeader("|u1", "False", "(2,)"), 3, 200)
	e, err := Load(write(t, "e.npz", zipped(t, map[string][]byte{"points.npy": data, "task.npy": label})), "task")
	if err != nil {
		t.Fatal(err)
	}
	want := &Embeddings{Mean: Matrix{Rows: 2, Cols: 3, Data: []float64{1, 2, 3, 4, 5, 6}}, Label: []int{3, 200},
		Columns: []string{"points0", "points1", "points2"}, Read: []string{"points: array points"}}
	if !reflect.DeepEqual(e, want) {
		t.Errorf("got %+v", e)
	}
}

func TestLoadRefuses(t *testing.T) {
	array := func(v any) []byte {
		var b bytes.Buffer
		if err := npy.Write(&b, v); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	matrix := append(npyHeader("<i2", "False", "(2, 2)"), 1, 0, 2, 0, 3, 0, 4, 0)
	for _, c := range []struct{ name, label, body, want string }{
		{"a.txt", "", "x", `not in ".txt"`},
		{"a.csv", "", "z0,label\n", "a header and at least one row"},
		{"a.csv", "lable", "z0,label\n1,2\n", `no column "lable"; did you mean "label"? (known: label, z0)`},
		{"a.csv", "", "z0,z1,label\n1,2,0\n3,oops,0\n", `line 3, column "z1": "oops" is not a number`},
		{"a.csv", "", "z0,z1,label\n1,2,0\n3,nan,0\n", `line 3, column "z1" is missing (NaN)`},
		{"a.csv", "", "z0,z1\n1,\"2\n", "line 2: a quote opens and is never closed"},
		{"a.csv", "3", "0.5,1,1\n1,2,0\n", `no column "3"`},
		{"a.npz", "", "not a zip", "not a valid zip file"},
		{"a.npz", "goal", string(zipped(t, map[string][]byte{"z.npy": matrix})), `no array "goal" (known: z)`},
		{"a.npz", "", string(zipped(t, map[string][]byte{"q.npy": matrix, "p.npy": matrix})),
			"not just one matrix, among"},
		{"a.npz", "", string(zipped(t, map[string][]byte{"z.npy": array([]float64{1})})), "points are a matrix"},
		{"a.npz", "", string(zipped(t, map[string][]byte{"z.npy": matrix, "label.npy": array([]int32{1})})),
			"1 labels for 2 points"},
		{"a.npz", "", string(zipped(t, map[string][]byte{"z.npy": matrix[:len(matrix)-3]})),
			"5 bytes where 2×2 of 2 bytes should be"},
	} {
		_, err := Load(write(t, c.name, []byte(c.body)), c.label)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	if _, err := Load("no/such.npz", ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
}

// Names that do not fit labels are said, and different labels have different names.
func TestNamesOfLabels(t *testing.T) {
	points := append(npyHeader("<f2", "False", "(3, 1)"), 0, 0x3c, 0, 0x40, 0, 0x42)
	label := func(of ...byte) []byte { return append(npyHeader("|i1", "False", "(3,)"), of...) }
	names := func(of string) []byte {
		return append(npyHeader("|S1", "False", fmt.Sprintf("(%d,)", len(of))), of...)
	}
	for _, c := range []struct {
		label       []byte
		names, want string
		said        string
	}{
		{label(0, 1, 0), "lr", "l r l", ""},
		{label(0, 1, 2), "lr", "0 1 2", "label_names left out: it has 2 names, the first for label 0, but row 2 " +
			"(counted from 0) " +
			"has label 2; labels are shown by their numbers"},
		{label(5, 6, 5), "abcd", "5 6 5", "it has 4 names, the first for label 0, but row 0 (counted from 0) has " +
			"label 5"},
		{label(0, 255, 0), "lr", "0 -1 0", "row 1 (counted from 0) has label -1"},
		{label(0, 1, 2), "lxl", "l x l 2", `another label is called "l" too: label 2 is called "l 2"`},
		{label(0, 1, 0), "lrl", "l r l", ""},
	} {
		e, err := Read("e.npz", zipped(t, map[string][]byte{"z.npy": points, "label.npy": c.label,
			"label_names.npy": names(c.names)}), "")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range e.Label {
			got = append(got, e.Name(l))
		}
		if said := strings.Join(e.Read, "; "); strings.Join(got, " ") != c.want || !strings.Contains(said, c.said) ||
			c.said == "" && said != "" {
			t.Errorf("%s: %q, said %q", c.names, got, said)
		}
	}
	texts := append(npyHeader("|S1", "False", "(3,)"), "aba"...)
	e, err := Read("e.npz", zipped(t, map[string][]byte{"z.npy": points, "label.npy": texts,
		"label_names.npy": names("xy"),
		"more.npy":        label(1, 2, 3)}), "")
	if said := strings.Join(e.Read, "; "); err != nil || said != "label_names left out: the labels have names of "+
		"their own; left out: more" {
		t.Errorf("%q, %v", said, err)
	}
	e, err = Read("a.csv", []byte("a,b,label\n1,2,(blank)\n3,4,\n5,7,x\n"), "")
	if err != nil || e.Name(e.Label[0]) != "(blank)" || e.Name(e.Label[1]) != "(blank) 2" {
		t.Errorf("a label called (blank) beside a blank one: %+v, %v", e, err)
	}
}

// The bytes are numpy's: 1.5, −2, the least positive number, 65504, infinity of float16; "né" and "" in UTF-32; bytes.
func TestLoadHalvesAndTexts(t *testing.T) {
	points := append(npyHeader("<f2", "False", "(2, 2)"), 0x00, 0x3e, 0x00, 0xc0, 0x01, 0x00, 0xff, 0x7b)
	unicode := append(npyHeader("<U2", "False", "(2,)"), 'n', 0, 0, 0, 0xe9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	e, err := Load(write(t, "e.npz", zipped(t, map[string][]byte{"z.npy": points, "label.npy": unicode})), "")
	want := &Embeddings{
		Mean:  Matrix{Rows: 2, Cols: 2, Data: []float64{1.5, -2, 0x1p-24, 65504}},
		Label: []int{1, 0}, Names: []string{"", "né"},
		Read: []string{`1 point of 2 without a value in "label": they are a label of their own, (blank)`},
	}
	if err != nil || !reflect.DeepEqual(e, want) {
		t.Errorf("got %+v, %v", e, err)
	}
	numbers := append(npyHeader("|u1", "False", "(2,)"), 0, 1)
	e, err = Load(write(t, "n.npz",
		zipped(t, map[string][]byte{"z.npy": points, "label.npy": numbers, "label_names.npy": unicode})), "")
	if err != nil || !reflect.DeepEqual(e.Names, []string{"né", ""}) || !reflect.DeepEqual(e.Label, []int{0, 1}) {
		t.Errorf("names beside whole numbers: %+v, %v", e, err)
	}
	numbers[len(numbers)-1] = 2 // has no name
	e, err = Load(write(t, "n.npz",
		zipped(t, map[string][]byte{"z.npy": points, "label.npy": numbers, "label_names.npy": unicode})), "")
	if err != nil || e.Names != nil || e.Name(2) != "2" {
		t.Errorf("too few names beside whole numbers: %+v, %v", e, err)
	}
	infinite := append(npyHeader(">f2", "False", "(1, 1)"), 0x7c, 0x00)
	if _, err := Load(write(t, "e.npy", infinite), ""); err == nil ||
		!strings.Contains(err.Error(), "row 0, column 0 (counted from 0) is +Inf") {
		t.Errorf("an infinite float16: %v", err)
	}

	ascii := append(npyHeader("|S3", "False", "(2,)"), 'u', 'p', 0, 'o', 'n', 'e')
	label := write(t, "l.npy", ascii)
	e, err = Load(write(t, "p.npy", points), label)
	if err != nil || !reflect.DeepEqual(e.Names, []string{"one", "up"}) || !reflect.DeepEqual(e.Label, []int{1, 0}) {
		t.Errorf("labels in a file of their own: %+v, %v", e, err)
	}
	three := append(npyHeader("|S1", "False", "(3,)"), 'a', 'b', 'c')
	if _, err = Load(write(t, "p.npy", points), write(t, "three.npy", three)); err == nil ||
		!strings.Contains(err.Error(), "three.npy: 3 labels for 2 points") {
		t.Errorf("three labels for two points: %v", err)
	}
}

// Labels of 64 bits, and texts that look like one number, stay apart; means that no float64 is are named.
func TestLargeLabels(t *testing.T) {
	for text, want := range map[string]string{
		`[{"mean0": 1.5, "label": 9007199254740993}, {"mean0": 2.5, "label": 9007199254740992}]`: "[1 0] []",
		`[{"mean0": 1.5, "label": "01"}, {"mean0": 2.5, "label": "1"}]`:                          "[0 1] []",
		`[{"mean0": 1.5, "label": "1 "}, {"mean0": 2.5, "label": "1"}]`:                          "[1 0] []",
		`[{"mean0": 9007199254740993, "label": -0.0}, {"mean0": 9007199254740992, "label": 0}]`: "[0 0] [whole " +
			`numbers beyond 2^53 are computed with as the nearest float64: "mean0" (1 value, first ` +
			"9007199254740993 at row 0 (counted from 0))]",
	} {
		e, err := Read("x.json", []byte(text), "")
		if err != nil {
			t.Fatal(err)
		}
		at := make([]int, len(e.Label)) // the labels' places in their order
		for i, l := range e.Label {
			for _, other := range e.Label {
				if other < l {
					at[i]++
				}
			}
		}
		if got := fmt.Sprint(at, " ", e.Read[1:]); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// An error about arrays tells why an array was left out.
func TestReasonOfArrays(t *testing.T) {
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for name, descr := range map[string]string{"mean": "<f16", "label": "|u1"} {
		h := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (2,), }", descr)
		h += strings.Repeat(" ", 63-(10+len(h))%64) + "\n"
		data := append([]byte("\x93NUMPY\x01\x00"), byte(len(h)), 0)
		w, err := z.Create(name + ".npy")
		if err == nil {
			_, err = w.Write(append(append(data, h...), make([]byte, map[string]int{"mean": 32, "label": 2}[name])...))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	z.Close()
	_, err := Read("x.npz", file.Bytes(), "")
	if err == nil || !strings.Contains(err.Error(), `array mean left out: elements of type "<f16" cannot be read`) {
		t.Errorf("long doubles: %v", err)
	}
}
