package page

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nacre/kernel/kerneltest"
	"nacre/server/process"
	"nacre/web"
)

// The test program is its own kernel.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "kernel" {
		_ = process.Serve(context.Background(), &kerneltest.Session{})
		return
	}
	os.Exit(m.Run())
}

func TestMeasure(t *testing.T) {
	program, err := Find()
	if err != nil {
		t.Skip(err)
	}
	files, built := web.Files()
	if !built {
		t.Skip("the front end is not built: run make web")
	}
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	// A page that shows another number of cells is an error of Measure.
	results, err := Measure(t.Context(), Options{Chromium: program, Kernel: []string{os.Args[0], "kernel"},
		Static: files, Cells: []int{20}, Loads: 1})
	if err != nil {
		t.Fatal(err)
	}
	r := results[0]
	if len(results) != 1 || r.Cells != 20 || r.Loads != 1 || !(0 < r.Contents && r.Contents <= r.Shown) ||
		r.Fastest != r.Shown {
		t.Errorf("%+v", results)
	}
	left, err := filepath.Glob(filepath.Join(tmp, "nacre-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}

// Errors are told whenever one asks, of this tab only.
func TestErrors(t *testing.T) {
	program, err := Find()
	if err != nil {
		t.Skip(err)
	}
	b, err := Start(t.Context(), program)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	profile, err := b.NewProfile()
	if err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]string{
		"console.log('fine'); console.warn('well')":                        "",
		"console.error('bad', 7, new Error('told')); Promise.reject('no')": `"bad" 7 Error: told|Uncaught (in promise)`,
		"setTimeout(() => { throw new RangeError('thrown') })":             "Uncaught RangeError: thrown",
	} {
		tab, err := profile.Open("data:text/html,<script>" + url.PathEscape(script) + "</script>")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := tab.Eval("new Promise(done => setTimeout(done, 100))", nil); err != nil {
				t.Fatal(err)
			}
			list, err := tab.Errors()
			for i := range list {
				list[i], _, _ = strings.Cut(list[i], "\n")
			}
			if got := strings.Join(list, "|"); got != want || err != nil {
				t.Errorf("%s: %q, %v; want %q", script, got, err, want)
			}
		}
	}
}

func TestFind(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("NACRE_CHROMIUM", "")
	if program, err := Find(); err == nil || !strings.Contains(err.Error(), "no Chromium found") {
		t.Errorf("without a browser: %q, %v", program, err)
	}
	t.Setenv("NACRE_CHROMIUM", "/opt/mine")
	if program, err := Find(); program != "/opt/mine" || err != nil {
		t.Errorf("a browser that is named: %q, %v", program, err)
	}
}

// A program that is no Chromium is an error that has what it said.
func TestNotABrowser(t *testing.T) {
	script := filepath.Join(t.TempDir(), "chromium")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho missing a library >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), script)
	if err == nil || !strings.Contains(err.Error(), "missing a library") {
		t.Errorf("got %v", err)
	}
	if _, err := Start(t.Context(), script+"-gone"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a program that is not there: %v", err)
	}
}

// A browser that does not answer ends with the context.
func TestStopped(t *testing.T) {
	script := filepath.Join(t.TempDir(), "chromium")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexec sleep 100\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	stopped := errors.New("stopped")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, stopped)
	defer cancel()
	if _, err := Start(ctx, script); !errors.Is(err, stopped) {
		t.Errorf("got %v", err)
	}
}

// Of 5, 1, 3 the median is 3 and the least 1; of 2, 4 the median is 3.
func TestSummary(t *testing.T) {
	got := summary(9, []load{{5, 50, 9}, {1, 10, 9}, {3, 30, 9}})
	if want := (Result{Cells: 9, Loads: 3, Contents: 3, Shown: 30, Fastest: 10}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := summary(9, []load{{2, 20, 9}, {4, 40, 9}}); got.Contents != 3 || got.Shown != 30 {
		t.Errorf("of two: %+v", got)
	}
}
