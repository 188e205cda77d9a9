package stats

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// seedCase is a case of testdata/seeds.json, which numpy and scipy computed.
type seedCase struct {
	Name  string
	Seeds []struct {
		X []float64
		Y []*float64
	}
	X, Mean, Lo, Hi []float64
	N, Breaks       []int
}

func seedCases(t *testing.T) []seedCase {
	t.Helper()
	data, err := os.ReadFile("testdata/seeds.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []seedCase }
	if err := json.Unmarshal(data, &file); err != nil || len(file.Cases) < 20 {
		t.Fatalf("%d cases, %v", len(file.Cases), err)
	}
	return file.Cases
}

func (c seedCase) lines() (lines []Line) {
	for _, s := range c.Seeds {
		l := Line{X: s.X}
		for _, y := range s.Y {
			v := math.NaN()
			if y != nil {
				v = *y
			}
			l.Y = append(l.Y, v)
		}
		lines = append(lines, l)
	}
	return lines
}

func TestOverSeeds(t *testing.T) {
	for _, c := range seedCases(t) {
		m := OverSeeds(c.lines())
		if !slices.Equal(m.X, c.X) || !slices.Equal(m.N, c.N) || !slices.Equal(m.Breaks, c.Breaks) {
			t.Errorf("%s: at %v of %v, breaks %v; want %v of %v, %v", c.Name, m.X, m.N, m.Breaks, c.X, c.N, c.Breaks)
			continue
		}
		for _, v := range []struct {
			name      string
			got, want []float64
		}{{"mean", m.Mean, c.Mean}, {"lower end", m.Lo, c.Lo}, {"upper end", m.Hi, c.Hi}} {
			if len(v.got) != len(v.want) {
				t.Errorf("%s: %d of %s, want %d", c.Name, len(v.got), v.name, len(v.want))
				continue
			}
			for i, w := range v.want {
				if math.Abs(v.got[i]-w) > 1e-10*(1+math.Abs(w)) {
					t.Errorf("%s: %s %d is %v, want %v", c.Name, v.name, i, v.got[i], w)
				}
			}
		}
	}
}

// The order of seeds is nothing to the mean, and the range holds every interpolated seed.
func TestOverSeedsOrder(t *testing.T) {
	for _, c := range seedCases(t) {
		lines := c.lines()
		m := OverSeeds(lines)
		slices.Reverse(lines)
		r := OverSeeds(lines)
		if !slices.Equal(m.X, r.X) || !slices.Equal(m.Least, r.Least) || !slices.Equal(m.Most, r.Most) {
			t.Errorf("%s: %v, and with the seeds in another order %v", c.Name, m, r)
		}
		for i := range m.Least {
			if m.Least[i] > m.Mean[i]+1e-9 || m.Most[i] < m.Mean[i]-1e-9 {
				t.Errorf("%s: mean %v outside of the range %v to %v", c.Name, m.Mean[i], m.Least[i], m.Most[i])
			}
		}
	}
}

// Of many places evenly spaced ones are taken, the first and the last among them.
func TestOverSeedsManyPlaces(t *testing.T) {
	lines := make([]Line, 3)
	for k := range lines {
		for i := range 5000 {
			lines[k].X, lines[k].Y = append(lines[k].X, float64(3*i+k)), append(lines[k].Y, float64(3*i+k))
		}
	}
	m := OverSeeds(lines)
	if len(m.X) != mostPlaces || m.X[0] != 1 || m.X[len(m.X)-1] != 14998 || len(m.Breaks) != 0 {
		t.Errorf("%d places from %v to %v, breaks %v", len(m.X), m.X[0], m.X[len(m.X)-1], m.Breaks)
	}
	for i, x := range m.X {
		if math.Abs(m.Mean[i]-x) > 1e-8 {
			t.Fatalf("the mean of three identities is %v at %v", m.Mean[i], x)
		}
	}
}

func TestSeedMeanNote(t *testing.T) {
	line := func(x ...float64) Line { return Line{x, make([]float64, len(x))} }
	for want, lines := range map[string][]Line{
		"": {line(1, 2), line(1, 2)},
		"no mean is drawn: no place has values of 2 of the 2 seeds": {line(1, 2), line(3, 4)},
		"the mean begins at 0 steps with 2 of 3 seeds":              {line(0, 8), line(0, 8), line(4, 8)},
		"values of 1 of 3 seeds from 8400 steps on are not drawn before 10000; the mean ends at 12400 steps with 2 " +
			"of 3 seeds; values of 1 of 3 seeds up to 14000 steps are not drawn": {
			line(8400, 10400, 12400), line(10000, 12000), line(10000, 12000, 14000)},
		"it breaks off where fewer than 2 of 4 seeds have values": {line(0, 1), line(0, 1), line(5, 6), line(5, 6)},
	} {
		m := OverSeeds(lines)
		if got := m.Note("steps"); got != want && !(len(m.Breaks) > 0 && strings.HasSuffix(got, want)) {
			t.Errorf("said %q, want %q", got, want)
		}
	}
	large := OverSeeds([]Line{{[]float64{1, 2}, []float64{1e308, 3}}, {[]float64{1, 2}, []float64{1, 3}}})
	if got := large.Note("steps"); got != "values beyond 1e+300 are left out: 1, the first at 1 steps; values of 1 "+
		"of 2 seeds from 1 steps on are not drawn before 2" {
		t.Errorf("large values: %q", got)
	}
	alone := OverSeeds([]Line{line(1, 2)})
	if got := alone.Note("steps"); got != "" {
		t.Errorf("one seed: %q", got)
	}
}

// One value has no interval, whichever function is asked.
func TestNoIntervalOfOne(t *testing.T) {
	mean := func(m []Scores) float64 { return Mean(slices.Concat(m[0]...)) }
	one, err := Stratified([]Scores{{{5}}}, mean, 0.95, 100, 1)
	if err != nil || one.Known() || one.Mean != 5 || one.String() != "5" {
		t.Errorf("Stratified of one run: %v, %v", one, err)
	}
	if b, err := Bootstrap([][]float64{{5}}, 0.95, 100, 1); err != nil || b.Known() {
		t.Errorf("Bootstrap of one value: %v, %v", b, err)
	}
	if p, err := Profile(Scores{{5}, {6}}, []float64{1}, 0.95, 100, 1); err != nil || p[0].Known() {
		t.Errorf("Profile of one run a family: %v, %v", p, err)
	}
	families, err := Stratified([]Scores{{{5}, {7}}}, mean, 0.95, 100, 1)
	if err != nil || families.Known() {
		t.Errorf("one run a family: %v, %v", families, err)
	}
	mixed, err := Stratified([]Scores{{{5}, {7, 8}}}, mean, 0.95, 100, 1)
	if err != nil || !mixed.Known() || mixed.Lo == mixed.Hi {
		t.Errorf("a family with two runs: %v, %v", mixed, err)
	}
	for n, want := range map[int][2]float64{1: {math.Inf(-1), math.Inf(1)}, 2: {1, 4}, 3: {-6.371, 12.371}} {
		i := SeedInterval([]float64{1, 4, 4}[:n])
		if n == 3 {
			want = [2]float64{3 - 4.302652729749464, 3 + 4.302652729749464} // s = √3, over √3
		}
		if i.N != n || n > 1 && (math.Abs(i.Lo-want[0]) > 1e-9 || math.Abs(i.Hi-want[1]) > 1e-9) ||
			n == 1 && i.Known() {
			t.Errorf("of %d: %v, want %v", n, i, want)
		}
	}
}
