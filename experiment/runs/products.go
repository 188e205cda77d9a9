package runs

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"nacre/experiment"
	"nacre/internal/nearest"
	"nacre/internal/plainfile"
)

// Product is something that is made from a run on request. Its files lie in the run folder. They may be deleted there,
// because the product can be made again.
type Product struct {
	Name  string
	Files []string                    // the product's files; the date of the first is the time when it was made
	From  []string                    // files from which it is made
	steps func(dir string) [][]string // commands that make it: the arguments of this program for each
}

// These are files of products: an episode of the run's agent for playback, and the run's report.
const (
	RolloutFile = "rollout.json"
	ReportFile  = "report.html"
)

// All lists the products of a run.
var All = []Product{
	{Name: "embedding", Files: []string{"tsne.npz", "embeddings.npz"}, From: []string{experiment.WeightsFile},
		steps: func(dir string) [][]string {
			return [][]string{{"embed", dir}, {"tsne", dir, "--repeats", "0", "--out", dir}}
		}},
	{Name: "rollout", Files: []string{RolloutFile}, From: []string{experiment.WeightsFile},
		steps: func(dir string) [][]string {
			return [][]string{{"render", dir, "--out", filepath.Join(dir, RolloutFile)}}
		}},
	{Name: "report", Files: []string{ReportFile}, From: []string{experiment.WeightsFile, experiment.EvaluationFile,
		NoteFile, TSNEFile}, steps: func(dir string) [][]string {
		return [][]string{{"report", dir}}
	}},
}

// product finds a product by its name.
func product(name string) (Product, error) {
	var names []string
	for _, p := range All {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Product{}, fmt.Errorf("product %s: unknown%s", short(name), nearest.Hint(name, names))
}

// Freshness says whether a product exists and is up to date.
type Freshness string

// A product is in one of these states.
const (
	Missing Freshness = "missing"
	Older   Freshness = "older" // it is older than its sources, because the run went on afterwards
	Fresh   Freshness = "fresh"
)

// Fresh returns the state of a product in a run folder.
func (p Product) Fresh(dir string) Freshness {
	made, err := plainfile.Stat(filepath.Join(dir, p.Files[0]))
	if err != nil {
		return Missing
	}
	for _, name := range p.From {
		if from, err := plainfile.Stat(filepath.Join(dir, name)); err == nil && from.ModTime().After(made.ModTime()) {
			return Older
		}
	}
	return Fresh
}

// Making is a product that is being made, that waits to be made, or that could not be made.
type Making struct {
	Path  string    `json:"path"`
	What  string    `json:"what"`
	Began time.Time `json:"began"` // start of the making; zero while the product waits
	Line  string    `json:"line"`  // the last line of its process
	Error string    `json:"error,omitempty"`

	stop context.CancelFunc
}

// Products makes products of runs, one after the other, as processes of this program. They end with it.
type Products struct {
	index   *Index
	program []string
	log     *slog.Logger
	ctx     context.Context
	end     context.CancelFunc

	mu     sync.Mutex
	list   []*Making // the first one without an error is being made
	active bool
	done   sync.WaitGroup
}

// NewProducts makes a Products for the runs of an index. The argument program is the command line of this program.
func NewProducts(index *Index, program []string, log *slog.Logger) *Products {
	p := &Products{index: index, program: program, log: log}
	p.ctx, p.end = context.WithCancel(context.Background())
	return p
}

// Close ends the making of products.
func (p *Products) Close() {
	p.end()
	p.done.Wait()
}

// Make queues a product of a run. If the product is already queued or being made, Make does nothing.
func (p *Products) Make(path, what string) error {
	wanted, err := product(what)
	if err != nil {
		return err
	}
	run, err := p.index.Find(path)
	if err != nil {
		return err
	}
	if err := plainfile.Writable(p.index.Dir(run)); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(p.index.Dir(run), experiment.WeightsFile)); err != nil {
		return fmt.Errorf("%s has no agent yet: it writes %s with its first checkpoint", path, experiment.WeightsFile)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	same := func(m *Making) bool { return m.Path == path && m.What == what }
	if slices.ContainsFunc(p.list, func(m *Making) bool { return same(m) && m.Error == "" }) {
		return nil
	}
	if len(p.list) >= maxWaiting {
		return fmt.Errorf("%d products wait already; expected at most %d", len(p.list), maxWaiting)
	}
	p.list = slices.DeleteFunc(p.list, same)
	p.list = append(p.list, &Making{Path: path, What: wanted.Name})
	p.next()
	return nil
}

// Cancel ends the making of a product, or takes it from the list.
func (p *Products) Cancel(path, what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = slices.DeleteFunc(p.list, func(m *Making) bool {
		if m.Path != path || m.What != what {
			return false
		}
		if m.stop != nil {
			m.stop()
		}
		return true
	})
}

// List returns the products that are being made, that wait or that failed, in the order of the requests.
func (p *Products) List() []Making {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := []Making{}
	for _, m := range p.list {
		out = append(out, *m)
	}
	return out
}

// next begins the next product, if none is being made. Products is locked.
func (p *Products) next() {
	k := slices.IndexFunc(p.list, func(m *Making) bool { return m.Error == "" })
	if p.active || k < 0 || p.ctx.Err() != nil {
		return
	}
	m := p.list[k]
	ctx, stop := context.WithCancel(p.ctx)
	m.Began, m.stop, p.active = time.Now().UTC(), stop, true
	p.done.Go(func() {
		err := p.work(ctx, m)
		stop()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.active = false
		if err != nil && ctx.Err() == nil {
			p.log.Warn("a product of a run could not be made", "run", m.Path, "product", m.What, "error", err)
		}
		if err != nil {
			m.Error = cmp.Or(m.Line, err.Error())
		} else {
			p.list = slices.DeleteFunc(p.list, func(o *Making) bool { return o == m })
		}
		p.next()
	})
}

// work makes a product.
func (p *Products) work(ctx context.Context, m *Making) error {
	run, err := p.index.Find(m.Path)
	if err != nil {
		return err
	}
	wanted, err := product(m.What)
	if err != nil {
		return err
	}
	for _, args := range wanted.steps(p.index.Dir(run)) {
		cmd := exec.CommandContext(ctx, p.program[0], append(slices.Clone(p.program[1:]), args...)...)
		cmd.Stderr = lastLine(func(line string) {
			p.mu.Lock()
			defer p.mu.Unlock()
			m.Line = line
		})
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = 5 * time.Second
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	return nil
}

// lastLine passes on the last line of the text that is written to it.
type lastLine func(line string)

// Write implements io.Writer.
func (f lastLine) Write(text []byte) (int, error) {
	trimmed := bytes.TrimRight(text, "\r\n ")
	line := trimmed[bytes.LastIndexAny(trimmed, "\r\n")+1:]
	if len(line) > 0 {
		f(strings.ToValidUTF8(string(line[:min(len(line), 300)]), "�"))
	}
	return len(text), nil
}
