// Package page times how long the notebook page takes to open in a headless Chromium: notebooks that it makes, served
// by the notebook server in this process, opened by a browser that it starts and ends.
//
//	program, err := page.Find()
//	results, err := page.Measure(ctx, page.Options{
//		Chromium: program, Kernel: []string{"nacre", "kernel", "--pipe"}, Static: files,
//		Cells: []int{20, 300}, Loads: 5,
//	})
//	for _, r := range results {
//		fmt.Println(r.Cells, "cells are on the page after", r.Shown, "ms")
//	}
package page

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"nacre/analysis/stats"
	"nacre/internal/loopback"
	"nacre/server"
	"nacre/server/nbformat"
)

// Options says what is measured.
type Options struct {
	Chromium string   // the browser's program
	Kernel   []string // command of a kernel's process; each notebook has one
	Static   fs.FS    // the front end
	Cells    []int    // of each notebook, at least 1
	Loads    int      // of each notebook that count, at least 1; one more before them does not
}

// Result holds what was measured of a notebook. Times are in milliseconds from the start of the navigation, by the
// page's own clock. Every load is in a browser profile of its own, so nothing is in the cache.
type Result struct {
	Cells    int     `json:"cells"`
	Loads    int     `json:"loads"`
	Contents float64 `json:"contents_ms"`      // until the page has the notebook's contents, median
	Shown    float64 `json:"shown_ms"`         // until all cells are in the page, median
	Fastest  float64 `json:"shown_fastest_ms"` // the same, least
}

// Find names the Chromium to use: $NACRE_CHROMIUM, or the first on the PATH.
func Find() (string, error) {
	if named := os.Getenv("NACRE_CHROMIUM"); named != "" {
		return named, nil
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Chromium found: install one, or set NACRE_CHROMIUM to its path")
}

// Measure opens the notebooks one at a time, in rounds: in their order, then in the reverse order, and so on. So a
// notebook does not always follow the same one.
func Measure(ctx context.Context, p Options) ([]Result, error) {
	dir, err := os.MkdirTemp("", "nacre-page-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, cells := range p.Cells {
		if err := writeNotebook(filepath.Join(dir, fileName(cells)), cells); err != nil {
			return nil, err
		}
	}
	address, end, err := serve(p, dir)
	if err != nil {
		return nil, err
	}
	defer end()
	b, err := Start(ctx, p.Chromium)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	loads := make([][]load, len(p.Cells))
	for round := range p.Loads + 1 {
		for k := range p.Cells {
			i := k
			if round%2 == 1 {
				i = len(p.Cells) - 1 - k
			}
			cells := p.Cells[i]
			l, err := b.open(address(fileName(cells)))
			if err != nil {
				return nil, fmt.Errorf("open a notebook of %d cells: %w", cells, err)
			}
			if l.Cells != cells {
				return nil, fmt.Errorf("open a notebook of %d cells: the page shows %d", cells, l.Cells)
			}
			if round > 0 { // the first round starts the kernels and whatever the browser starts at its first page
				loads[i] = append(loads[i], l)
			}
		}
	}
	results := make([]Result, len(p.Cells))
	for i, cells := range p.Cells {
		results[i] = summary(cells, loads[i])
	}
	return results, nil
}

func fileName(cells int) string { return fmt.Sprintf("%d.ipynb", cells) }

// writeNotebook makes a notebook of which every third cell is text with a formula and the others are code that has
// printed a line.
func writeNotebook(file string, cells int) error {
	nb := nbformat.New(server.SpecName, server.DisplayName, "go")
	for i := range cells {
		c := nbformat.NewCode(fmt.Sprintf("cell-%d", i), fmt.Sprintf("fmt.Println(%d)", i))
		if i%3 == 0 {
			c = nbformat.Cell{"cell_type": "markdown", "id": c.ID(), "metadata": map[string]any{},
				"source": fmt.Sprintf("## Section %d\n\nText with $x_{%d}$ and *emphasis*.", i, i)}
		} else {
			c["execution_count"] = i
			c["outputs"] = []any{map[string]any{"output_type": "stream", "name": "stdout", "text": fmt.Sprintln(i)}}
		}
		nb.Insert(i, c)
	}
	b, err := nb.Marshal()
	if err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o644)
}

// serve starts a server of a folder. Address is where a browser opens a notebook; end ends the server and its kernels.
func serve(p Options, dir string) (address func(notebook string) string, end func(), err error) {
	s, err := server.New(server.Config{Dir: dir, Kernel: p.Kernel, Static: p.Static,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, nil, err
	}
	l, err := loopback.Listen()
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(ctx, l) // the page says what does not work
	}()
	end = func() {
		cancel()
		<-done
		s.Close()
	}
	return func(notebook string) string { return s.URL(l.Addr(), notebook) }, end, nil
}

// load holds what the page says of one load, by the marks it sets (web/src/notebook/open.ts).
type load struct {
	Contents float64 `json:"contents"`
	Shown    float64 `json:"shown"`
	Cells    int     `json:"cells"`
}

// measured waits in the page until it is connected to its kernel, so that the next load has the machine to itself.
const measured = `new Promise((done, fail) => {
	const at = mark => performance.getEntriesByName(mark)[0].startTime;
	const look = () => {
		const problem = document.querySelector('.problem');
		if (problem) fail(new Error(problem.innerText));
		else if (document.body?.dataset.ready !== 'yes') setTimeout(look, 20);
		else done({ contents: at('nacre.contents'), shown: at('nacre.shown'), cells: document.querySelectorAll('.cell').length });
	};
	look();
})`

// open loads a page in a new profile and drops the profile.
func (b *Browser) open(address string) (l load, err error) {
	p, err := b.NewProfile()
	if err != nil {
		return l, err
	}
	defer func() {
		if dropped := p.Drop(); err == nil {
			err = dropped
		}
	}()
	t, err := p.Open(address)
	if err != nil {
		return l, err
	}
	return l, t.Ready(&l)
}

// Ready waits until the tab shows a notebook, and is an error with what the page says if it cannot. Its marks go to
// result, which may be nil.
func (t *Tab) Ready(result any) error { return t.Eval(measured, result) }

func summary(cells int, loads []load) Result {
	contents, shown := make([]float64, len(loads)), make([]float64, len(loads))
	for i, l := range loads {
		contents[i], shown[i] = l.Contents, l.Shown
	}
	return Result{Cells: cells, Loads: len(loads), Contents: stats.Median(contents), Shown: stats.Median(shown),
		Fastest: slices.Min(shown)}
}
