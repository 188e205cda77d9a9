package runs

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"nacre/internal/whole"
)

// fields holds the fields of every run, by the names that filters and columns use.
var fields = map[string]func(r *Run) string{
	"path": func(r *Run) string { return r.Path }, "group": func(r *Run) string { return r.Group },
	"algorithm": func(r *Run) string { return r.Algorithm }, "family": func(r *Run) string { return r.Family },
	"preset": func(r *Run) string {
		return r.Preset
	}, "seed": func(r *Run) string { return strconv.FormatUint(r.Seed, 10) },
	"state": func(r *Run) string { return string(r.State) }, "device": func(r *Run) string { return r.Device },
	"iterations": func(r *Run) string { return strconv.Itoa(r.Iterations) },
	"seconds": func(r *Run) string {
		return number(r.Seconds)
	}, "share": func(r *Run) string { return number(r.Share) },
	"changed": func(r *Run) string { return r.Changed.UTC().Format("2006-01-02 15:04:05") },
	"started": func(r *Run) string { return r.Started.UTC().Format("2006-01-02 15:04:05") },
	"tag":     func(r *Run) string { return strings.Join(r.Note.Tags, ", ") },
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// Value returns, as text, a field of a run, a setting by its dotted key, or the last number in a column of the metrics.
// It is empty if the run has no such value.
func (r *Run) Value(key string) string {
	if f := fields[key]; f != nil {
		return f(r)
	}
	if v, ok := r.Settings[key]; ok {
		return strings.Trim(v, `"`)
	}
	if v, ok := r.Latest[key]; ok {
		return number(float64(v))
	}
	return ""
}

// Has reports whether the value of key is want; numbers may be written in any way. For tags it reports whether the run
// has the tag.
func (r *Run) Has(key, want string) bool {
	if key == "tag" {
		return slices.Contains(r.Note.Tags, want)
	}
	v := r.Value(key)
	return v == want || r.isNumber(key) && sameNumber(v, want)
}

// isNumber reports whether the values of a key are numbers rather than texts.
func (r *Run) isNumber(key string) bool {
	if fields[key] != nil {
		return slices.Contains([]string{"seed", "iterations", "seconds", "share"}, key)
	}
	return !strings.HasPrefix(r.Settings[key], `"`)
}

func sameNumber(a, b string) bool {
	n, whole1 := whole.Of(a)
	m, whole2 := whole.Of(b)
	if whole1 && whole2 {
		return n.Cmp(m) == 0
	}
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err == nil && err2 == nil && x == y
}

// Compare orders runs by a value: numbers by size, other texts by letter. Runs without the value come last.
func Compare(a, b *Run, key string) int {
	v, w := a.Value(key), b.Value(key)
	if v == "" || w == "" {
		return cmp.Compare(w, v)
	}
	x, err := strconv.ParseFloat(v, 64)
	y, err2 := strconv.ParseFloat(w, 64)
	if err != nil || err2 != nil {
		return cmp.Compare(v, w)
	}
	return cmp.Compare(x, y)
}

// Fields lists, sorted, the names for which Value returns something in any of the runs.
func Fields(list []*Run) []string {
	known := map[string]bool{}
	for k := range fields {
		known[k] = true
	}
	for _, r := range list {
		for k := range r.Settings {
			known[k] = true
		}
		for k := range r.Latest {
			known[k] = true
		}
	}
	return sorted(known)
}
