package experiment_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nacre/experiment"
)

var columns = []string{"iteration", "env_steps", "loss"}

func row(i int) experiment.Row {
	return experiment.Row{"iteration": float64(i), "env_steps": float64(i * 1000), "loss": 1 / float64(i+3)}
}

func contents(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestMetricsFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.csv")
	m, err := experiment.NewMetrics(path, "a", "b", "c")
	if err != nil {
		t.Fatal(err)
	}
	values := []float64{0, 1e6, -3, 0.1, 0.30000000000000004, 1e-300, math.MaxFloat64, 1 << 53, math.Copysign(0, -1),
		float64(float32(0.1)), math.Inf(1), math.Inf(-1)}
	for _, v := range values {
		if err := m.Write(experiment.Row{"c": v, "a": 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Write(experiment.Row{"b": math.NaN()}); err != nil {
		t.Fatal(err)
	}
	want := "a,b,c\n1,,0\n1,,1000000\n1,,-3\n1,,0.1\n1,,0.30000000000000004\n1,,1e-300\n1,,1.7976931348623157e+308\n" +
		"1,,9.007199254740992e+15\n1,,-0\n1,,0.10000000149011612\n1,,+Inf\n1,,-Inf\n,NaN,\n"
	if got := contents(t, path); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s, err := experiment.ReadMetrics(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Column("c")
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		if math.Float64bits(c[i]) != math.Float64bits(v) {
			t.Errorf("row %d: read %g, wrote %g", i, c[i], v)
		}
	}
	if b, _ := s.Column("b"); !math.IsNaN(b[0]) || len(b) != len(values)+1 {
		t.Errorf("empty cell read as %g of %d", b[0], len(b))
	}
	if _, err := s.Column("C"); err == nil || !strings.Contains(err.Error(), `did you mean "c"`) {
		t.Errorf("unknown column: %v", err)
	}
	if err := m.Write(experiment.Row{"a": 1, "d": 2}); err == nil ||
		!strings.Contains(err.Error(), `unknown column "d"`) {
		t.Errorf("unknown column: %v", err)
	}
	if m.Position().Rows != len(values)+1 || m.Position().Bytes != int64(len(want)) {
		t.Errorf("position %+v", m.Position())
	}
}

// Whatever was written after the checkpoint, down to a partial line, the continued file equals the uninterrupted one.
func TestResumeIsByteIdentical(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.csv")
	m, err := experiment.NewMetrics(whole, columns...)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if err := m.Write(row(i)); err != nil {
			t.Fatal(err)
		}
	}
	m.Close()

	for _, checkpoint := range []int{0, 1, 7} {
		for _, tail := range []string{"", "8,8000", "8,8000,0.1\n9,9000,0.08\n", "8,8000,0.1\n9"} {
			path := filepath.Join(dir, "broken.csv")
			os.Remove(path)
			m, err := experiment.NewMetrics(path, columns...)
			if err != nil {
				t.Fatal(err)
			}
			for i := range checkpoint {
				m.Write(row(i))
			}
			if err := m.Sync(); err != nil {
				t.Fatal(err)
			}
			at := m.Position()
			m.Close()
			os.WriteFile(path, []byte(contents(t, path)+tail), 0o644)

			if m, err = experiment.ResumeMetrics(path, at, columns...); err != nil {
				t.Fatalf("checkpoint at row %d, tail %q: %v", checkpoint, tail, err)
			}
			for i := checkpoint; i < 20; i++ {
				if err := m.Write(row(i)); err != nil {
					t.Fatal(err)
				}
			}
			m.Close()
			if contents(t, path) != contents(t, whole) {
				t.Errorf("checkpoint at row %d, tail %q: files differ", checkpoint, tail)
			}
		}
	}
}

func TestResumeRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.csv")
	m, err := experiment.NewMetrics(path, columns...)
	if err != nil {
		t.Fatal(err)
	}
	m.Write(row(0))
	m.Write(row(1))
	at := m.Position()
	m.Close()
	before := contents(t, path)
	for what, c := range map[string]struct {
		at      experiment.Position
		columns []string
	}{
		"shorter or was changed": {experiment.Position{Bytes: at.Bytes + 1, Rows: 2}, columns},
		"but the file is":        {experiment.Position{Bytes: at.Bytes - 1, Rows: 2}, columns},
		"2 rows before byte":     {experiment.Position{Bytes: at.Bytes, Rows: 3}, columns},
		"columns are":            {at, []string{"iteration", "loss"}},
	} {
		if _, err := experiment.ResumeMetrics(path, c.at, c.columns...); err == nil ||
			!strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
		if contents(t, path) != before {
			t.Fatalf("%s: the file was changed", what)
		}
	}
	if _, err := experiment.ResumeMetrics(path+".none", at, columns...); !os.IsNotExist(errorCause(err)) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := experiment.NewMetrics(path, columns...); err == nil {
		t.Error("an existing file was written over")
	}
	for _, bad := range [][]string{{}, {""}, {"a", "a"}, {"a,b"}, {"a\nb"}} {
		if _, err := experiment.NewMetrics(path+".new", bad...); err == nil {
			t.Errorf("columns %q were accepted", bad)
		}
	}
}

// errorCause unwraps to the innermost error.
func errorCause(err error) error {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return err
		}
		err = u.Unwrap()
	}
}

func TestReadMetrics(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.csv")
	for text, want := range map[string]string{
		"a,b\n1,2\n3":     "",
		"a,b\n1,2\n3,4":   "",
		"a,b":             "has no header",
		"a,b\r\n1,2\r\n":  "its lines end in CR LF",
		"":                "has no header",
		"a,b\n1,2,3\n":    "m.csv:2: 3 cells; expected 2",
		"a,b\n1,2\nx,1\n": `m.csv:3: a = "x": expected a number`,
		"a,b\n1,2\n1,\n":  "",
		"a,a\n1,2\n":      `column name "a"`,
	} {
		os.WriteFile(path, []byte(text), 0o644)
		s, err := experiment.ReadMetrics(path)
		if want == "" {
			if err != nil || s.Rows[0][0] != 1 || s.Rows[0][1] != 2 {
				t.Errorf("%q: %v, %v", text, s, err)
			}
			if strings.HasPrefix(text, "a,b\n1,2\n3") && len(s.Rows) != 1 {
				t.Errorf("%q: %d rows, want the partial line left out", text, len(s.Rows))
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
