package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
)

// Line is the curve of one seed: values Y at places X, such as returns at environment steps.
type Line struct {
	X, Y []float64
}

// SeedMean is the mean of several seeds' lines, at the places X. N is the number of seeds with a value at each place,
// and Seeds the number of seeds with any value. Lo and Hi are SeedInterval, and Least and Most the range of the seeds;
// all four are nil if there is one seed. For each index i in Breaks there is no mean between the places i−1 and i.
type SeedMean struct {
	X, Mean, Lo, Hi, Least, Most []float64

	N, Breaks []int
	Seeds     int
	starts    []float64 // starts of every seed's line, sorted
	ends      []float64 // the same
	beyond    []float64 // places of finite values that do not count because they are too large
}

// MostSize is the size of the largest value that counts in a mean over seeds. So intervals are finite and can be drawn.
const MostSize = 1e300

// mostPlaces bounds how many places a mean is computed at.
const mostPlaces = 2000

// OverSeeds is the mean of the lines of several seeds. docs/tables.md states the rule, and testdata/seeds.json has test
// cases. The page of runs computes the same (web/src/runs/seedmean.ts):
//
//   - A point without a finite place and value is left out, and so is a value beyond ±1e300. Points are taken in the
//     order of their places. If several points have the same place, the last counts. A line without points is no seed.
//   - The places are those of all lines. A line is straight between its points. It has no value before its first point
//     and after its last point.
//   - There is a mean at a place if at least half of the seeds, and at least two, have a value there. A single seed is
//     its own mean.
//   - If there are more than 2,000 places, the first, the last and evenly spaced places are taken.
func OverSeeds(lines []Line) SeedMean {
	var used []Line
	m := SeedMean{}
	for _, l := range lines {
		for i, v := range l.Y[:min(len(l.X), len(l.Y))] {
			if beyond(v) {
				m.beyond = append(m.beyond, l.X[i])
			}
		}
		if l = l.ordered(); len(l.X) > 0 {
			used = append(used, l)
		}
	}
	m.Seeds = len(used)
	for _, l := range used {
		m.starts, m.ends = append(m.starts, l.X[0]), append(m.ends, l.X[len(l.X)-1])
	}
	slices.Sort(m.starts)
	slices.Sort(m.ends)
	if len(used) == 1 {
		m.X, m.Mean = used[0].X, used[0].Y
		m.N = slices.Repeat([]int{1}, len(m.X))
		return m
	}
	m.places(used)
	for _, x := range m.X {
		var v []float64
		for _, l := range used {
			if l.spans(x, x) {
				v = append(v, l.at(x))
			}
		}
		i := SeedInterval(v)
		m.Mean, m.Lo, m.Hi, m.N = append(m.Mean, i.Mean), append(m.Lo, i.Lo), append(m.Hi, i.Hi), append(m.N, len(v))
		m.Least, m.Most = append(m.Least, slices.Min(v)), append(m.Most, slices.Max(v))
	}
	return m
}

// UpTo is the mean up to a place, as if no points beyond the place were known.
func (m SeedMean) UpTo(end float64) SeedMean {
	n, _ := slices.BinarySearch(m.X, math.Nextafter(end, math.Inf(1)))
	if 0 < n && n < len(m.X) {
		end = m.X[n-1]
	}
	for _, v := range []*[]float64{&m.X, &m.Mean, &m.Lo, &m.Hi, &m.Least, &m.Most} {
		*v = (*v)[:min(n, len(*v))]
	}
	b, _ := slices.BinarySearch(m.Breaks, n)
	m.N, m.Breaks, m.ends = m.N[:n], m.Breaks[:b], slices.Clone(m.ends)
	for k, e := range m.ends {
		m.ends[k] = min(e, end)
	}
	return m
}

// ordered is the line of the points that count.
func (l Line) ordered() (out Line) {
	at, _ := l.Counted("")
	for _, i := range at {
		out.X, out.Y = append(out.X, l.X[i]), append(out.Y, l.Y[i])
	}
	return out
}

// Counted returns the indices of the points that are used in a mean over seeds: those with a finite x and a y within
// ±MostSize, in the order of x. Of several points with one x the last is used. The result left is a sentence about
// finite values that are not used, or empty. The argument places is this sentence's word for x, such as "env_steps".
func (l Line) Counted(places string) (at []int, left string) {
	var large []float64
	for i := range min(len(l.X), len(l.Y)) {
		switch {
		case !finite(l.X[i]):
		case beyond(l.Y[i]):
			large = append(large, l.X[i])
		case finite(l.Y[i]):
			at = append(at, i)
		}
	}
	slices.SortStableFunc(at, func(i, j int) int { return cmp.Compare(l.X[i], l.X[j]) })
	var once []int
	var again []float64
	for k, i := range at {
		if k+1 == len(at) || l.X[at[k+1]] != l.X[i] {
			once = append(once, i)
		} else {
			again = append(again, l.X[i])
		}
	}
	var parts []string
	if len(again) > 0 {
		parts = append(parts, fmt.Sprintf("of several values at one place the last counts: %d are left out, the first "+
			"at %s %s", len(again), plain(again[0]), places))
	}
	if len(large) > 0 {
		parts = append(parts, sayBeyond(large, places))
	}
	return once, strings.Join(parts, "; ")
}

// beyond reports whether a value is finite and does not count because it is too large.
func beyond(v float64) bool { return finite(v) && math.Abs(v) > MostSize }

func sayBeyond(at []float64, places string) string {
	return fmt.Sprintf("values beyond %g are left out: %d, the first at %s %s", MostSize, len(at), plain(at[0]), places)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// spans reports whether the line, which has points, reaches from one place to another.
func (l Line) spans(from, to float64) bool { return l.X[0] <= from && to <= l.X[len(l.X)-1] }

// at is the value at a place that the line spans.
func (l Line) at(x float64) float64 {
	i, found := slices.BinarySearch(l.X, x)
	if found {
		return l.Y[i]
	}
	share := (x - l.X[i-1]) / (l.X[i] - l.X[i-1])
	return l.Y[i-1] + share*(l.Y[i]-l.Y[i-1])
}

// needed is how many of the seeds a mean needs.
func (m *SeedMean) needed() int { return max(2, (m.Seeds+1)/2) }

// places finds where there is a mean, and where it breaks off.
func (m *SeedMean) places(lines []Line) {
	var all, starts []float64
	for _, l := range lines {
		all, starts = append(all, l.X...), append(starts, l.X[0])
	}
	slices.Sort(all)
	slices.Sort(starts)
	enough := func(from, to float64) bool { // a line that does not begin by from ends after to: all places lie outside
		begun := sort.Search(len(starts), func(i int) bool { return starts[i] > from })
		ended := sort.Search(len(m.ends), func(i int) bool { return m.ends[i] >= to })
		return begun-ended >= m.needed()
	}
	all = slices.DeleteFunc(slices.Compact(all), func(x float64) bool { return !enough(x, x) })
	broken := false
	for k, x := range all {
		broken = broken || k > 0 && !enough(all[k-1], x)
		if !taken(k, len(all)) {
			continue
		}
		if broken {
			m.Breaks = append(m.Breaks, len(m.X))
		}
		m.X, broken = append(m.X, x), false
	}
}

// taken reports whether the k-th of n places is among the mostPlaces evenly spaced ones.
func taken(k, n int) bool {
	if n <= mostPlaces {
		return true
	}
	place := func(i int) int { return i * (n - 1) / (mostPlaces - 1) }
	i := (k*(mostPlaces-1) + n - 2) / (n - 1) // the first whose place is k or beyond
	return place(i) == k
}

// Note says in a sentence where seeds and values are missing from the mean; it is empty if none is missing. The
// argument places is the word that the sentence uses for the places, such as "env_steps".
func (m *SeedMean) Note(places string) string {
	said := m.noteSeeds(places)
	if len(m.beyond) == 0 {
		return said
	}
	return strings.TrimSuffix(sayBeyond(m.beyond, places)+"; "+said, "; ")
}

// noteSeeds is Note for seeds.
func (m *SeedMean) noteSeeds(places string) string {
	if m.Seeds < 2 {
		return ""
	}
	if len(m.X) == 0 {
		return fmt.Sprintf("no mean is drawn: no place has values of %d of the %d seeds", m.needed(), m.Seeds)
	}
	var parts []string
	first, last := m.X[0], m.X[len(m.X)-1]
	if n := m.N[0]; n < m.Seeds && m.starts[len(m.starts)-1] > first+0.05*(last-first) {
		parts = append(parts, fmt.Sprintf("the mean begins at %s %s with %d of %d seeds", plain(first), places,
			n, m.Seeds))
	}
	before := 0
	for _, start := range m.starts {
		if start < first-0.05*(last-first) {
			before++
		}
	}
	if before > 0 {
		parts = append(parts, fmt.Sprintf("values of %d of %d seeds from %s %s on are not drawn before %s", before,
			m.Seeds, plain(m.starts[0]), places, plain(first)))
	}
	if n := m.N[len(m.N)-1]; n < m.Seeds {
		parts = append(parts, fmt.Sprintf("the mean ends at %s %s with %d of %d seeds", plain(last), places,
			n, m.Seeds))
	}
	after := 0
	for _, end := range m.ends {
		if end > last+0.05*(last-first) {
			after++
		}
	}
	if after > 0 {
		parts = append(parts, fmt.Sprintf("values of %d of %d seeds up to %s %s are not drawn", after, m.Seeds,
			plain(m.ends[len(m.ends)-1]), places))
	}
	if len(m.Breaks) > 0 {
		parts = append(parts, fmt.Sprintf("it breaks off where fewer than %d of %d seeds have values",
			m.needed(), m.Seeds))
	}
	return strings.Join(parts, "; ")
}

// plain writes a place without an exponent.
func plain(x float64) string {
	if x == math.Trunc(x) {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.6g", x)
}

// SeedInterval is the interval around the mean over seeds, with one value per seed, as curves show it. For three or
// more seeds it is Student's 95 % interval. For two seeds it is their range. For one seed it is unknown, with infinite
// ends.
func SeedInterval(x []float64) Interval {
	i := MeanInterval(x)
	if len(x) == 2 {
		i.Lo, i.Hi, i.Level = min(x[0], x[1]), max(x[0], x[1]), 1
	}
	return i
}
