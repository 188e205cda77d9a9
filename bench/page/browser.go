package page

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// browser is a headless Chromium that is spoken to by the DevTools protocol (https://chromedevtools.github.io/devtools-protocol)
// over two pipes: no port is open for others, and a Chromium whose pipe is closed ends, however this process ended.
type browser struct {
	ctx      context.Context // ends it
	cmd      *exec.Cmd
	ended    chan struct{} // closed when the process has
	requests *os.File
	answers  *os.File
	read     *bufio.Reader
	last     int    // number of the last request
	profile  string // folder
	complain bytes.Buffer
	forget   func() bool // stops watching the context
}

// startBrowser starts a browser with an empty profile. It ends when ctx is done.
func startBrowser(ctx context.Context, program string) (*browser, error) {
	profile, err := os.MkdirTemp("", "nacre-chromium-")
	if err != nil {
		return nil, err
	}
	b := &browser{ctx: ctx, profile: profile, ended: make(chan struct{})}
	if err := b.start(program); err != nil {
		os.RemoveAll(profile)
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	if err := b.call("", "Browser.getVersion", map[string]any{}, nil); err != nil {
		b.close()
		return nil, fmt.Errorf("start %s: %w%s", program, err, lastLine(b.complain.String()))
	}
	return b, nil
}

func (b *browser) start(program string) error {
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
	b.cmd = exec.CommandContext(b.ctx, program, "--headless=new", "--remote-debugging-pipe", "--user-data-dir="+b.profile, "--window-size=1280,900",
		"--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-breakpad", "--no-first-run", "--no-default-browser-check", "about:blank")
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
func (b *browser) call(session, method string, params, result any) error {
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
	late := time.AfterFunc(patience, func() { _ = b.answers.SetReadDeadline(time.Unix(1, 0)) })
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
			return fmt.Errorf("%s: no answer within %v", method, patience)
		}
		if err != nil {
			return fmt.Errorf("%s: the browser is gone: %w", method, err)
		}
		var answer struct {
			ID     int             `json:"id"` // events have none
			Result json.RawMessage `json:"result"`
			Error  *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if err := json.Unmarshal(line[:len(line)-1], &answer); err != nil {
			return fmt.Errorf("%s: %w", method, err)
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

// close ends the browser: closed pipes ask it to, and what is still there after three seconds is killed.
func (b *browser) close() {
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

// lastLine is what a program said last, to be put behind an error.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return ": " + last
	}
	return ""
}
