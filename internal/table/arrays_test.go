package table

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// npy is a NumPy array's file.
func npy(descr, order, shape string, data []byte) []byte {
	h := fmt.Sprintf("{'descr': %s, 'fortran_order': %s, 'shape': %s, }", descr, order, shape)
	h += strings.Repeat(" ", 63-(10+len(h))%64) + "\n"
	out := append([]byte("\x93NUMPY\x01\x00"), byte(len(h)), byte(len(h)>>8))
	return append(append(out, h...), data...)
}

// packed are values one after another, little-endian.
func packed(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

func archive(t *testing.T, arrays ...any) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for k := 0; k < len(arrays); k += 2 {
		w, err := z.Create(arrays[k].(string) + ".npy")
		if err == nil {
			_, err = w.Write(arrays[k+1].([]byte))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	z.Close()
	return b.Bytes()
}

// Pickles of arrays of objects as NumPy 2 writes them: ["x", "ä", None], [1, 2.5, 2**63, True], arrays of 3 and 2
// numbers, lists of 2 and 1, and a date; after the name the protocol.
const (
	texts2 = "\x80\x02cnumpy._core.multiarray\x0a_reconstruct\x0aq\x00cnumpy\x0andarray\x0aq\x01K\x00" +
		"\x85q\x02c_codecs\x0aencode\x0aq\x03X\x01\x00\x00\x00bq\x04X\x06\x00\x00\x00latin1q\x05" +
		"\x86q\x06Rq\x07\x87q\x08Rq\x09(K\x01K\x03\x85q\x0acnumpy\x0adtype\x0aq\x0bX\x02\x00\x00" +
		"\x00O8q\x0c\x89\x88\x87q\x0dRq\x0e(K\x03X\x01\x00\x00\x00|q\x0fNNNJ\xff\xff\xff\xffJ\xff" +
		"\xff\xff\xffK?tq\x10b\x89]q\x11(X\x01\x00\x00\x00xq\x12X\x02\x00\x00\x00\xc3\xa4q\x13Netq" +
		"\x14b."
	texts5 = "\x80\x05\x95\x94\x00\x00\x00\x00\x00\x00\x00\x8c\x16numpy._core.multiarray\x94\x8c\x0c_rec" +
		"onstruct\x94\x93\x94\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94K\x00\x85\x94C\x01b\x94" +
		"\x87\x94R\x94(K\x01K\x03\x85\x94h\x03\x8c\x05dtype\x94\x93\x94\x8c\x02O8\x94\x89\x88\x87" +
		"\x94R\x94(K\x03\x8c\x01|\x94NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?t\x94b\x89]\x94(\x8c" +
		"\x01x\x94\x8c\x02\xc3\xa4\x94Net\x94b."
	numbers4 = "\x80\x04\x95\xa1\x00\x00\x00\x00\x00\x00\x00\x8c\x16numpy._core.multiarray\x94\x8c\x0c_rec" +
		"onstruct\x94\x93\x94\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94K\x00\x85\x94C\x01b\x94" +
		"\x87\x94R\x94(K\x01K\x04\x85\x94h\x03\x8c\x05dtype\x94\x93\x94\x8c\x02O8\x94\x89\x88\x87" +
		"\x94R\x94(K\x03\x8c\x01|\x94NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?t\x94b\x89]\x94(K\x01G@" +
		"\x04\x00\x00\x00\x00\x00\x00\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00\x88et\x94b."
	ragged4 = "\x80\x04\x95\x12\x01\x00\x00\x00\x00\x00\x00\x8c\x16numpy._core.multiarray\x94\x8c\x0c_rec" +
		"onstruct\x94\x93\x94\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94K\x00\x85\x94C\x01b\x94" +
		"\x87\x94R\x94(K\x01K\x02\x85\x94h\x03\x8c\x05dtype\x94\x93\x94\x8c\x02O8\x94\x89\x88\x87" +
		"\x94R\x94(K\x03\x8c\x01|\x94NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?t\x94b\x89]\x94(h\x02h" +
		"\x05K\x00\x85\x94h\x07\x87\x94R\x94(K\x01K\x03\x85\x94h\x0c\x8c\x02f8\x94\x89\x88\x87\x94R" +
		"\x94(K\x03\x8c\x01<\x94NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00t\x94b\x89C\x18\x00\x00" +
		"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00\x00\x00\x00@\x94t" +
		"\x94bh\x02h\x05K\x00\x85\x94h\x07\x87\x94R\x94(K\x01K\x02\x85\x94h\x19\x89C\x10\x00\x00" +
		"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xf0?\x94t\x94bet\x94b."
	lists4 = "\x80\x04\x95\x97\x00\x00\x00\x00\x00\x00\x00\x8c\x16numpy._core.multiarray\x94\x8c\x0c_rec" +
		"onstruct\x94\x93\x94\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94K\x00\x85\x94C\x01b\x94" +
		"\x87\x94R\x94(K\x01K\x02\x85\x94h\x03\x8c\x05dtype\x94\x93\x94\x8c\x02O8\x94\x89\x88\x87" +
		"\x94R\x94(K\x03\x8c\x01|\x94NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?t\x94b\x89]\x94(]\x94(K" +
		"\x01K\x02e]\x94K\x03aet\x94b."
	dates4 = "\x80\x04\x95\xa8\x00\x00\x00\x00\x00\x00\x00\x8c\x16numpy._core.multiarray\x94\x8c\x0c_rec" +
		"onstruct\x94\x93\x94\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94K\x00\x85\x94C\x01b\x94" +
		"\x87\x94R\x94(K\x01K\x01\x85\x94h\x03\x8c\x05dtype\x94\x93\x94\x8c\x02O8\x94\x89\x88\x87" +
		"\x94R\x94(K\x03\x8c\x01|\x94NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?t\x94b\x89]\x94\x8c\x08" +
		"datetime\x94\x8c\x04date\x94\x93\x94C\x04\x07\xe9\x01\x01\x94\x85\x94R\x94at\x94b."
)

// [{"a": 1}, {"a": 2}] as an array of objects.
const dicts4 = "\x80\x04\x95\x9a\x00\x00\x00\x00\x00\x00\x00\x8c\x16numpy._core.multiarray\x94\x8c\x0c_reconstruct" +
	"\x94\x93\x94\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94K\x00\x85\x94C\x01b\x94\x87\x94R\x94(K\x01K" +
	"\x02\x85\x94h\x03\x8c\x05dtype\x94\x93\x94\x8c\x02O8\x94\x89\x88\x87\x94R\x94(K\x03\x8c\x01|\x94NNNJ" +
	"\xff\xff\xff\xffJ\xff\xff\xff\xffK?t\x94b\x89]\x94(}\x94\x8c\x01a\x94K\x01s}\x94h\x14K\x02set\x94b."

// Every array of every type is read, or named with the reason.
func TestArrays(t *testing.T) {
	seeds := npy("'<i8'", "False", "(3,)", packed(int64(1), int64(1<<53+1), int64(math.MinInt64)))
	for _, c := range []struct {
		name   string
		arrays []any
		want   string
		note   string
	}{
		{"truth", []any{"ok", npy("'|b1'", "False", "(2, 2)", []byte{1, 0, 0, 1})},
			"ok0:True,False ok1:False,True", ""},
		{"structure", []any{"log", npy("[('step', '<i8'), ('loss', '<f4')]", "False", "(2,)",
			packed(int64(1), float32(.5), int64(2), float32(.25)))},
			"log.step:1,2 log.loss:0.5,0.25", ""},
		{"structure within", []any{"log", npy("[('p', [('x', '<f8'), ('y', '<f8')]), ('v', '<i2', (2,))]", "False",
			"(1,)", packed(1.5, 2.5, int16(3), int16(-4)))},
			"log.p.x:1.5 log.p.y:2.5 log.v0:3 log.v1:-4", ""},
		{"structures in a column", []any{"log", npy("[('a', '|u1'), ('v', '|u1', (2,))]", "True", "(2, 1)",
			[]byte{1, 2, 3, 4, 5, 6})}, "log.a:1,4 log.v0:2,5 log.v1:3,6", ""},
		{"cube", []any{"emb", npy("'<f8'", "False", "(2, 1, 2)", packed(1., 2., 3., 4.)), "label",
			npy("'|u1'", "False", "(2,)", []byte{7, 8})},
			"emb0_0:1,3 emb0_1:2,4 label:7,8", ""},
		{"windows of tasks", []any{"emb", npy("'<f8'", "False", "(2, 2, 1)", packed(1., 2., 3., 4.)), "task",
			npy("'|u1'", "False", "(4,)", []byte{7, 7, 8, 8}), "seed",
			npy("'|u1'", "False", "(4,)", []byte{1, 2, 3, 4})},
			"emb0:1,2,3,4 task:7,7,8,8 seed:1,2,3,4", "emb of shape 2×2×1 is read as 4 rows"},
		{"column-major", []any{"a", npy("'<i4'", "True", "(2, 3)", packed([]int32{1, 4, 2, 5, 3, 6}))},
			"a0:1,4 a1:2,5 a2:3,6", ""},
		{"64 bits", []any{"seed", seeds, "u",
			npy("'<u8'", "False", "(3,)", packed(uint64(math.MaxUint64), uint64(5), uint64(1<<63)))},
			"seed:1,9007199254740993,-9223372036854775808 u:18446744073709551615,5,9223372036854775808", ""},
		{"big-endian halves", []any{"h", npy("'>f2'", "False", "(2,)", []byte{0x3e, 0, 0xc0, 0})}, "h:1.5,-2", ""},
		{"complex", []any{"c", npy("'<c8'", "False", "(2,)", packed([]float32{1, 2, 3, -4}))},
			"c.re:1,3 c.im:2,-4", ""},
		{"times", []any{"t", npy("'<M8[s]'", "False", "(2,)", packed(int64(1735689600), int64(math.MinInt64)))},
			"t:2025-01-01T00:00:00,", ""},
		{"texts", []any{"s", npy("'|S2'", "False", "(2,)", []byte("a\x00\xe9b"))}, "s:a,éb", ""},
		{"long doubles", []any{"x", npy("'<f16'", "False", "(1,)", make([]byte, 16)), "y",
			npy("'<f8'", "False", "(1,)", packed(1.))}, "y:1", `array x left out: elements of type "<f16"`},
		{"scalar", []any{"gamma", npy("'<f8'", "False", "()", packed(.99)), "y",
			npy("'<f8'", "False", "(2,)", packed(1., 2.))}, "y:1,2", "gamma (the single value 0.99)"},
		{"other lengths", []any{"a", npy("'|u1'", "False", "(2,)", []byte{1, 2}), "b",
			npy("'|u1'", "False", "(2,)", []byte{3, 4}), "c", npy("'|u1'", "False", "(5,)", make([]byte, 5))},
			"a:1,2 b:3,4", "left out, as the table has 2 rows: c (5 values)"},
		{"names of labels", []any{"label", npy("'|u1'", "False", "(3,)", []byte{1, 0, 1}), "label_names",
			npy("'|S1'", "False", "(2,)", []byte("lr"))},
			"label:1,0,1 label_name:r,l,r", ""},
		{"too few names of labels", []any{"label", npy("'|u1'", "False", "(3,)", []byte{1, 0, 2}), "label_names",
			npy("'|S1'", "False", "(2,)", []byte("lr"))}, "label:1,0,2",
			"label_names left out: it has 2 names, the first for label 0, but row 2 (counted from 0) has label 2"},
		{"names for labels below 0", []any{"label", npy("'|i1'", "False", "(3,)", []byte{1, 255, 0}), "label_names",
			npy("'|S1'", "False", "(2,)", []byte("lr"))}, "label:1,-1,0", "row 1 (counted from 0) has label -1"},
		{"a structure without a name", []any{"arr_0", npy("[('step', '<i8'), ('loss', '<f4')]", "False", "(1,)",
			packed(int64(1), float32(.5)))}, "step:1 loss:0.5", ""},
		{"objects, protocol 2", []any{"o", npy("'|O'", "False", "(3,)", []byte(texts2))}, "o:x,ä,", ""},
		{"objects, protocol 5", []any{"o", npy("'|O'", "False", "(3,)", []byte(texts5))}, "o:x,ä,", ""},
		{"objects of numbers", []any{"o", npy("'|O'", "False", "(4,)", []byte(numbers4))},
			"o:1,2.5,9223372036854775808,1", "true is 1, false 0"},
		{"dictionaries", []any{"d", npy("'|O'", "False", "(2,)", []byte(dicts4)), "y",
			npy("'|u1'", "False", "(2,)", []byte{1, 2})}, "y:1,2",
			"array d holds Python objects: left out (it holds dictionaries or sets)"},
		{"bfloat16", []any{"e", npy("'<V2'", "False", "(2,)", make([]byte, 4)), "y",
			npy("'|u1'", "False", "(2,)", []byte{1, 2})}, "y:1,2",
			"array e left out: 2 raw bytes an element, perhaps bfloat16; save it with .astype(np.float32)"},
		{"raw bytes in a structure",
			[]any{"s", npy("[('a', '|u1'), ('', '|V1'), ('r', '|V3')]", "False", "(1,)", []byte{7, 0, 1, 2, 3})},
			"s.a:7", "array s.r left out: 3 raw bytes an element"},
		{"no columns", []any{"e", npy("'<f8'", "False", "(2, 0)", nil), "y",
			npy("'|u1'", "False", "(2,)", []byte{1, 2})}, "y:1,2", "e (2×0)"},
		{"times of 25 seconds", []any{"t", npy("'<M8[25s]'", "False", "(2,)", packed(int64(1), int64(-1)))},
			"t:1970-01-01T00:00:25,1969-12-31T23:59:35", ""},
		{"times of ten days", []any{"t", npy("'<M8[10D]'", "False", "(1,)", packed(int64(5)))}, "t:1970-02-20", ""},
		{"picoseconds", []any{"t", npy("'<M8[ps]'", "False", "(2,)", packed(int64(5), int64(-1)))},
			"t:1970-01-01T00:00:00.000000000005,1969-12-31T23:59:59.999999999999", ""},
		{"big-endian days", []any{"t", npy("'>M8[D]'", "False", "(1,)", []byte{0, 0, 0, 0, 0, 0, 0, 1})},
			"t:1970-01-02", ""},
		{"spans of time", []any{"d", npy("'<m8[25ms]'", "False", "(2,)", packed(int64(2), int64(math.MinInt64)))},
			"d:50,", "array d: spans of time, in milliseconds"},
		{"ragged arrays", []any{"results", npy("'|O'", "False", "(2,)", []byte(ragged4))},
			"results0:0,0 results1:1,1 results2:2,", "rows of 2 to 3 values"},
		{"ragged lists", []any{"l", npy("'|O'", "False", "(2,)", []byte(lists4))}, "l0:1,3 l1:2,",
			"rows of 1 to 2 values"},
		{"other objects", []any{"d", npy("'|O'", "False", "(1,)", []byte(dates4)), "y",
			npy("'|u1'", "False", "(1,)", []byte{1})}, "y:1", "class datetime.date); save it with .astype(str)"},
	} {
		f, err := Read("a.npz", archive(t, c.arrays...), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := words(f); got != c.want {
			t.Errorf("%s: %s, want %s (%q)", c.name, got, c.want, f.Notes)
		}
		if said := strings.Join(f.Notes, "\n"); !strings.Contains(said, c.note) || c.note == "" && said != "" {
			t.Errorf("%s: notes %q, want %q", c.name, said, c.note)
		}
	}
	sparse := archive(t, "indices", npy("'<i4'", "False", "(1,)", packed(int32(0))), "indptr",
		npy("'<i4'", "False", "(2,)", packed(int32(0), int32(1))))
	for raw, want := range map[string]string{
		"PK": "no archive of NumPy's, or its end is cut off", "": "not a valid zip file",
		string(sparse): "matrix.toarray()",
	} {
		if _, err := Read("a.npz", []byte(raw), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", raw, err)
		}
	}
}

// The fields of a file with one array of structures have their own names, whatever the file is called.
func TestFields(t *testing.T) {
	for _, c := range []struct{ descr, shape, data, want string }{
		{"[('z0', '<f4'), ('label', '<i2')]", "(2,)", string(packed(float32(.5), int16(1), float32(2), int16(3))),
			"z0:0.5,2 label:1,3"},
		{"[('a27.z0', '|u1'), ('b', '|u1')]", "(1,)", "\x01\x02", "a27.z0:1 b:2"},
		{"[('p', [('x', '|u1'), ('y', '|u1')])]", "(1,)", "\x01\x02", "p.x:1 p.y:2"},
		{"[('v', '|u1', (2,))]", "(2,)", "\x01\x02\x03\x04", "v0:1,3 v1:2,4"},
		{"[('w', '<c8')]", "(1,)", string(packed(float32(1), float32(2))), "w.re:1 w.im:2"},
		{"'|u1'", "(2,)", "\x01\x02", "a27:1,2"},
	} {
		for _, name := range []string{"a27.npy", "a.b/a27.npy"} {
			f, err := Read(name, npy(c.descr, "False", c.shape, []byte(c.data)), Options{})
			if err != nil || words(f) != c.want {
				t.Errorf("%s in %s: %s, %v, want %s", c.descr, name, words(f), err, c.want)
			}
		}
	}
}

// A file without a column is an error with the reason.
func TestNothing(t *testing.T) {
	for _, c := range []struct{ descr, shape, data, want string }{
		{"'<f16'", "(2,)", strings.Repeat("\x00", 32), `elements of type "<f16"`},
		{"'<f8'", "()", string(packed(2.5)), "a is a single value, 2.5; expected an array"},
		{"'|V3'", "(1,)", "abc", "3 raw bytes an element"},
		{"'<c32'", "(1,)", strings.Repeat("\x00", 32), `elements of type "<c32"`},
		{"'|u1'", "(0,)", "", ""},
		{"'|u1'", "(1,)", "\x01", ""},
	} {
		f, err := Read("a.npy", npy(c.descr, "False", c.shape, []byte(c.data)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err = f.Nothing(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.descr, c.shape, err, c.want)
		}
	}
}

// A file that is not what its name says is refused with what it is and what to do.
func TestDisguised(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"a.csv", "PAR1\x15", "a Parquet file: give it a name that ends in .parquet"},
		{"a.npz", "\x93NUMPY\x01\x00", "a NumPy array: give it a name that ends in .npy"},
		{"a.csv", "BZh91AY", "packed by bzip2"},
		{"a.jsonl", "\x28\xb5\x2f\xfd\x04", "packed by Zstandard: unpack it with unzstd"},
		{"a.csv", "\xd0\xcf\x11\xe0\xa1\xb1", "a workbook of Excel's: save it as CSV"},
		{"a.npy", "PK\x03\x04x", "must end in .npz"},
		{"a.npz", "\x80\x04\x95x", "a pickle of Python's"},
		{"a.csv", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"},
		{"a.csv", "\n<!DOCTYPE html><html>404</html>", "a web page"},
		{"a.csv", "{\"a\": 1}\n{\"a\": 2}\n", "it is JSON: give it a name that ends in .jsonl"},
		{"a.parquet", "a,b\n1,2\n", "does not begin as a Parquet file"},
	} {
		if _, err := Read(c.name, []byte(c.raw), Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %q: %v, want %q", c.name, c.raw, err, c.want)
		}
	}
}

// A log whose gzip archive has no end yet is read up to there; one whose bytes are damaged is not.
func TestCutArchive(t *testing.T) {
	var text, packed bytes.Buffer
	text.WriteString("step,return\n")
	for i := range 3000 {
		fmt.Fprintf(&text, "%d,%d\n", i, i*i*7919%10007)
	}
	z := gzip.NewWriter(&packed)
	z.Write(text.Bytes())
	z.Close()
	f, err := Read("a.csv.gz", packed.Bytes()[:packed.Len()-200], Options{})
	if err != nil || len(f.Lines) < 2000 ||
		!strings.Contains(strings.Join(f.Notes, "\n"), "the end of the gzip archive is missing") {
		t.Fatalf("%v, %+v", err, f)
	}
	for i := range f.Arrays[1].Len() - 1 {
		if f.Arrays[1].Num[i] != float64(i*i*7919%10007) {
			t.Fatalf("row %d: %v", i, f.Arrays[1].Num[i])
		}
	}
	bad := bytes.Clone(packed.Bytes())
	bad[len(bad)/2] ^= 0xff
	if _, err := Read("a.csv.gz", bad, Options{}); err == nil {
		t.Error("a damaged archive is read")
	}
}

// JSON of Python, pandas and polars: the words of the columns, and what is said.
func TestJSON(t *testing.T) {
	for _, c := range []struct{ name, raw, want, note string }{
		{"columns", `{"step": [1, 2], "loss": [0.5, 0.25]}`, "step:1,2 loss:0.5,0.25", ""},
		{"pandas, other index", `{"a": {"10": 1, "20": 2}}`, "index:10,20 a:1,2", ""},
		{"pandas, records by index", `{"10": {"a": 1}, "20": {"a": 2}}`, "index:10,20 a:1,2", ""},
		{"pandas, split with an index", `{"columns": ["a"], "index": ["x", "y"], "data": [[1], [2]]}`,
			"index:x,y a:1,2", ""},
		{"pandas, names of rows", `{"step": {"x": 1, "y": 2}, "env": {"x": "ant", "y": "hopper"}}`,
			"index:x,y step:1,2 env:ant,hopper", `the rows are "x", "y", the columns "step", "env"`},
		{"pandas, rows by name", `{"x": {"step": 1, "env": "ant"}, "y": {"step": 2, "env": "hopper"}}`,
			"index:x,y step:1,2 env:ant,hopper", `the rows are "x", "y"`},
		{"pandas, all numbers", `{"pearl": {"mean": 1, "n": 2}, "maml": {"mean": 3, "n": 4}}`,
			"index:mean,n pearl:1,2 maml:3,4", `the columns "pearl", "maml"`},
		{"settings", `{"pearl": {"lr": 1}, "maml": {"n": 4}}`, "pearl.lr:1 maml.n:4", ""},
		{"lists of one shape", `[{"r": [[1, 2], [3, 4]]}, {"r": [[5, 6]]}]`, "r0_0:1,5 r0_1:2,6 r1_0:3, r1_1:4,",
			"lists of 2 to 4 values"},
		{"uneven lists", `[{"a": 1, "r": [[1, 2], [3]]}, {"a": 2, "r": [[4], [5, 6]]}]`, "a:1,2",
			"left out: r (lists within lists, of different lengths)"},
		{"a name twice", `[{"a": 1, "a": 2}]`, "a:2", `row 0 (counted from 0) has "a" twice: the last value counts`},
		{"rows of two kinds", `[{"a": 1}, [2]]`, "a:1, 0:,2",
			"row 1 (counted from 0) is a list where the first row is an object"},
		{"truth beside numbers", `[{"a": true}, {"a": 2}]`, "a:1,2", "true is 1, false 0"},
		{"no number", `[{"a": "N/A"}, {"a": 2}]`, "a:,2", `has missing values: 1 value, first "N/A" in row 0`},
		{"too large", `[{"a": 18446744073709551616}, {"a": 1e400}]`, "a:18446744073709551616,+Inf",
			"has 2 values too large to be kept exactly, first 18446744073709551616"},
		{"nothing", `[]`, "", "it holds no values"},
		{"columns and more", `{"name": "a", "step": [1, 2], "other": [1]}`, "step:1,2",
			"left out: name, other (1 value)"},
		{"pandas", `{"a": {"0": 1, "1": 2}, "b": {"0": "x", "1": null}}`, "a:1,2 b:x,", ""},
		{"pandas, split", `{"columns": ["a", "b"], "index": [0, 1], "data": [[1, "x"], [2, "y"]]}`, "a:1,2 b:x,y", ""},
		{"pandas, index", `{"0": {"a": 1}, "1": {"a": 2}}`, "a:1,2", ""},
		{"pandas, values", `[[1, "x"], [2, "y"]]`, "0:1,2 1:x,y", ""},
		{"pandas, table", `{"schema": {"fields": []}, "data": [{"a": 1}]}`, "a:1", ""},
		{"polars", `{"columns": [{"name": "a", "datatype": "Int64", "values": [1, 2]}]}`, "a:1,2", ""},
		{"lists", `[{"r": [1, 2]}, {"r": [3, 4]}]`, "r0:1,3 r1:2,4", ""},
		{"ragged lists", `[{"r": [1, 2]}, {"r": [3]}, {"r": null}]`, "r0:1,3, r1:2,,", "lists of 0 to 2 values"},
		{"lists of lists", `[{"r": [[1, 2], [3, 4]]}]`, "r0_0:1 r0_1:2 r1_0:3 r1_1:4", ""},
		{"lists of objects", `[{"a": 1, "r": [{"x": 1}]}]`, "a:1", "left out: r (lists of objects)"},
		{"a list of rows among others", `{"family": "push", "tasks": [{"goal": 1}, {"goal": 2}]}`, "goal:1,2",
			`the rows are those of the list "tasks"; left out: family`},
		{"NaN", "{\"a\": 1}\n{\"a\": NaN}\n{\"a\": -Infinity, \"s\": \"NaN \\\" Infinity\"}\n",
			"a:1,,-Inf s:,,NaN \" Infinity", "NaN and Infinity"},
		{"W&B", `[{"a": 1.5}, {"a": "NaN"}, {"a": "Infinity"}]`, "a:1.5,,+Inf", ""},
		{"truth", `[{"a": true}, {"a": null}, {"a": false}]`, "a:True,,False", ""},
		{"64 bits", `[{"seed": 9007199254740993}, {"seed": 18446744073709551615}]`,
			"seed:9007199254740993,18446744073709551615", ""},
		{"half a line", "{\"a\": 1}\n{\"a\": 2}\n{\"a\":", "a:1,2", "line 3 left out: it is cut off"},
		{"numbers and text", `[{"a": 1}, {"a": "x"}]`, "a:1,x", `column "a" has numbers and text`},
		{"order", `[{"z": 1, "a": 2}]`, "z:1 a:2", ""},
		{"within", `[{"a": {"b": {"c": 1}}}]`, "a.b.c:1", ""},
		{"one number", `[1, 2.5]`, "value:1,2.5", ""},
		{"error", "{\"a\": 1}\n\n{\"a\" 2}\n", "line 3: ", ""},
		{"cut", `{"a": [1,`, "line 1: the file ends within a value", ""},
	} {
		f, err := Read("a.json", []byte(c.raw), Options{})
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.name, err, c.want)
			}
			continue
		}
		if got := words(f); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if said := strings.Join(f.Notes, "\n"); !strings.Contains(said, c.note) || c.note == "" && said != "" {
			t.Errorf("%s: notes %q, want %q", c.name, said, c.note)
		}
	}
}

// Columns that number rows, time or seeds are no coordinates, unless they are named.
func TestChoose(t *testing.T) {
	num := func(names ...string) (out []Column) {
		for k, n := range names {
			out = append(out, Column{Name: n, Of: n, Values: Values{Num: []float64{float64(5 - k), 2, 9, 1, 1}}})
		}
		return out
	}
	text := Column{Name: "task", Values: Values{Text: []string{"a", "b", "a", "b", "a"}}}
	counting := Column{Name: "n", Values: Values{Num: []float64{0, 1, 2, 3, 4}}}
	for want, c := range map[string]struct {
		columns []Column
		choice  Choice
	}{
		"a b label task": {append(num("Unnamed: 0", "a", "b"), text), Choice{}},
		"a c label":      {num("step", "seed", "a", "c"), Choice{}},
		"a label": {num("index", "iteration", "episode", "timestamp",
			"time/total_timesteps", "_step", "Wall time", "Epoch", "env_steps", "a"), Choice{}},
		"n2 label task": {append([]Column{counting}, append(num("n2"), text)...), Choice{}},
		"step a label":  {num("step", "a", "b"), Choice{Columns: []string{"step", "a"}}},
		"latent0 latent1 label": {num("latent0", "a", "latent1"),
			Choice{Columns: []string{"latent*"}}},
		"mean0 mean1 mean2 label task": {append(num("z0", "mean2", "mean0", "mean4", "mean1", "std0", "return"), text),
			Choice{}},
		"mean0 mean1 label": {num("seed", "mean0", "mean1", "other"), Choice{}},
		"a b label seed":    {num("seed", "a", "b"), Choice{Label: "seed"}},
		"x1 x2 label y": {append(num("x1", "x2"),
			Column{Name: "y", Values: Values{Num: []float64{1, 0, 1, 0, 1}}}), Choice{}},
		"x y label":      {num("x", "y"), Choice{}},
		"a label Label":  {num("a", "Label"), Choice{}},
		"a b label goal": {num("a", "goal", "b"), Choice{}},
		"a label label":  {num("a", "task", "label", "goal"), Choice{}},
		"a label level": {append(num("uid", "a", "level_0", "worker"),
			Column{Name: "level", Values: Values{Text: []string{"l", "r", "l", "r", "l"}}}), Choice{}},
		"a b label":                              {append(num("a", "b"), counting), Choice{}},
		`no column "latnet*"`:                    {num("latent0", "a"), Choice{Columns: []string{"latnet*"}}},
		"number rows, time or":                   {num("step", "seed"), Choice{}},
		`no column "tusk"; did you mean "task"?`: {append(num("a"), text), Choice{Label: "tusk"}},
		`column "task": "a" is not a number`:     {append(num("a"), text), Choice{Columns: []string{"task"}}},
	} {
		out, err := Choose(c.columns, c.choice, func(i int) string { return fmt.Sprint("row ", i) })
		got := fmt.Sprint(err)
		if err == nil {
			got = ""
			for _, p := range out.Points {
				got += p.Name + " "
			}
			if got += "label"; out.Label != nil {
				got += " " + out.Label.Name
			}
		}
		if !strings.Contains(got, want) || err == nil && got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for names, want := range map[string]string{
		"z0 z1 mean0 mean1 a": "laid out: mean0, mean1 (2 columns); left out (not chosen): z0, z1, a",
		"z0 z1 z3": "laid out: z0, z1 (2 columns); left out (not chosen): z3; there is no z2: z3 is left out; to lay " +
			"out all, name the columns, such as \"z*\"",
		"mean0 std0 mean2 mean10": "laid out: mean0 (1 column); standard deviations: std0; left out (not chosen): " +
			"mean2, mean10; there is no mean1: mean2, mean10 are left out; to lay out all, name the columns, such as " +
			"\"mean*\"",
		"mean1 mean2": "laid out: mean1, mean2 (2 columns)",
		"z0 z1":       "laid out: z0, z1 (2 columns)",
		"z0 zoom z":   "laid out: z0 (1 column); left out (not chosen): zoom, z",
	} {
		out, err := Choose(num(strings.Fields(names)...), Choice{}, func(int) string { return "" })
		if got := strings.Join(out.Notes, "; "); err != nil || got != want {
			t.Errorf("%s: %q, %v", names, got, err)
		}
	}
}

// A first column without a name is an index if it numbers or names the rows; else it is data, as is a column with an
// index's name whose numbers have fractions.
func TestIndexes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 6))
	order := r.Perm(40)
	for what, c := range map[string]struct {
		cell func(i int) string
		is   bool
	}{
		"from 0":        {func(i int) string { return fmt.Sprint(i) }, true},
		"every third":   {func(i int) string { return fmt.Sprint(7 + 3*i) }, true},
		"shuffled":      {func(i int) string { return fmt.Sprint(order[i]) }, true},
		"two joined":    {func(i int) string { return fmt.Sprint(i % 20) }, true},
		"with point":    {func(i int) string { return fmt.Sprintf("%d.0", i) }, true},
		"names":         {func(i int) string { return fmt.Sprint("row ", order[i]) }, true},
		"reals":         {func(i int) string { return fmt.Sprint(r.NormFloat64()) }, false},
		"steady reals":  {func(i int) string { return fmt.Sprint(float64(i) / 4) }, false},
		"one real":      {func(i int) string { return fmt.Sprint(float64(i) + float64(i/39)/2) }, false},
		"zeros or ones": {func(i int) string { return fmt.Sprint(order[i] % 2) }, false},
		"counts":        {func(i int) string { return fmt.Sprint(r.IntN(9)) }, false},
	} {
		cells := make([]string, 40)
		for i := range cells {
			cells[i] = c.cell(i)
		}
		for _, name := range []string{"", "Unnamed: 0", "id"} {
			whole := !strings.Contains(what, "real")
			if name != "" && !c.is && whole {
				continue // a name says more than numbers that repeat
			}
			csv, objects := name+",b,task\n", ""
			for i, s := range cells {
				csv += fmt.Sprintf("%s,%d.5,%c\n", s, order[i], 'k'+i%2)
				objects += fmt.Sprintf(`{"%s": %s, "b": %d.5, "task": "%c"}`+"\n", name, s, order[i], 'k'+i%2)
			}
			if what == "names" {
				objects = ""
			}
			for file, text := range map[string]string{"x.csv": csv, "x.jsonl": objects} {
				if text == "" {
					continue
				}
				f, err := Read(file, []byte(text), Options{})
				if err != nil {
					t.Fatal(err)
				}
				chosen, err := Choose(f.Columns(), Choice{}, f.Row)
				if err != nil || (len(chosen.Points) == 1) != c.is || len(chosen.Points) > 2 {
					t.Errorf("%s, %q of %s: laid out %v, %v", what, name, file, namesOfColumns(chosen.Points), err)
				}
			}
		}
	}
}
