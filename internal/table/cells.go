package table

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"nacre/internal/whole"
)

// missing lists the words for a missing number, in small letters: those of pandas, and signs of other programs.
var missing = map[string]bool{
	"": true, "na": true, "n/a": true, "nan": true, "-nan": true, "+nan": true, "null": true, "none": true, "nil": true,
	"<na>": true, "nat": true,
	"#n/a": true, "#na": true, "#n/a n/a": true, "1.#ind": true, "-1.#ind": true, "1.#qnan": true, "-1.#qnan": true,
	"-": true, "--": true, "?": true, ".": true, "\u2013": true, "\u2014": true,
}

// plainMissing reports whether a word for a missing number needs no mention.
func plainMissing(s string) bool {
	switch strings.ToLower(s) {
	case "", "na", "nan", "null", "none", "<na>":
		return true
	}
	return false
}

// number is a value read from text.
type number struct {
	near   float64
	rest   int16
	beyond bool // too large for float64, or a whole number of more than 64 bits
}

// plain reads a number in the form that programs write, with a decimal point and no other sign.
func plain(s string) (number, bool) {
	if s == "" || strings.ContainsAny(s, "xX_pP") {
		return number{}, false
	}
	if bare := strings.TrimPrefix(s, "-"); strings.EqualFold(bare, "1.#inf") { // as Windows wrote it
		return number{near: math.Inf(1 - 2*(len(s)-len(bare)))}, true
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return number{}, false
	}
	n := number{near: v, beyond: err != nil && math.IsInf(v, 0)}
	if bare, zeros, dot := strings.Cut(s, "."); math.Abs(v) >= whole.Exact && digits(bare) &&
		strings.Trim(zeros, "0") == "" {
		near, rest, ok := whole.Parse(bare)
		if ok {
			n.near, n.rest = near, rest
		}
		n.beyond = !ok && (!dot || n.beyond)
	}
	return n, true
}

// digits reports whether a text consists of digits, with or without a sign.
func digits(s string) bool {
	return strings.Trim(strings.TrimLeft(s, "+-"), "0123456789") == ""
}

// These match numbers with a decimal comma, and numbers with separators of thousands.
var (
	decimalComma  = regexp.MustCompile(`^[+-]?\d*,\d+([eE][+-]?\d+)?$`)
	thousandComma = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?([eE][+-]?\d+)?$`)
	thousandPoint = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d*)?([eE][+-]?\d+)?$`)
	thousandBlank = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}([ '\x{a0}\x{202f}\x{2019}]\d{3})+([.,]\d*)?$`)
	blanks        = strings.NewReplacer(" ", "", "'", "", "\u00a0", "", "\u202f", "", "\u2019", "")
	signs         = strings.NewReplacer("\u2212", "-", "\uff0d", "-")
)

// style is the way in which a file's numbers are written.
type style struct {
	comma bool // whether the comma is the decimal mark
}

// evidence reports what a cell says about the decimal mark: that it is a comma, or that it is a point. 1,234 and 1.234
// say neither.
func evidence(s string) (comma, point bool) {
	if s = strings.TrimSpace(strings.TrimSuffix(s, "%")); thousandBlank.MatchString(s) {
		s = blanks.Replace(s)
	}
	commas, points := strings.Count(s, ","), strings.Count(s, ".")
	switch {
	case commas+points == 0:
	case commas == 1 && points == 0:
		comma = decimalComma.MatchString(s) && !thousandComma.MatchString(s)
	case commas == 0 && points == 1:
		_, number := plain(s)
		point = number && !thousandPoint.MatchString(s)
	case thousandComma.MatchString(s):
		point = true
	case thousandPoint.MatchString(s):
		comma = true
	}
	return comma, point
}

// written reads a number in a style. The number may have separators of thousands or a per cent sign; how says which.
func written(s string, st style) (n number, how string, ok bool) {
	s = signs.Replace(strings.TrimSpace(s))
	unit := 1.0
	if bare, percent := strings.CutSuffix(s, "%"); percent {
		s, unit, how = strings.TrimSpace(bare), 100, "per cent"
	}
	t := s
	if thousandBlank.MatchString(t) {
		t = blanks.Replace(t)
	}
	switch {
	case st.comma && thousandPoint.MatchString(t):
		t = strings.ReplaceAll(t, ".", "")
	case !st.comma && thousandComma.MatchString(t):
		t = strings.ReplaceAll(t, ",", "")
	}
	if how == "" && len(t) < len(s) {
		how = "thousands"
	}
	if st.comma && strings.Count(t, ",") == 1 && !strings.Contains(t, ".") {
		t = strings.Replace(t, ",", ".", 1)
	}
	if n, ok = plain(t); ok && unit != 1 {
		n.near, n.rest = n.near/unit, 0
	}
	return n, how, ok
}

// numbersOf returns the numbers of a column if all its cells are numbers. If only some are, odd is the place of the
// first other cell, counted from 1.
func numbersOf(cells []string, say *column) (v Values, odd int, ok bool) {
	st := say.style
	v.Num = make([]float64, len(cells))
	numbers := 0
	for i, s := range cells {
		s = strings.TrimSpace(s) // a number may be quoted with blanks
		n, number := plain(s)
		how := ""
		if st.comma || !number {
			n, how, number = written(s, st)
		}
		if !number && missing[strings.ToLower(s)] || math.IsNaN(n.near) {
			if v.Num[i] = absent(s); !plainMissing(s) {
				say.see("missing", s, i)
			}
			say.missing++
			continue
		}
		if !number {
			odd = cmp.Or(odd, i+1)
			continue
		}
		numbers++
		v.set(i, n.near, n.rest)
		if n.beyond {
			say.see("beyond", s, i)
		}
		if how != "" {
			say.see(how, s, i)
		}
		if len(s) > 1 && s[0] == '0' && digits(s) {
			say.see("zeros", s, i)
		}
		if how == "thousands" && strings.Count(s, ",") == 1 || st.comma && strings.Count(s, ",") == 1 &&
			thousandComma.MatchString(s) {
			say.see("ambiguous", s, i)
		}
	}
	if odd > 0 {
		if numbers == 0 {
			odd = 0
		}
		return Values{}, odd, false
	}
	return v, 0, true
}

// truths returns truth values if all cells are True, False or missing.
func truths(cells []string) (Values, bool) {
	v := Values{Num: make([]float64, len(cells)), Bool: true}
	some := false
	for i, s := range cells {
		switch strings.ToLower(strings.TrimSpace(s)) {
		case "true":
			v.Num[i], some = 1, true
		case "false":
			some = true
		case "", "nan", "na", "none", "null", "<na>":
			v.Num[i] = absent(s)
		default:
			return Values{}, false
		}
	}
	return v, some
}

// column collects the remarks about a column: for each kind, the number of cells and the first of them.
type column struct {
	name string
	style
	of      map[string]*seen
	missing int // number of cells without a value, however that is written
}

// seen counts odd cells and keeps the first.
type seen struct {
	n, at int
	cell  string
}

func (s *seen) see(cell string, at int) {
	if s.n++; s.n == 1 {
		s.at, s.cell = at, cell
	}
}

func (c *column) see(kind, cell string, at int) {
	if c.of == nil {
		c.of = map[string]*seen{}
	}
	if c.of[kind] == nil {
		c.of[kind] = &seen{}
	}
	c.of[kind].see(cell, at)
}

// cellNotes adds sentences about the cells of columns, one for each kind of remark.
func (f *File) cellNotes(columns []column) {
	for _, kind := range []struct{ name, text string }{
		{"missing", "missing values"},
		{"thousands", "signs for thousands left out"},
		{"per cent", "per cent as parts of one, 5% as 0.05"},
		{"beyond", "too large to be kept exactly"},
		{"zeros", "zeros before whole numbers left out, so that 01 and 1 are the same"},
	} {
		var parts []string
		for _, c := range columns {
			s := c.of[kind.name]
			if s == nil {
				continue
			}
			which := "first"
			if kind.name == "missing" && c.missing > s.n {
				s.n, which = c.missing, "such as"
			}
			parts = append(parts, fmt.Sprintf("%q (%s, %s %q on %s)", c.name, count(s.n, "cell"), which, cut(s.cell),
				f.Row(s.at)))
		}
		if parts != nil {
			f.note("%s: %s", kind.text, few(parts))
		}
	}
	for _, c := range columns {
		if s := c.of["ambiguous"]; s != nil {
			n, _, _ := written(s.cell, c.style)
			as, other := "the comma is for thousands", `","`
			if c.comma {
				as, other = "the comma is the decimal mark", `"."`
			}
			f.note("%q in column %q on %s is read as %s: %s; a decimal mark of %s says otherwise", s.cell, c.name,
				f.Row(s.at), whole.Text(n.near, n.rest), as, other)
			return
		}
	}
}

// cut returns a cell as a message quotes it.
func cut(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return s
}
