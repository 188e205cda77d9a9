package page

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Browser is a headless Chromium that is controlled by the DevTools protocol
// (https://chromedevtools.github.io/devtools-protocol) over two pipes, so no port is open for others. If this process
// ends, for whatever reason, the pipes close and Chromium ends too.
type Browser struct {
	Patience time.Duration // how long an answer may take; a minute, unless it is set

	ctx      context.Context // ends it
	cmd      *exec.Cmd
	ended    chan struct{} // closed when the process has
	requests *os.File
	answers  *os.File
	read     *bufio.Reader
	last     int                                                  // number of the last request
	event    func(session, method string, params json.RawMessage) // hears of events while an answer is awaited
	profile  string                                               // folder
	complain bytes.Buffer
	forget   func() bool // stops watching the context
}

// SoftwareGPU are flags of a browser whose WebGPU has Chromium's own adapter, SwiftShader, which computes on the
// processor.
var SoftwareGPU = []string{"--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"}

// Start starts the browser's program, whose path Find returns, with an empty profile and these flags. The browser ends
// when ctx is done.
func Start(ctx context.Context, program string, flags ...string) (*Browser, error) {
	profile, err := os.MkdirTemp("", "nacre-chromium-")
	if err != nil {
		return nil, err
	}
	b := &Browser{Patience: time.Minute, ctx: ctx, profile: profile, ended: make(chan struct{})}
	if err := b.start(program, flags); err != nil {
		os.RemoveAll(profile)
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	if err := b.call("", "Browser.getVersion", map[string]any{}, nil); err != nil {
		b.Close()
		return nil, fmt.Errorf("start %s: %w%s", program, err, lastLine(b.complain.String()))
	}
	return b, nil
}

func (b *Browser) start(program string, flags []string) error {
	fromUs, requests, err := os.Pipe()
	if err != nil {
		return err
	}
	defer fromUs.Close()
	answers, toUs, err := os.Pipe()
	if err != nil {
		requests.Close()
		return err
	}
	defer toUs.Close()
	// It opens nothing but notebooks made here, so it may do without its sandbox, which many containers and root lack.
	b.cmd = exec.CommandContext(b.ctx, program, append(slices.Clone(flags), "--headless=new", "--remote-debugging-pipe",
		"--user-data-dir="+b.profile, "--window-size=1280,900",
		"--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
		"--disable-component-update",
		"--disable-sync", "--disable-breakpad", "--no-first-run", "--no-default-browser-check", "about:blank")...)
	b.cmd.ExtraFiles = []*os.File{fromUs, toUs} // 3 and 4, where Chromium looks for them
	b.cmd.Stderr = &b.complain
	b.cmd.WaitDelay = 2 * time.Second
	if err := b.cmd.Start(); err != nil {
		requests.Close()
		answers.Close()
		return err
	}
	b.requests, b.answers, b.read = requests, answers, bufio.NewReader(answers)
	b.forget = context.AfterFunc(b.ctx, func() { _ = answers.SetReadDeadline(time.Unix(1, 0)) })
	go func() {
		_ = b.cmd.Wait()
		close(b.ended)
	}()
	return nil
}

// call makes a request of the browser, or of the page of a session, and waits for its answer.
func (b *Browser) call(session, method string, params, result any) error {
	b.last++
	request, err := json.Marshal(struct {
		ID      int    `json:"id"`
		Session string `json:"sessionId,omitempty"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{b.last, session, method, params})
	if err != nil {
		return err
	}
	late := time.AfterFunc(b.Patience, func() { _ = b.answers.SetReadDeadline(time.Unix(1, 0)) })
	defer late.Stop()
	if _, err := b.requests.Write(append(request, 0)); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	for {
		line, err := b.read.ReadBytes(0)
		if b.ctx.Err() != nil {
			return context.Cause(b.ctx)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return fmt.Errorf("%s: no answer within %v", method, b.Patience)
		}
		if err != nil {
			return fmt.Errorf("%s: the browser is gone: %w", method, err)
		}
		var answer struct {
			ID      int             `json:"id"` // events have none
			Session string          `json:"sessionId"`
			Method  string          `json:"method"` // of an event
			Params  json.RawMessage `json:"params"`
			Result  json.RawMessage `json:"result"`
			Error   *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if err := json.Unmarshal(line[:len(line)-1], &answer); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		if answer.Method != "" && b.event != nil {
			b.event(answer.Session, answer.Method, answer.Params)
		}
		switch {
		case answer.ID != b.last:
			continue
		case answer.Error != nil:
			return fmt.Errorf("%s: %s", method, answer.Error.Message)
		case result == nil:
			return nil
		}
		return json.Unmarshal(answer.Result, result)
	}
}

// Close closes the pipes, so that the browser ends. It kills a browser that still runs after three seconds.
func (b *Browser) Close() {
	b.forget()
	b.requests.Close()
	b.answers.Close()
	select {
	case <-b.ended:
	case <-time.After(3 * time.Second):
		_ = b.cmd.Process.Kill()
		<-b.ended
	}
	os.RemoveAll(b.profile)
}

// Used is processor time in seconds by process.
type Used map[int]float64

// The kinds of a browser's processes.
const (
	Pages = "renderer" // and their workers
	GPU   = "GPU"      // draws, and computes for pages that use WebGPU
)

// Used is the processor time that each process of some kinds has used until now.
func (b *Browser) Used(kinds ...string) (Used, error) {
	var all struct {
		Processes []struct {
			Type string  `json:"type"`
			ID   int     `json:"id"`
			Time float64 `json:"cpuTime"`
		} `json:"processInfo"`
	}
	err := b.call("", "SystemInfo.getProcessInfo", map[string]any{}, &all)
	used := Used{}
	for _, p := range all.Processes {
		if slices.Contains(kinds, p.Type) {
			used[p.ID] = p.Time
		}
	}
	return used, err
}

// Since returns what the processes have used since an earlier look. Those that have ended meanwhile do not count.
func (u Used) Since(earlier Used) float64 {
	sum := 0.0
	for id, t := range u {
		sum += t - earlier[id]
	}
	return sum
}

// Profile is a separate browser profile. Its pages share one cache.
type Profile struct {
	b  *Browser
	id string
}

// NewProfile makes an empty profile.
func (b *Browser) NewProfile() (*Profile, error) {
	var made struct {
		ID string `json:"browserContextId"`
	}
	err := b.call("", "Target.createBrowserContext", map[string]any{}, &made)
	return &Profile{b, made.ID}, err
}

// Drop closes the profile's tabs and forgets it.
func (p *Profile) Drop() error {
	return p.b.call("", "Target.disposeBrowserContext", map[string]any{"browserContextId": p.id}, nil)
}

// Tab is a page.
type Tab struct {
	b               *Browser
	target, session string
}

// Open opens an address in a new tab; it does not wait until the page is there.
func (p *Profile) Open(address string) (*Tab, error) {
	var target struct {
		ID string `json:"targetId"`
	}
	err := p.b.call("", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": p.id}, &target)
	if err != nil {
		return nil, err
	}
	var session struct {
		ID string `json:"sessionId"`
	}
	if err := p.b.call("", "Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true},
		&session); err != nil {
		return nil, err
	}
	var arrived struct {
		Problem string `json:"errorText"`
	}
	if err := p.b.call(session.ID, "Page.navigate", map[string]any{"url": address}, &arrived); err != nil {
		return nil, err
	}
	if arrived.Problem != "" {
		return nil, errors.New(arrived.Problem)
	}
	return &Tab{p.b, target.ID, session.ID}, nil
}

// Close closes the tab and the workers of its page.
func (t *Tab) Close() error {
	return t.b.call("", "Target.closeTarget", map[string]any{"targetId": t.target}, nil)
}

// Eval evaluates an expression in the page, waits for it if it is a promise, and decodes its value as JSON into result.
func (t *Tab) Eval(expression string, result any) error {
	var answer struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text   string `json:"text"`
			Object struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	err := t.b.call(t.session, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true,
		"returnByValue": true}, &answer)
	switch {
	case err != nil:
		return err
	case answer.Exception != nil:
		return fmt.Errorf("the page says: %s", cmp.Or(answer.Exception.Object.Description, answer.Exception.Text))
	case result == nil || answer.Result.Value == nil:
		return nil
	}
	return json.Unmarshal(answer.Result.Value, result)
}

// Errors returns what went wrong in the page's scripts so far: exceptions that nothing caught, and what was written to
// the console as an error.
func (t *Tab) Errors() (list []string, err error) {
	t.b.event = func(session, method string, params json.RawMessage) {
		var e struct {
			Type string `json:"type"`
			Args []struct {
				Value       json.RawMessage `json:"value"`
				Description string          `json:"description"`
			} `json:"args"`
			Details struct {
				Text   string `json:"text"`
				Object struct {
					Description string `json:"description"`
				} `json:"exception"`
			} `json:"exceptionDetails"`
		}
		if session != t.session || json.Unmarshal(params, &e) != nil {
			return
		}
		switch {
		case method == "Runtime.exceptionThrown":
			list = append(list, strings.TrimSpace(e.Details.Text+" "+e.Details.Object.Description))
		case method == "Runtime.consoleAPICalled" && e.Type == "error":
			var words []string
			for _, a := range e.Args {
				words = append(words, cmp.Or(a.Description, string(a.Value)))
			}
			list = append(list, strings.Join(words, " "))
		}
	}
	defer func() { t.b.event = nil }()
	// Switched on, the browser tells all that it has kept before it answers.
	if err := t.b.call(t.session, "Runtime.enable", map[string]any{}, nil); err != nil {
		return nil, err
	}
	return list, t.b.call(t.session, "Runtime.disable", map[string]any{}, nil)
}

// lastLine returns what a program said last, to be put behind an error.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return ": " + last
	}
	return ""
}
