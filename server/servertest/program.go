package servertest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// patience is how long a program has to say where it serves, and to end.
const patience = time.Minute

// Process is a notebook server in a process of its own.
type Process struct {
	Host  string // host:port
	Token string

	cmd   *exec.Cmd
	log   log
	ended chan struct{}
}

// log keeps what is written.
type log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Start starts a program as "notebook --port 0 ARGS... FOLDER" and waits until it serves. Path, environment and first
// arguments are those of the command. The program logs at --log-level info.
func Start(cmd *exec.Cmd, folder string, args ...string) (*Process, error) {
	p := &Process{cmd: cmd, ended: make(chan struct{})}
	cmd.Args = append(append(cmd.Args, "notebook", "--engine", "yaegi", "--port", "0", "--log-level", "info"),
		append(args, folder)...)
	cmd.Stderr = &p.log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	address := make(chan string, 1)
	go func() {
		defer close(p.ended)
		lines := bufio.NewReader(out)
		line, _ := lines.ReadString('\n')
		address <- strings.TrimSpace(line)
		_, _ = io.Copy(io.Discard, lines)
		_ = cmd.Wait()
	}()
	select {
	case line := <-address:
		u, err := url.Parse(line)
		if err == nil && u.Host != "" {
			p.Host, p.Token = u.Host, u.Query().Get("token")
			return p, nil
		}
	case <-time.After(patience):
	}
	p.Stop()
	return nil, fmt.Errorf("%s does not say where it serves: %s", cmd, p.log.String())
}

// PID is the number of the server's process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Log returns what the server has written to standard error so far.
func (p *Process) Log() string { return p.log.String() }

// Stop asks the server to end, and kills it if it does not within a minute; that is an error.
func (p *Process) Stop() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
		return nil
	case <-time.After(patience):
	}
	_ = p.cmd.Process.Kill()
	<-p.ended
	return errors.New("the server did not end within a minute of SIGTERM")
}

// Call sends a request with the token; body, if not nil, is sent as JSON. If into is not nil, the JSON of the answer is
// stored there. A status of 400 or more is an error.
func (p *Process) Call(method, path string, body, into any) error {
	var content io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(b)
	}
	request, err := http.NewRequest(method, "http://"+p.Host+path, content)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "token "+p.Token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode >= 400 {
		return fmt.Errorf("%s %s: %s: %.300s", method, path, answer.Status, b)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(b, into)
}

// Open opens the session of a notebook and returns the identifier of its kernel.
func (p *Process) Open(notebook string) (kernel string, err error) {
	var session struct {
		Kernel struct {
			ID string `json:"id"`
		} `json:"kernel"`
	}
	err = p.Call("POST", "/api/sessions", map[string]any{"path": notebook, "name": notebook, "type": "notebook"},
		&session)
	return session.Kernel.ID, err
}
