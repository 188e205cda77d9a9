package table

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// original is a table as it should be read.
type original struct {
	names   []string
	columns [][]string // words as Values.Word gives them
}

// random makes a table of numbers of many sizes, whole numbers of 64 bits, texts and missing values.
func random(r *rand.Rand) original {
	o := original{}
	rows := 3 + r.IntN(20)
	for j := range 2 + r.IntN(5) {
		o.names = append(o.names, []string{"return", "loss", "arm name", "Straße", "é", "seed"}[j%6]+strconv.Itoa(j))
		kind, column := r.IntN(4), make([]string, rows)
		for i := range column {
			switch {
			case i > 0 && r.IntN(8) == 0:
			case kind == 0:
				column[i] = strconv.FormatFloat(math.Round(r.NormFloat64()*1e5)/1e5, 'f', 5, 64)
			case kind == 1:
				column[i] = strconv.FormatInt(int64(r.Uint64()>>r.IntN(60)), 10)
			case kind == 2:
				column[i] = strconv.FormatUint(math.MaxUint64-uint64(r.IntN(3000)), 10)
			default:
				column[i] = []string{"pearl", "tâche 3", "ünter", "a b", "x"}[r.IntN(5)]
			}
		}
		o.columns = append(o.columns, column)
	}
	return o
}

// dialect is how a table is written.
type dialect struct {
	separator, decimal, end, missing, encoding, comment string
	index, blanks, lastEnd, trailing, repeated          bool
}

func dialectOf(r *rand.Rand) dialect {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	d := dialect{
		separator: pick(",", ";", "\t", "|"), decimal: pick(".", ","), end: pick("\n", "\r\n", "\r"),
		missing:  pick("", "NA", "N/A", "NaN", "null", "-", "<NA>", "#N/A"),
		encoding: pick("utf8", "bom", "utf16le", "utf16be", "latin1", "bare16"),
		comment:  pick("", "# made by a logger\n", "#{\"t_start\": 1.5, \"env_id\": \"x\"}\n"),
		index:    r.IntN(4) == 0, blanks: r.IntN(4) == 0, lastEnd: r.IntN(3) > 0, trailing: r.IntN(6) == 0,
		repeated: r.IntN(6) == 0,
	}
	if d.separator == "," {
		d.decimal = "."
	}
	if d.missing == "-" {
		d.lastEnd = true // or it were half a number
	}
	return d
}

// write is the table in the dialect.
func (d dialect) write(o original) []byte {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(d.comment, "\n", d.end))
	line := func(cells []string) {
		for j, c := range cells {
			if d.blanks && j > 0 && d.separator != "\t" {
				cells[j] = " " + c + " "
			}
		}
		b.WriteString(strings.Join(cells, d.separator))
		if d.trailing {
			b.WriteString(d.separator)
		}
		b.WriteString(d.end)
	}
	head := func() {
		names := append([]string{}, o.names...)
		if d.index {
			names = append([]string{""}, names...)
		}
		line(names)
	}
	head()
	for i := range o.columns[0] {
		if d.repeated && i == 2 {
			head()
		}
		var cells []string
		if d.index {
			cells = append(cells, strconv.Itoa(i))
		}
		for _, c := range o.columns {
			s := c[i]
			if _, ok := plain(s); ok {
				s = strings.Replace(s, ".", d.decimal, 1)
			} else if s == "" && numeric(c) {
				s = d.missing
			}
			cells = append(cells, s)
		}
		line(cells)
	}
	text := b.String()
	if !d.lastEnd {
		text = strings.TrimSuffix(text, d.end)
	}
	return d.encode(text)
}

// numeric reports whether a column is of numbers.
func numeric(column []string) bool {
	_, ok := plain(column[0])
	return ok
}

func (d dialect) encode(text string) []byte {
	var out []byte
	switch d.encoding {
	case "bom":
		return []byte("\ufeff" + text)
	case "latin1":
		for _, r := range text {
			out = append(out, byte(r))
		}
		return out
	case "utf16le", "utf16be", "bare16":
		if d.encoding != "bare16" {
			text = "\ufeff" + text
		}
		for _, u := range utf16.Encode([]rune(text)) {
			if d.encoding == "utf16be" {
				out = append(out, byte(u>>8), byte(u))
			} else {
				out = append(out, byte(u), byte(u>>8))
			}
		}
		return out
	}
	return []byte(text)
}

// Whatever the dialect, the table that is written is the one that is read, and what is unusual is said.
func TestRandomDialects(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for n := range 1500 {
		o, d := random(r), dialectOf(r)
		raw := d.write(o)
		f, err := Read("a.csv", raw, Options{})
		if err != nil {
			t.Fatalf("%d: %+v: %v\n%q", n, d, err, raw)
		}
		names := o.names
		if d.index {
			names = append([]string{"index"}, names...)
		}
		if got := f.Names(); strings.Join(got, "|") != strings.Join(names, "|") {
			t.Fatalf("%d: %+v: names %q, want %q\n%q", n, d, got, names, raw)
		}
		for j, want := range o.columns {
			a := f.Arrays[len(names)-len(o.names)+j]
			if a.Len() != len(want) {
				t.Fatalf("%d: %+v: %d rows, want %d: %q\n%q", n, d, a.Len(), len(want), f.Notes, raw)
			}
			for i, w := range want {
				got := a.Word(i)
				if v, err := strconv.ParseFloat(w, 64); err == nil && a.IsNumber() && strings.Contains(w, ".") {
					if a.Num[i] != v {
						t.Fatalf("%d: %+v: column %q, row %d: %v, want %s\n%q", n, d, a.Name, i, a.Num[i], w, raw)
					}
				} else if got != w {
					t.Fatalf("%d: %+v: column %q, row %d: %q, want %q\n%q", n, d, a.Name, i, got, w, raw)
				}
			}
		}
		if said := strings.Join(f.Notes, "\n"); d.separator != "," && !strings.Contains(said, "separator") ||
			d.decimal == "," && strings.Contains(string(raw), ",") && hasDecimals(o) &&
				!strings.Contains(said, "decimal comma") {
			t.Fatalf("%d: %+v: notes %q", n, d, said)
		}
	}
}

func hasDecimals(o original) bool {
	for _, c := range o.columns {
		for _, s := range c {
			if strings.Contains(s, ".") {
				return true
			}
		}
	}
	return false
}

// What loggers and spreadsheets write, and what is said of it: the words of the rows, or the error.
func TestDialects(t *testing.T) {
	for _, c := range []struct{ name, raw, want, note string }{
		{"half a line", "a,b\n1,2\n3", "a:1 b:2", "line 3 left out: it is cut off"},
		{"half a number", "a,b\n1,2\n3,-", "a:1 b:2", "line 3 left out"},
		{"half a number after the comma", "a;b\n1;0,5\n2;0,25\n3;0,", "a:1,2 b:0.5,0.25",
			"line 4 left out: it is cut off"},
		{"half a truth value", "a,b\n1,True\n2,Fal", "a:1 b:True", "line 3 left out: it is cut off"},
		{"half an exponent", "a,b\n1,2e5\n2,2e-", "a:1 b:200000", "line 3 left out: it is cut off"},
		{"an end without a value", "a,b\n1,2\n3,5\n4,", "a:1,3,4 b:2,5,",
			`line 4 has no line's end: its last value, "", may be cut off`},
		{"an end that is short", "a,b\n1,0.125\n3,0.375\n4,0.1", "a:1,3,4 b:0.125,0.375,0.1",
			`its last value, "0.1", may be cut off`},
		{"half a quoted text", "a,b\n1,\"x\"\n3,\"y", "a:1 b:x", "line 3 left out: it is cut off within quotes"},
		{"short lines", "a,b,c\n1,2,3\n4,5\n6,7,8\n", "a:1,4,6 b:2,5,7 c:3,,8", "1 line (line 3 first) shorter"},
		{"long lines", "a,b\n1,2\n4,5,6\n", "a:1,4 b:2,5 column 3:,6", "longer than the names"},
		{"header midway", "step,loss\n1,0.5\nstep,loss,lr\n2,0.4,0.1\n", "step:1,2 loss:0.5,0.4 lr:,0.1",
			"line 3 has other names"},
		{"header midway, other order", "step,loss\n1,0.5\nloss,step\n0.4,2\n", "step:1,2 loss:0.5,0.4",
			"line 3 has other names"},
		{"header again", "a,b\n1,2\na,b\n3,4\n", "a:1,3 b:2,4", "1 further line of names"},
		{"thousands", "a,b\n\"1,000.5\",1\n\"12,345\",2\n", "a:1000.5,12345 b:1,2", "signs for thousands"},
		{"ambiguous", "a,b\n\"1,234\",x\n\"5,678\",y\n", "a:1234,5678 b:x,y",
			`"1,234" in column "a" on line 2 is read as 1234`},
		{"ambiguous after ;", "a;b\n1,234;x\n5,678;y\n", "a:1.234,5.678 b:x,y",
			`read as 1.234: the comma is the decimal mark`},
		{"ambiguous beside a decimal comma", "a,b\n0.5,\"1,500\"\n1.5,\"22,25\"\n", "a:0.5,1.5 b:1.5,22.25",
			`"1,500" in column "b" on line 2 is read as 1.5: the comma is the decimal mark`},
		{"two decimal marks", "a,b\n0.5,\"1,5\"\n1.5,\"2,25\"\n", "a:0.5,1.5 b:1.5,2.25",
			`two decimal marks: the comma, as in "1,5" in column "b" on line 2, and the point, as in "0.5" in column "a"`},
		{"two decimal marks and neither", "a;b;c\n1.5;1,5;1.234\n2.5;2,5;2.345\n", "a:1.5,2.5 b:1.5,2.5 c:1.234,2.345",
			`"1.234" in column "c" on line 2 is read as 1.234: the point is the decimal mark`},
		{"two decimal marks in a column", "a;b\n1,5;1\n2.25;2\n3,5;3\n", "a:1,5,2.25,3,5 b:1,2,3",
			`column "a" is text: line 2 has "1,5"`},
		{"one decimal mark", "a;b\n1,5;1\n2,25;2\n", "a:1.5,2.25 b:1,2", "decimal comma"},
		{"points for thousands", "a;b\n1.234,5;2\n1.234;3\n", "a:1234.5,1234 b:2,3", "decimal comma"},
		{"blanks for thousands", "a;b\n1 234,5;2\n12 345,25;3\n", "a:1234.5,12345.25 b:2,3", "signs for thousands"},
		{"apostrophes", "a,b\n1'234.5,2\n2'345.5,3\n", "a:1234.5,2345.5 b:2,3", "signs for thousands"},
		{"per cent", "a,b\n5%,1\n12.5 %,2\n", "a:0.05,0.125 b:1,2", "per cent"},
		{"a point after ;", "a;b\n1.000;2\n2.000;3\n", "a:1,2 b:2,3", `"1.000" in column "a" on line 2 is read as 1`},
		{"money", "a,b\n$5,1\n$6,2\n", "a:$5,$6 b:1,2",
			`column "a" is text: line 2 has "$5", which is not read as a number`},
		{"zeros before", "a,b\n001,1\n1,2\n01,0\n", "a:1,1,1 b:1,2,0",
			`the same: "a" (2 cells, first "001" on line 2)`},
		{"Fortran", "a,b\n1.5D+03,1\n2.0D-01,2\n", "a:1.5D+03,2.0D-01 b:1,2", "not read as a number"},
		{"PyTorch", "a,b\ntensor(0.5),1\ntensor(2),2\n", "a:tensor(0.5),tensor(2) b:1,2", "not read as a number"},
		{"India", "a,b\n\"12,34,567\",1\n\"1,000\",2\n", "a:12,34,567,1,000 b:1,2", "not read as a number"},
		{"base 16", "a\n0x1F\n0x20\n", "a:0x1F,0x20", "not read as a number"},
		{"labels with numbers", "a,b\ntask 0,1\ntask 1,2\n", "a:task 0,task 1 b:1,2", ""},
		{"dates", "a,b\n2020-01-01,1\n2020-01-02,2\n", "a:2020-01-01,2020-01-02 b:1,2", ""},
		{"Windows' infinity", "a\n1.#INF\n-1.#INF\n", "a:+Inf,-Inf", ""},
		{"years for names", "2019,2020\n1,2\n3,4\n", "0:2019,1,3 1:2020,2,4", "no line of names, as line 1 is numbers"},
		{"numbers among the names", "0.5,1.5,x\n0.25,2.5,y\n", "0.5:0.25 1.5:2.5 x:y",
			`line 1 is taken for names, though "0.5" is a number`},
		{"colons", "a:b\n1:2\n3:4\n", "a:b:1:2,3:4", `with ":" in every line`},
		{"line ends of both kinds", "a,b\r\n1,2\n3,4\r5,6\r\n", "a:1,3,5 b:2,4,6", "lines that end in CR"},
		{"per cent and comma", "a;b\n5,5%;1\n", "a:0.055 b:1", "decimal comma"},
		{"missing words", "a,b\n1,x\nn/a,y\n?,z\n", "a:1,, b:x,y,z",
			`missing values: "a" (2 cells, first "n/a" on line 3)`},
		{"missing words and blanks", "a,b\nN/A,1\nNA,2\n,3\n-,4\nnone,5\n1,6\n", "a:,,,,,1 b:1,2,3,4,5,6",
			`missing values: "a" (5 cells, such as "N/A" on line 2)`},
		{"a word among numbers", "a,b\n1,2\noops,3\n4,5\n", "a:1,oops,4 b:2,3,5",
			`column "a" is text: line 3 has "oops"`},
		{"too large", "a\n1e400\n2\n", "a:+Inf,2", "too large to be kept exactly"},
		{"more than 64 bits", "a\n18446744073709551616\n2\n", "a:18446744073709551616,2", "too large"},
		{"infinities", "a\ninf\n-Infinity\nnan\n", "a:+Inf,-Inf,", ""},
		{"minus signs", "a\n\u22121.5\n2\n", "a:-1.5,2", ""},
		{"truth", "a,b\nTrue,1\nFalse,2\n,3\n", "a:True,False, b:1,2,3", ""},
		{"zeros at the end", "a,b\n1,2\n\x00\x00\x00", "a:1 b:2", "3 zero bytes"},
		{"Excel's sep", "sep=;\na;b\n1;2\n", "a:1 b:2", `separator ";", as line 1 says`},
		{"title line", "My run\nstep,loss\n1,2\n3,4\n", "step:1,3 loss:2,4", "line 1 before the table"},
		{"blanks", "x y  z\n1 2.5 3\n4 5   6\n", "x:1,4 y:2.5,5 z:3,6", "separator blanks"},
		{"R", "a,b\nr1,1,2\nr2,3,4\n", "index:r1,r2 a:1,3 b:2,4", "the first column is the rows' names"},
		{"one name for two", "a\n0.1,2\n0.3,4\n", "column 1:0.1,0.3 a:2,4", "the first column is the rows' names"},
		{"two names for three", "a,b\n1,2,3\n3,4,5\n", "index:1,3 a:2,4 b:3,5", "the first column is the rows' names"},
		{"two names for three in some lines", "a,b\n1,2,3\n3,4\n", "a:1,3 b:2,4 column 3:3,", "longer than the names"},
		{"comment within", "a,b\n1,2\n# restarted\n3,4\n", "a:1,3 b:2,4", "within the table left out, first line 3"},
		{"hash is a name", "#,b\n1,x\n2,y\n", "#:1,2 b:x,y", "names from the line of comment"},
		{"colours", "c,b\n#ff0000,1\n#00ff00,2\n", "c:#ff0000,#00ff00 b:1,2", ""},
		{"quotes within", "a,b\n5\" disk,1\n", "a:5\" disk b:1", "quotes within fields"},
		{"line ends within quotes", "a,b\n\"x\ny\",1\nz,2\n", "a:x\ny,z b:1,2", ""},
		{"nanoseconds", "t\n1764357000123456789\n1764357000123456790\n", "t:1764357000123456789,1764357000123456790",
			""},
		{"one column, comma", "x\n0,5\n1,25\n", "x:0.5,1.25", "decimal comma"},
		{"empty", "", "the file is empty", ""},
		{"open quote", "a,b\n1,\"2\n3,4\n5,6\n", "line 2: a quote opens and is never closed", ""},
		{"workbook", "PK\x03\x04rest", "workbook", ""},
	} {
		if c.want == "" {
			continue
		}
		f, err := Read("a.csv", []byte(c.raw), Options{})
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", c.name, err)
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

// words is a table in short.
func words(f *File) string {
	var out []string
	for _, c := range f.Columns() {
		out = append(out, c.Name+":"+strings.Join(c.Words(), ","))
	}
	return strings.Join(out, " ")
}

// What was found out can be overruled.
func TestOverruled(t *testing.T) {
	for want, c := range map[string]struct {
		raw string
		o   Options
	}{
		"a:1.234":                       {"a,b\n\"1,234\",x\n", Options{Decimal: ','}},
		"a:1234":                        {"a;b\n1,234;x\n", Options{Decimal: '.'}},
		"a,b:1,2":                       {"a,b;c\n1,2;3\n", Options{Separator: ';', Decimal: '.'}},
		"0:a,1":                         {"a,b\n1,2\n", Options{Header: WithoutHeader}},
		"2019:1":                        {"2019,2020\n1,2\n", Options{Header: WithHeader}},
		"я:1":                           {"\xff\n1\n", Options{Encoding: "windows-1251"}},
		"x:ä":                           {"x\n\x84\n", Options{Encoding: "CP437"}},
		"encoding \"utf-9\" is unknown": {"x\n1\n", Options{Encoding: "utf-9"}},
		"decimal mark":                  {"x\n1\n", Options{Decimal: 'x'}},
	} {
		f, err := Read("a.csv", []byte(c.raw), c.o)
		got := fmt.Sprint(err)
		if err == nil {
			got = words(f)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", c.raw, got, want)
		}
	}
}

// A quoted field keeps its blanks; around another text they are left out, which is said; numbers may have them.
func TestBlanks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	blanks := []string{"", "", " ", "  ", "\t", " \n"}
	for range 400 {
		separator := separators[r.IntN(len(separators))]
		text, want := "label"+string(separator)+"n\n", []string(nil)
		line, first, trimmed := 2, "", 0
		for i := range 8 {
			value := []string{"x", "y", "x y", "ä"}[r.IntN(4)]
			before, after := blanks[r.IntN(len(blanks))], blanks[r.IntN(len(blanks))]
			number := fmt.Sprint(i, ".5")
			if r.IntN(2) == 0 {
				want = append(want, before+value+after)
				text += `"` + before + value + after + `"` + string(separator) + `" ` + number + ` "` + "\n"
				line += 1 + strings.Count(before+after, "\n")
				continue
			}
			before, after = strings.TrimRight(before, "\t\n"), strings.TrimRight(after, "\t\n")
			if want = append(want, value); before+after != "" {
				if trimmed++; trimmed == 1 {
					first = fmt.Sprintf("%q on line %d", value, line)
				}
			}
			text += before + value + after + string(separator) + number + after + "\n"
			line++
		}
		f, err := Read("x.csv", []byte(text), Options{Separator: separator})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if got := f.Arrays[0].Words(); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if got := strings.Join(f.Arrays[1].Words(), " "); got != "0.5 1.5 2.5 3.5 4.5 5.5 6.5 7.5" {
			t.Errorf("%q: numbers %s", text, got)
		}
		said, notes := "blanks around "+count(trimmed, "text")+" without quotes left out, first "+first,
			strings.Join(f.Notes, " ")
		if strings.Contains(notes, said) != (trimmed > 0) || strings.Contains(notes, "blanks around") != (trimmed > 0) {
			t.Errorf("%q: %s, want %s", text, notes, said)
		}
	}
}

// What AppendCSV writes is read as it was.
func TestAppendCSV(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 3))
	signs := []string{" ", ",", `"`, "\n", ";", "#", "x", "ä", "1", "\t", ""}
	for range 500 {
		width := 1 + r.IntN(3)
		names, columns := []string{"#a", " b", "c "}[:width], make([][]string, width)
		text := AppendCSV(nil, names...)
		for i := range 1 + r.IntN(6) {
			row := make([]string, width)
			for j := range row {
				for range r.IntN(4) {
					row[j] += signs[r.IntN(len(signs))]
				}
				if i == 0 {
					row[j] += "x" // so that the column is text
				}
				columns[j] = append(columns[j], row[j])
			}
			text = AppendCSV(text, row...)
		}
		f, err := Read("x.csv", text, Options{Separator: ','})
		if err != nil || !slices.Equal(f.Names(), names) {
			t.Fatalf("%q: %v, %v", text, f, err)
		}
		for j, a := range f.Arrays {
			if got := a.Words(); !slices.Equal(got, columns[j]) {
				t.Errorf("%q: %q, want %q", text, got, columns[j])
			}
		}
	}
}
