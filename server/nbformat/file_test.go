package nbformat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// cells4 is a notebook of one minor format with the given cells.
func cells4(minor int, cells string) string {
	return fmt.Sprintf(`{"cells":[%s],"metadata":{},"nbformat":4,"nbformat_minor":%d}`, cells, minor)
}

func parse(t *testing.T, text string) *Notebook {
	t.Helper()
	nb, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%.200s: %v", text, err)
	}
	return nb
}

func marshal(t *testing.T, nb *Notebook) string {
	t.Helper()
	b, err := nb.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// saved is what becomes of a file that a page opens, changes and saves.
func saved(t *testing.T, text string, edit func(page map[string]any)) string {
	t.Helper()
	was := parse(t, text)
	wire, err := was.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var page map[string]any // with numbers as a browser has them, and halves of surrogate pairs, which Go has not
	if err := json.Unmarshal(escape(wire), &page); err != nil {
		t.Fatal(err)
	}
	if edit != nil {
		edit(page)
	}
	back, err := json.Marshal(page)
	if err != nil {
		t.Fatal(err)
	}
	nb, err := ParseAgain(unescape(back, false), was.IDs())
	if err != nil {
		t.Fatal(err)
	}
	nb.Continue(was)
	return marshal(t, nb)
}

// What a file has and a save must keep, each with what it is an example of.
var keeps = map[string]string{
	"format 4.4 without ids": cells4(4, `{"cell_type":"markdown","metadata":{},"source":["a\n","b"]},`+
		`{"cell_type":"raw","metadata":{},"source":[]}`),
	"format 4.0":              cells4(0, `{"cell_type":"markdown","metadata":{},"source":[]}`),
	"format 4.4 with ids":     cells4(4, `{"cell_type":"markdown","id":"a","metadata":{},"source":[]}`),
	"format 4.5 without ids":  cells4(5, `{"cell_type":"markdown","metadata":{},"source":[]}`),
	"a later format":          cells4(9, `{"cell_type":"markdown","id":"a","metadata":{},"news":1,"source":[]}`),
	"an id of null":           cells4(5, `{"cell_type":"markdown","id":null,"metadata":{},"source":[]}`),
	"an id that is a number":  cells4(5, `{"cell_type":"markdown","id":7,"metadata":{},"source":[]}`),
	"an id with a colon":      cells4(5, `{"cell_type":"markdown","id":"a:b","metadata":{},"source":[]}`),
	"equal ids":               cells4(5, strings.TrimSuffix(strings.Repeat(`{"cell_type":"raw","id":"a","metadata":{},"source":[]},`, 3), ",")),
	"an unknown cell":         cells4(5, `{"cell_type":"sql","id":"a","metadata":{},"query":"x","source":[]}`),
	"a cell that is none":     cells4(5, `null`),
	"no metadata":             cells4(5, `{"cell_type":"raw","id":"a","source":[]}`),
	"a source of null":        cells4(5, `{"cell_type":"raw","id":"a","metadata":{},"source":null}`),
	"a source of odd things":  cells4(5, `{"cell_type":"raw","id":"a","metadata":{},"source":["a",5]}`),
	"half an emoji":           cells4(5, `{"cell_type":"raw","id":"a","metadata":{"x":"\ud83d","y":"\\ud83d \uDC00"},"source":[]}`),
	"a whole emoji":           cells4(5, `{"cell_type":"raw","id":"a","metadata":{"x":"😀"},"source":[]}`),
	"a character kept for us": cells4(5, `{"cell_type":"raw","id":"a","metadata":{"x":"﷐d83d ﷐fdd0 ﷐"},"source":[]}`),
	"Python's line ends": cells4(5, `{"cell_type":"raw","id":"a","metadata":{},"source":`+
		`["a\r","b\r\n","c`+"\u2028"+`","d`+"\u0085"+`","e\f","f"]}`),
	"integers beyond 2⁵³": cells4(5, `{"cell_type":"raw","id":"a","metadata":{"x":[9007199254740993,`+
		`-123456789012345678901234567890]},"source":[]}`),
	"how numbers are spelled": cells4(5, `{"cell_type":"raw","id":"a","metadata":{"x":[1.0,1e5,1E-07,0.10]},"source":[]}`),
	"what Python writes of floats": cells4(5, `{"cell_type":"raw","id":"a","metadata":{"x":[NaN,Infinity,-Infinity,"NaN",`+
		`{"y":NaN}]},"source":[]}`),
	"an unknown output": cells4(5, `{"cell_type":"code","execution_count":null,"id":"a","metadata":{},`+
		`"outputs":[{"news":1,"output_type":"hologram"},5],"source":[]}`),
	"texts in lists": cells4(5, `{"cell_type":"code","execution_count":1,"id":"a","metadata":{},"outputs":[`+
		`{"data":{"application/vnd.x+json":["a","b"],"image/png":"aGk=\n","image/svg+xml":["<svg>\n","</svg>"],`+
		`"text/plain":["a\n"]},"metadata":{},"output_type":"display_data"}],"source":[]}`),
	"an attachment": cells4(5, `{"attachments":{"a.png":{"image/png":"aGk="},"b.txt":{"text/plain":["a\n","b"]}},`+
		`"cell_type":"markdown","id":"a","metadata":{},"source":[]}`),
	"a kernel of another language": `{"cells":[],"metadata":{"kernelspec":{"display_name":"Python 3",` +
		`"name":"python3"},"language_info":{"name":"python"}},"nbformat":4,"nbformat_minor":2}`,
}

// pretty is a JSON text as Jupyter's library writes it, with what JSON does not have.
func pretty(text string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, escape([]byte(text)), "", " "); err != nil {
		panic(err)
	}
	return string(unescape(b.Bytes(), true)) + "\n"
}

func TestSaveKeepsTheFile(t *testing.T) {
	for what, text := range keeps {
		text = pretty(text)
		if got := marshal(t, parse(t, text)); got != text {
			t.Errorf("%s: read and written:\n%s\nwant\n%s", what, got, text)
		}
		if got := saved(t, text, nil); got != text {
			t.Errorf("%s: saved by a page that changed nothing:\n%s\nwant\n%s", what, got, text)
		}
	}
}

// An edit changes what was edited.
func TestSaveChangesWhatWasEdited(t *testing.T) {
	for what, text := range keeps {
		text = pretty(strings.Replace(text, `"metadata":{}`, `"metadata":{"mark":"here"}`, 1))
		edit := func(page map[string]any) {
			if cells := page["cells"].([]any); len(cells) > 0 && cells[0] != nil {
				cells[0].(map[string]any)["metadata"] = map[string]any{"mark": "there"}
			}
		}
		if !strings.Contains(text, `"mark": "here"`) || strings.Contains(text, "kernelspec") {
			continue
		}
		if got, want := saved(t, text, edit), strings.Replace(text, `"here"`, `"there"`, 1); got != want &&
			!strings.Contains(got, `"mark": "here"`) {
			t.Errorf("%s:\n%s\nwant\n%s", what, got, want)
		}
	}
}

// The form of a file stays: a byte order mark, how deep its lines are indented, and whether the last of them ends.
func TestFormStays(t *testing.T) {
	plain := pretty(keeps["an attachment"])
	for what, text := range map[string]string{
		"a byte order mark": byteOrderMark + plain,
		"no last line end":  strings.TrimSuffix(plain, "\n"),
		"two spaces":        strings.ReplaceAll(doubled(plain), "\t", "  "),
		"tabs":              doubled(plain),
		"both":              byteOrderMark + strings.TrimSuffix(doubled(plain), "\n"),
	} {
		if got := saved(t, text, nil); got != text {
			t.Errorf("%s:\n%q\nwant\n%q", what, got, text)
		}
	}
}

// doubled is a file indented by tabs.
func doubled(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		rest := strings.TrimLeft(line, " ")
		b.WriteString(strings.Repeat("\t", len(line)-len(rest)) + rest)
	}
	return b.String()
}

// A cell that a page adds gets an id where the format has them, and none where the file's others have none.
func TestAddedCell(t *testing.T) {
	add := func(page map[string]any) {
		page["cells"] = append([]any{map[string]any{"cell_type": "raw", "id": "new", "metadata": map[string]any{},
			"source": "x"}}, page["cells"].([]any)...)
	}
	for what, ids := range map[string]int{
		"format 4.4 without ids": 0, "format 4.0": 0, "format 4.4 with ids": 2, "format 4.5 without ids": 1,
		"an id of null": 2, "a later format": 2,
	} {
		if got := saved(t, pretty(keeps[what]), add); strings.Count(got, `"id":`) != ids {
			t.Errorf("%s: want %d ids\n%s", what, ids, got)
		}
	}
}

// A file without ids that is read again after a cell was put in or moved gives its cells the ids they had.
func TestIDsOutliveASave(t *testing.T) {
	cell := func(s string) string { return `{"cell_type":"raw","metadata":{},"source":"` + s + `"}` }
	first := parse(t, cells4(4, cell("a")+","+cell("b")+","+cell("a")))
	ids := func(nb *Notebook) (list []string) {
		for _, c := range nb.Cells() {
			list = append(list, c.ID())
		}
		return list
	}
	was := ids(first)
	for what, test := range map[string]struct {
		cells string
		want  []string
	}{
		"the same": {cell("a") + "," + cell("b") + "," + cell("a"), was},
		"one before": {cell("new") + "," + cell("a") + "," + cell("b") + "," + cell("a"),
			append([]string{"?"}, was...)},
		"moved":      {cell("b") + "," + cell("a") + "," + cell("a"), []string{was[1], was[0], was[2]}},
		"one gone":   {cell("b") + "," + cell("a"), []string{was[1], was[0]}},
		"one edited": {cell("a") + "," + cell("c") + "," + cell("a"), []string{was[0], "?", was[2]}},
	} {
		nb, err := ParseAgain([]byte(cells4(4, test.cells)), first.IDs())
		if err != nil {
			t.Fatal(err)
		}
		got := ids(nb)
		for i := range got {
			if test.want[i] != "?" && got[i] != test.want[i] {
				t.Errorf("%s: %v, want %v", what, got, test.want)
			}
		}
	}
	if parse(t, cells4(5, `{"cell_type":"raw","id":"a","metadata":{},"source":""}`)).IDs() != nil {
		t.Error("a file with ids needs none")
	}
}

// A number that a page really changed is the page's.
func TestChangedNumbers(t *testing.T) {
	for _, test := range []struct{ was, page, want string }{
		{"9007199254740993", "9007199254740992", "9007199254740993"}, {"1.0", "1", "1.0"}, {"1e5", "100000", "1e5"},
		{"-0.0", "0", "-0.0"}, {"1e400", "null", "1e400"}, {"123456789012345678901234567890", "1.2345678901234568e+29",
			"123456789012345678901234567890"},
		{"9007199254740993", "9007199254740994", "9007199254740994"}, {"1.0", "2", "2"}, {"1.0", "null", "null"},
		{"1.0", `"1"`, `"1"`}, {"5", "5.5", "5.5"},
	} {
		of := func(number string) *Notebook {
			return parse(t, cells4(5, `{"cell_type":"raw","id":"a","metadata":{"x":[`+number+`]},"source":""}`))
		}
		nb := of(test.page)
		nb.Continue(of(test.was))
		if got := marshal(t, nb); !strings.Contains(got, "\n     "+test.want+"\n") {
			t.Errorf("%v: %s", test, got)
		}
	}
}

func TestNotUTF8(t *testing.T) {
	text := pretty(cells4(5, `{"cell_type":"raw","id":"a","metadata":{},"source":["caf?"]}`))
	line := strings.Count(text[:strings.Index(text, "caf?")], "\n") + 1
	for bad, want := range map[string]string{
		strings.Replace(text, "?", "\xe9", 1):     fmt.Sprintf("byte E9 in line %d, column 9", line),
		strings.Replace(text, "?", "\xff", 1):     fmt.Sprintf("byte FF in line %d, column 9", line),
		strings.Replace(text, "?", "\xed\xa0", 1): fmt.Sprintf("byte ED in line %d, column 9", line),
		strings.Replace(text, "caf?", "é\xe9", 1): fmt.Sprintf("byte E9 in line %d, column 7", line),
		"\xff\xfe{\x00}\x00":                      "UTF-16",
		"\xfe\xff\x00{\x00}":                      "UTF-16",
		text + "\xc3":                             "byte C3",
	} {
		if _, err := Parse([]byte(bad)); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "convert it") {
			t.Errorf("%q: %v, want %q", bad[:20], err, want)
		}
	}
}

func TestOldFormats(t *testing.T) {
	older := `{"metadata":{"name":"old","signature":"x"},"nbformat":%d,"nbformat_minor":0,"worksheets":[{"cells":[
	{"cell_type":"heading","level":2,"metadata":{},"source":["A","title"]},
	{"cell_type":"html","source":"<b>x</b>"},
	{"cell_type":"markdown","metadata":{},"source":["a\n","b"],"rendered":"x"},
	{"cell_type":"code","collapsed":true,"input":["x = 1","x"],"language":"python","metadata":{},"prompt_number":3,"outputs":[
		{"output_type":"pyout","prompt_number":3,"text":"1","html":["<p>\n","1"],"png":"aGk=","json":"{\"a\": 1.0}","metadata":{"png":{"width":5}}},
		{"output_type":"stream","stream":"stderr","text":["e\n"]},{"output_type":"stream","text":"o"},
		{"output_type":"pyerr","ename":"E","evalue":"v","traceback":["t"]},
		{"output_type":"display_data","svg":"<svg/>","latex":"$x$","javascript":"1","jpeg":"aGk="}]}]},
	{"cells":[{"cell_type":"code","input":"y","outputs":[]}]}]}`
	for _, major := range []int{2, 3} {
		nb := parse(t, fmt.Sprintf(older, major))
		if list := nb.Problems(); list != nil || nb.Major() != major || nb.Minor() != 5 {
			t.Errorf("format %d: %v, %d, %d", major, list, nb.Major(), nb.Minor())
		}
		var sources []string
		for _, c := range nb.Cells() {
			sources = append(sources, c.Type()+" "+c.Source())
		}
		if want := []string{"markdown ## A title", "markdown <b>x</b>", "markdown a\nb", "code x = 1\nx",
			"code y"}; !reflect.DeepEqual(sources, want) {
			t.Errorf("format %d: %q", major, sources)
		}
		b, _ := encode(nb.Cells()[3]["outputs"], "")
		want := `[{"data":{"application/json":{"a":1.0},"image/png":"aGk=","text/html":"<p>\n1","text/plain":"1"},"execution_count":3,` +
			`"metadata":{"image/png":{"width":5}},"output_type":"execute_result"},` +
			`{"name":"stderr","output_type":"stream","text":"e\n"},` +
			`{"name":"stdout","output_type":"stream","text":"o"},` +
			`{"ename":"E","evalue":"v","output_type":"error","traceback":["t"]},` +
			`{"data":{"application/javascript":"1","image/jpeg":"aGk=","image/svg+xml":"<svg/>","text/latex":"$x$"},` +
			`"metadata":{},"output_type":"display_data"}]` + "\n"
		if string(b) != want {
			t.Errorf("format %d: %s", major, b)
		}
	}
	for _, text := range []string{
		`{"nbformat":3}`, `{"nbformat":3,"worksheets":[]}`, `{"nbformat":3,"worksheets":[{}]}`, `{"nbformat":2,"worksheets":[null,{"cells":[null,5]}]}`,
		`{"nbformat":3,"metadata":null,"worksheets":[{"cells":[{"cell_type":"heading","level":99,"source":null},{"cell_type":"code","outputs":[null,{"output_type":"pyout"}]}]}]}`,
	} {
		nb := parse(t, text)
		nb.Repair()
		if list := nb.Problems(); list != nil {
			t.Errorf("%s: %v", text, list)
		}
	}
}

// What is wrong is said, each cell of it, and mended; nothing else changes, and no text is lost.
func TestRepair(t *testing.T) {
	for what, text := range keeps {
		nb := parse(t, text)
		before := marshal(t, nb)
		problems := nb.Problems()
		done := nb.Repair()
		if (len(problems) == 0) != (len(done) == 0) {
			t.Errorf("%s: %v, mended: %v", what, problems, done)
		}
		if len(problems) == 0 && marshal(t, nb) != before {
			t.Errorf("%s: changed without need", what)
		}
		if list := parse(t, marshal(t, nb)).Problems(); list != nil {
			t.Errorf("%s: still %v", what, list)
		}
	}
	for _, test := range [][2]string{
		{`{"cell_type":"heading","id":"a","level":3,"metadata":{},"source":"T"}`, `### T`},
		{`{"cell_type":"sql","id":"a","metadata":{},"source":"select","query":"x y"}`, `"query": "x y"`},
		{`{"cell_type":"raw","id":"a","metadata":{"tags":["a,b","a",7]},"source":""}`, `"tags": [`},
		{`{"cell_type":"raw","id":"a","source":["a",5,"b"]}`, `"a5b"`},
		{`{"cell_type":"raw","id":"a","metadata":[1],"source":{"x":1}}`, `{\"x\":1}`},
		{`"just text"`, `just text`},
		{`{"cell_type":"code","id":"a","attachments":5}`, `"attachments": 5`},
		{`{"cell_type":"code","id":"a","metadata":{},"source":"","execution_count":"1","outputs":{"a":"kept"}}`,
			`kept`},
		{`{"cell_type":"code","id":"a","metadata":{},"source":"","execution_count":1,"outputs":[{"output_type":"pyout","text":"old"}]}`,
			`"execute_result"`},
		{`{"cell_type":"code","id":"a","metadata":{},"source":"","execution_count":1,"outputs":[{"output_type":"stream","text":["a",1],"x":2}]}`,
			`"a1"`},
	} {
		cell, want := test[0], test[1]
		nb := parse(t, cells4(5, cell))
		done := nb.Repair()
		got := marshal(t, nb)
		if list := parse(t, got).Problems(); list != nil || len(done) == 0 || !strings.Contains(got, want) {
			t.Errorf("%s: %v, mended: %q, want %s\n%s", cell, list, done, want, got)
		}
	}
}

// A random JSON value that looks like a part of a notebook: names and kinds that the format knows, and others.
func random(r *rand.Rand, depth int) any {
	pick := func(list ...any) any { return list[r.IntN(len(list))] }
	texts := []any{"", "a", "code", "raw", "markdown", "stream", "stdout", "a\nb\r\nc\rd", "é\u2028\u0085\x1f",
		"\ufdd0NaN?", "x,y", "a b", "data:", "<&>", "\ufdd0", "\U0001F600"}
	switch n := r.IntN(12); {
	case n < 3 || depth == 0:
		return pick(texts...)
	case n == 3:
		return pick(nil, true, false)
	case n == 4:
		return json.Number(pick("0", "1.0", "-3", "9007199254740993", "1e300", "0.1", "4", "5").(string))
	case n < 7:
		list := []any{}
		for range r.IntN(4) {
			list = append(list, random(r, depth-1))
		}
		return list
	}
	m := map[string]any{}
	for range r.IntN(7) {
		key := pick("id", "cell_type", "metadata", "source", "outputs", "execution_count", "output_type", "name",
			"text", "data", "text/plain", "image/png", "application/json", "traceback", "ename", "evalue",
			"attachments",
			"tags", "jupyter", "execution", "collapsed", "scrolled", "kernelspec", "language_info", "x").(string)
		m[key] = random(r, depth-1)
	}
	return m
}

func randomNotebook(r *rand.Rand) string {
	cells := []any{}
	for range r.IntN(5) {
		c := random(r, 4)
		if m, ok := c.(map[string]any); ok && r.IntN(4) > 0 {
			m["cell_type"] = []string{"code", "markdown", "raw"}[r.IntN(3)]
			if r.IntN(3) > 0 {
				m["metadata"], m["source"] = map[string]any{}, "x"
			}
			if m["cell_type"] == "code" && r.IntN(3) > 0 {
				o, _ := random(r, 2).(map[string]any)
				if o == nil {
					o = map[string]any{}
				}
				o["output_type"] = []string{"stream", "display_data", "execute_result", "error", "x"}[r.IntN(5)]
				m["outputs"], m["execution_count"] = []any{o}, nil
			}
		}
		cells = append(cells, c)
	}
	doc := map[string]any{"cells": cells, "metadata": map[string]any{}, "nbformat": 4, "nbformat_minor": r.IntN(7)}
	if r.IntN(4) == 0 {
		doc["metadata"] = random(r, 3)
	}
	b, err := encode(doc, " ")
	if err != nil {
		panic(err)
	}
	return string(b)
}

// For notebooks made up at random: a file that was written once is written the same for ever, by a page too; a repair
// leaves nothing to repair; and what follows the format is not touched by one.
func TestRandomNotebooks(t *testing.T) {
	for seed := range uint64(1000) {
		text := randomNotebook(rand.New(rand.NewPCG(seed, 1)))
		nb := parse(t, text)
		once := marshal(t, nb)
		if twice := marshal(t, parse(t, once)); twice != once {
			t.Fatalf("seed %d: read and written again:\n%s\nfirst\n%s", seed, twice, once)
		}
		if page := saved(t, once, nil); page != once {
			t.Fatalf("seed %d: saved by a page:\n%s\nfirst\n%s", seed, page, once)
		}
		was := nb.Problems()
		done := nb.Repair()
		if (was == nil) != (done == nil) {
			t.Fatalf("seed %d: problems %q, mended %q in\n%s", seed, was, done, once)
		}
		mended := marshal(t, nb)
		if list := parse(t, mended).Problems(); list != nil {
			t.Fatalf("seed %d: still %q\n%s\nbefore\n%s", seed, list, mended, once)
		}
	}
}
