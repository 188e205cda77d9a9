package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"nacre/bench/page"
)

// What is counted of the notebooks of a folder.
const (
	files     = "files"
	opened    = "opened"
	exact     = "canonical"  // as the format's own library writes them
	exactKept = "kept"       // of these, after both saves
	otherKept = "other_kept" // of the others
	sameKept  = "same"       // of the others that came back with other bytes, those with the same values
	shown     = "shown"
	scripts   = "scripts" // pages with errors of scripts
)

type counts map[string]int

func (c counts) add(d counts) {
	for k, n := range d {
		c[k] += n
	}
}

// trial is a server of a copy of the folder, and a browser.
type trial struct {
	from, dir string
	base      string // the server's address, which ends with a slash
	token     string
	server    *exec.Cmd
	browser   *page.Browser
	cancel    context.CancelFunc
}

var serverAddress = regexp.MustCompile(`http://[^/\s]+/`)

func start(ctx context.Context, nacre, from string) (t *trial, err error) {
	ctx, cancel := context.WithCancel(ctx)
	t = &trial{from: from, token: rand.Text(), cancel: cancel}
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	if t.dir, err = os.MkdirTemp("", "nacre-notebooks-"); err != nil {
		return nil, err
	}
	// No cell runs, so nothing is to be compiled for cells.
	t.server = exec.CommandContext(ctx, nacre, "notebook", t.dir, "--port", "0", "--engine", "yaegi")
	t.server.Env = append(os.Environ(), "NACRE_TOKEN="+t.token)
	t.server.Cancel = func() error { return t.server.Process.Signal(os.Interrupt) }
	t.server.WaitDelay = 10 * time.Second
	said, err := t.server.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err = t.server.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(said)
	for t.base == "" {
		line, err := lines.ReadString('\n')
		if t.base = serverAddress.FindString(line); err != nil && t.base == "" {
			return nil, fmt.Errorf("%s notebook named no address: %w", nacre, err)
		}
	}
	go io.Copy(io.Discard, lines)
	program, err := page.Find()
	if err != nil {
		return nil, err
	}
	t.browser, err = page.Start(ctx, program)
	return t, err
}

func (t *trial) close() {
	if t.browser != nil {
		t.browser.Close()
	}
	t.cancel()
	if t.server != nil && t.server.Process != nil {
		_ = t.server.Wait()
	}
	_ = os.RemoveAll(t.dir)
}

// outcome is what came of one notebook.
type outcome struct {
	counts   counts
	problems []string
}

func (o *outcome) problem(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if r := []rune(text); len(r) > 400 {
		text = string(r[:400]) + "…"
	}
	o.problems = append(o.problems, text)
}

// try opens and saves a notebook, by the interface and by the page. An error is one of the server or the browser.
func (t *trial) try(name string) (o outcome, err error) {
	before, err := copyFile(t.from, t.dir, name)
	if err != nil {
		return o, err
	}
	o.counts = counts{files: 1}
	path := "api/contents/" + escaped(name)
	var model struct {
		Content json.RawMessage `json:"content"`
		Older   int             `json:"converted_from"`
		Message string          `json:"message"`
	}
	status, err := t.ask("GET", path+"?type=notebook&content=1", nil, &model)
	if err != nil {
		return o, err
	}
	if status != http.StatusOK {
		o.problem("not opened: %s", model.Message)
	} else {
		o.counts[opened] = 1
		body := map[string]any{"type": "notebook", "format": "json", "content": model.Content}
		if status, err = t.ask("PUT", path, body, &model); err != nil {
			return o, err
		}
		if status != http.StatusOK && status != http.StatusCreated {
			o.problem("not saved: %s", model.Message)
		}
	}
	if err := t.inPage(name, model.Older == 0, &o); err != nil {
		return o, err
	}
	after, err := os.ReadFile(filepath.Join(t.dir, filepath.FromSlash(name)))
	if err != nil {
		return o, err
	}
	t.compare(before, after, &o)
	return o, os.Remove(filepath.Join(t.dir, filepath.FromSlash(name)))
}

func (t *trial) compare(before, after []byte, o *outcome) {
	if o.counts[opened] == 0 {
		if !bytes.Equal(before, after) {
			o.problem("refused, and changed")
		}
		return
	}
	is, equal := canonical(before), bytes.Equal(before, after)
	switch {
	case is && equal:
		o.counts[exactKept]++
	case equal:
		o.counts[otherKept]++
	case is:
		o.problem("canonical, and changed: %s", difference(before, after))
	default:
		if sameJSON(before, after) {
			o.counts[sameKept]++
		}
		o.problem("changed, the same values %v: %s", sameJSON(before, after), difference(before, after))
	}
	if is {
		o.counts[exact]++
	}
}

// difference shows two files where they begin to differ.
func difference(a, b []byte) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	near := func(x []byte) []byte { return x[max(0, n-20):min(len(x), n+30)] }
	return fmt.Sprintf("byte %d: %q, %q", n, near(a), near(b))
}

// inPage opens a notebook in the browser and saves it there, if its format is one that the page saves unasked.
func (t *trial) inPage(name string, saves bool, o *outcome) (err error) {
	p, err := t.browser.NewProfile()
	if err != nil {
		return err
	}
	defer func() {
		if dropped := p.Drop(); err == nil {
			err = dropped
		}
		if ended := t.endKernels(); err == nil {
			err = ended
		}
	}()
	tab, err := p.Open(t.base + "notebooks/" + escaped(name) + "?token=" + t.token)
	if err != nil {
		return err
	}
	ready := tab.Ready(nil)
	if (ready == nil) != (o.counts[opened] == 1) {
		o.problem("the page: %v", ready)
	}
	if ready == nil {
		o.counts[shown] = 1
		// What is drawn when it comes into view comes into view.
		var saved bool
		err := tab.Eval(`(async () => {
			for (const c of document.querySelectorAll('.cell')) {
				c.scrollIntoView();
				await new Promise(done => setTimeout(done, 10));
			}
			await new Promise(done => setTimeout(done, 200));
			return nacre.saving.save();
		})()`, &saved)
		if err != nil {
			return err
		}
		if saved != saves {
			o.problem("the page's save: %v, expected %v", saved, saves)
		}
	}
	list, err := tab.Errors()
	if err != nil {
		return err
	}
	if len(list) > 0 {
		o.counts[scripts] = 1
		o.problem("%d errors of scripts, the first: %s", len(list), list[0])
	}
	return nil
}

// endKernels ends the kernels that the page began.
func (t *trial) endKernels() error {
	var sessions []struct {
		ID string `json:"id"`
	}
	if _, err := t.ask("GET", "api/sessions", nil, &sessions); err != nil {
		return err
	}
	for _, s := range sessions {
		if _, err := t.ask("DELETE", "api/sessions/"+s.ID, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// ask sends a request and decodes the answer, which may be an error of the server's.
func (t *trial) ask(method, path string, body, answer any) (status int, err error) {
	var text io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return 0, err
		}
		text = bytes.NewReader(b)
	}
	req, err := http.NewRequest(method, t.base+path, text)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "token "+t.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil || answer == nil {
		return res.StatusCode, err
	}
	if err := json.Unmarshal(data, answer); err != nil {
		return res.StatusCode, fmt.Errorf("%s %s: %w: %.200s", method, path, err, data)
	}
	return res.StatusCode, nil
}

func escaped(name string) string {
	parts := strings.Split(name, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}
