package browser

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"nacre/internal/heavy"
	"nacre/internal/loopback"
	"nacre/server"
	"nacre/web"
)

// serveAlone is a server as a process that can be killed: it says its address and serves until then.
func serveAlone(dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var files fs.FS
	files, _ = web.Files()
	srv, err := server.New(server.Config{Dir: dir, Token: token, Kernel: []string{self},
		Env: []string{serverEnv + "=", kernelEnv + "=" + golang}, Static: files, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", os.Getenv(serverEnv+"_AT"))
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	return srv.Serve(context.Background(), l)
}

// spawn starts the site's server as a process, and returns what kills it as a power cut would: it gets no time to say
// anything.
func (s *site) spawn(address string) (kill func()) {
	s.t.Helper()
	self, err := os.Executable()
	must(s.t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), serverEnv+"="+s.dir, serverEnv+"_AT="+address)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(s.t, err)
	must(s.t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	must(s.t, err)
	s.url = "http://" + strings.TrimSpace(line)
	kill = func() {
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait()
	}
	s.t.Cleanup(kill)
	return kill
}

// training is a cell that trains an agent for some seconds, and keeps a checkpoint after every iteration.
const training = `import "nacre/library/lab"
run := lab.Train("quick/point-goal", lab.Set("pearl.hidden=16", "pearl.encoder_hidden=16", "pearl.meta_batch=4",
	"pearl.batch=16", "pearl.updates_per_iteration=60", "pearl.initial_steps=40", "pearl.tasks_per_iteration=3",
	"train_tasks=6", "test_tasks=4", "evaluation.every=4", "checkpoint_every=1"), lab.Iterations(60))
run.Metrics().Len()`

// A server is killed and started twenty times under an open page, in which somebody writes and an agent is trained. No
// character is lost, saving needs no click, and the training goes on at one click from where it was.
func TestServerKilledTwentyTimes(t *testing.T) {
	heavy.Skip(t, "a browser works on it for minutes")
	chrome(t)
	s := &site{t: t, token: token, dir: t.TempDir()}
	code, err := json.Marshal(training)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(s.dir, "a.ipynb"), []byte(`{"cells": [
		{"cell_type": "code", "id": "c0", "metadata": {}, "source": "x := 1", "outputs": [], "execution_count": null},
		{"cell_type": "code", "id": "c1", "metadata": {}, "source": `+string(code)+`, "outputs": [],
			"execution_count": null},
		{"cell_type": "markdown", "id": "c2", "metadata": {}, "source": "text"}],
		"metadata": {}, "nbformat": 4, "nbformat_minor": 5}`), 0o644))
	kill := s.spawn(loopback.Any())
	address := strings.TrimPrefix(s.url, "http://")
	p := s.open("/notebooks/a.ipynb")
	p.press("Shift-Enter", "Shift-Enter")
	p.await("nacre.notebook.cells[0].state === 'idle' && nacre.notebook.cells[1].state === 'running'")
	typed := []string{"text"}
	p.press("Enter", "Ctrl-End")
	write := func(round int, when string) {
		for range 3 {
			text := fmt.Sprintf("\n%s %d: %x", when, round, rand.Uint64())
			typed = append(typed, text)
			p.write(text)
		}
	}
	const rounds = 20
	lost, closed, goneOn := 0, 0, 0
	var shares []string
	var slowest time.Duration
	for round := range rounds {
		write(round, "before")
		time.Sleep(time.Duration(rand.IntN(1500)) * time.Millisecond) // any moment of the page's and the training's
		kill()
		write(round, "while it is away")
		p.await(said + ".includes('The server does not answer.')")
		write(round, "still away")
		began := time.Now()
		kill = s.spawn(address)
		write(round, "back again")
		p.await("nacre.saving.state === 'saved' && nacre.watch.health === 'well'")
		slowest = max(slowest, time.Since(began))
		if n := missing(typed, s.source("a.ipynb", 2)); n > 0 {
			lost = max(lost, n)
			t.Errorf("round %d: the file lacks %d characters", round, n)
		}
		now := eval[string](p, said)
		if strings.Contains(now, "|") {
			t.Errorf("round %d: the page says %q", round, now)
		}
		if now == "" {
			continue // nothing ran
		}
		if _, rest, ok := strings.Cut(now, "was at "); ok {
			percent, _, _ := strings.Cut(rest, " ")
			shares = append(shares, percent)
		}
		if eval[bool](p, "[...document.querySelectorAll('.banner button')].some(b => "+
			"b.innerText === 'Run above and go on')") {
			goneOn++
			p.click("Run above and go on")
			p.await("nacre.notebook.cells[1].state === 'running' || nacre.notebook.cells[1].state === 'idle' && " +
				"nacre.notebook.cells[1].ok")
			eval[any](p, "(nacre.selection.set(2, 'edit'), nacre.focus(), null)")
			p.press("Ctrl-End")
		} else {
			closed++
			p.click("Close")
		}
	}
	p.await("nacre.notebook.cells[1].state === 'idle'")
	if got := strings.TrimSpace(p.shown(1)); !strings.HasSuffix(got, "60") {
		t.Errorf("in the end the training's cell shows %q", got)
	}
	eval[any](p, "nacre.saving.save().then(() => null)")
	text := strings.Join(typed, "")
	if got := s.source("a.ipynb", 2); got != text {
		lost = max(lost, missing(typed, got))
		t.Errorf("in the end the file has %q, typed was %q", got, text)
	}
	t.Logf("%d kills of the server\n%d characters typed, %d lost\n%d clicks: none to save, %d to go on with the "+
		"training, %d to close what the page says\nthe page said at which percentage the training was: %s\n%v at most "+
		"from a start of the server to the last character in the file", rounds, len(text), lost, closed+goneOn, goneOn,
		closed, cmp.Or(strings.Join(shares, ", "), "never"), slowest.Round(10*time.Millisecond))
}

// missing is how many characters of what was typed, in that order, a text does not have.
func missing(typed []string, text string) (n int) {
	for _, t := range typed {
		if _, rest, ok := strings.Cut(text, t); ok {
			text = rest
		} else {
			n += len(t)
		}
	}
	return n
}
