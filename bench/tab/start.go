package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"nacre/analysis/stats"
	"nacre/bench/page"
)

// started is how long a page took to a cell's value; milliseconds are medians.
type started struct {
	Cache   string  `json:"cache"` // empty or full
	Loads   int     `json:"loads"`
	Shown   float64 `json:"shown_ms"`  // until the notebook is in the page
	Kernel  float64 `json:"kernel_ms"` // until the kernel takes messages
	Value   float64 `json:"value_ms"`  // until the cell's value is there
	Fastest float64 `json:"value_fastest_ms"`
	CPU     float64 `json:"cpu_ms"` // processor time of all threads until then
}

// firstValue runs 1 + 1 in the first cell of code as soon as the notebook is there.
const firstValue = `new Promise((done, fail) => {
	let asked = false, first = 0;
	const at = mark => performance.getEntriesByName(mark)[0]?.startTime ?? 0;
	const look = () => {
		const problem = document.querySelector('.problem');
		if (problem) return fail(new Error(problem.innerText));
		const cells = window.nacre?.notebook?.cells;
		if (cells?.length && document.body.dataset.ready === 'yes' && !asked) {
			asked = true;
			first = cells.findIndex(c => c.type === 'code');
			cells[first].setSource('1 + 1');
			nacre.running.range(first, first + 1);
		}
		if (asked && cells[first].outputs.length && cells[first].state === 'idle') {
			return done({ value: performance.now(), shown: at('nacre.shown'), kernel: at('nacre.kernel'), text: JSON.stringify(cells[first].outputs) });
		}
		setTimeout(look, 4);
	};
	look();
})`

func starts(ctx context.Context, chromium, site, notebook string, loads int) error {
	if _, err := os.Stat(filepath.Join(site, "site.json")); err != nil {
		return errors.New("there is no site in " + site + ": run make site, or name one with -site")
	}
	b, err := page.Start(ctx, chromium)
	if err != nil {
		return err
	}
	defer b.Close()
	address, end, err := serve(http.FileServer(http.Dir(site)))
	if err != nil {
		return err
	}
	defer end()
	empty, full := &started{Cache: "empty"}, &started{Cache: "full"}
	times := map[*started][4][]float64{}
	for round := range loads + 1 {
		p, err := b.NewProfile()
		if err != nil {
			return err
		}
		for _, s := range []*started{empty, full} {
			t, err := load(b, p, address+"?"+notebook)
			if err != nil {
				return err
			}
			if round > 0 { // what the browser starts at its first page does not count
				all := times[s]
				for i := range all {
					all[i] = append(all[i], t[i])
				}
				times[s] = all
			}
		}
		if err := p.Drop(); err != nil {
			return err
		}
	}
	for _, s := range []*started{empty, full} {
		t := times[s]
		s.Loads, s.Shown, s.Kernel = loads, stats.Median(t[0]), stats.Median(t[1])
		s.Value, s.CPU = stats.Median(t[2]), stats.Median(t[3])
		s.Fastest = slices.Min(t[2])
		if err := print(s); err != nil {
			return err
		}
	}
	return nil
}

// load returns when the notebook was shown, when the kernel was ready, when the value was there, and the processor
// time.
func load(b *page.Browser, p *page.Profile, address string) (times [4]float64, err error) {
	before, err := b.Used(page.Pages)
	if err != nil {
		return times, err
	}
	t, err := p.Open(address)
	if err != nil {
		return times, err
	}
	var l struct {
		Value, Shown, Kernel float64
		Text                 string
	}
	if err := t.Eval(firstValue, &l); err != nil {
		return times, err
	}
	after, err := b.Used(page.Pages)
	if err != nil {
		return times, err
	}
	if err := value(l.Text); err != nil {
		return times, err
	}
	return [4]float64{l.Shown, l.Kernel, l.Value, 1000 * after.Since(before)}, t.Close()
}

// value is an error unless a cell's outputs hold the value of 1 + 1.
func value(outputs string) error {
	var list []struct {
		Data map[string]any `json:"data"`
	}
	if err := json.Unmarshal([]byte(outputs), &list); err != nil {
		return err
	}
	if len(list) != 1 || list[0].Data["text/plain"] != "2" {
		return fmt.Errorf("the cell 1 + 1 has the outputs %s", outputs)
	}
	return nil
}
