package kernel

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"nacre/kernel/internal/cells"
	"nacre/kernel/internal/engine"
)

// magic is a command in front of a cell that is not Go. %time runs the cell once and prints how long it took. %timeit
// runs it again and again, and %timeit N exactly N times. %get gets a module before the cell is checked. %%capture
// keeps back what the cell prints and shows. %test runs the session's tests after the cell.
type magic struct {
	repeat  bool
	times   int
	get     string
	capture bool
	test    map[string]string // flags of %test
}

// plain is a cell as Go: without the helper in front of it, and with calls in the place of its lines for a shell. Lines
// stay lines. known reports whether the cells before have a name.
func (s *session) plain(code string, known func(name string) bool) (*magic, string, error) {
	m, code, err := s.parseMagic(code)
	if err != nil {
		return nil, "", err
	}
	code, err = cells.WithCommands(code, s.library.Cell, known)
	return m, code, err
}

// knows is plain's argument where the lock info is not held.
func (s *session) knows(name string) bool {
	s.info.Lock()
	defer s.info.Unlock()
	return s.prog.Knows(name)
}

// parseMagic splits the helper off a cell; the line keeps its place, so positions stay.
func (s *session) parseMagic(code string) (*magic, string, error) {
	trimmed := strings.TrimLeft(code, " \t\n")
	if !strings.HasPrefix(trimmed, "%") {
		return nil, code, nil
	}
	before := code[:len(code)-len(trimmed)]
	word := strings.TrimLeft(trimmed, "%")
	word, _, _ = strings.Cut(word, "\n")
	word, _, _ = strings.Cut(word, " ")
	m := &magic{}
	switch word {
	case "time":
	case "timeit":
		m.repeat = true
	case "get":
		line, rest, _ := strings.Cut(trimmed, "\n")
		m.get = strings.TrimSpace(line[strings.Index(line, word)+len(word):])
		return m, before + "\n" + rest, nil
	case "test":
		line, rest, _ := strings.Cut(trimmed, "\n")
		flags, err := parseTest(line[strings.Index(line, word)+len(word):])
		if err != nil {
			return nil, "", err
		}
		m.test = flags
		return m, before + "\n" + rest, nil
	case "capture":
		line, rest, _ := strings.Cut(trimmed, "\n")
		name := strings.TrimSpace(line[strings.Index(line, word)+len(word):])
		if name != "" && !token.IsIdentifier(name) {
			return nil, "", fmt.Errorf("%%%%capture %.40s: expected the name of a variable, or nothing", name)
		}
		m.capture = true
		if name != "" && s.library.Cell == "" {
			return nil, "", errors.New("%%capture: cells of this kernel keep no output; without a name it is dropped")
		}
		if name != "" {
			before += cells.ImportCommands(s.library.Cell) + name + " := " + cells.Alias + ".Capture()"
		}
		return m, before + "\n" + rest, nil
	default:
		if say := cells.Magic(word); say != "" {
			return nil, "", fmt.Errorf("%%%s is not known: %s", word, say)
		}
		return nil, "", fmt.Errorf("%%%s is not known; there are %%time, %%timeit, %%get, %%capture and %%test", word)
	}
	n := strings.Index(trimmed, word) + len(word)
	rest := trimmed[n:]
	if m.repeat {
		line, _, _ := strings.Cut(rest, "\n")
		if first, _, _ := strings.Cut(strings.TrimSpace(line), " "); first != "" {
			if v, err := strconv.Atoi(first); err == nil && v > 0 {
				m.times = v
				k := strings.Index(rest, first)
				rest = strings.Repeat(" ", k+len(first)) + rest[k+len(first):]
			}
		}
	}
	return m, before + strings.Repeat(" ", n) + rest, nil
}

// run runs the compiled cell under the helper.
func (m *magic) run(ctx context.Context, s *session, r *run, p *engine.Compiled, u *cells.Unit, code string,
	compiled time.Time) (*Data, *Error) {
	compile := time.Since(compiled)
	start := time.Now()
	value, fail := s.run(ctx, r, p, u, code)
	first := time.Since(start)
	s.info.Lock()
	u.CommitVars(p.Reached())
	s.info.Unlock()
	if fail != nil || !m.repeat {
		r.out.Stream("stdout", fmt.Sprintf("%s (and %s to compile)\n", short(first), short(compile)))
		return value, fail
	}
	n := m.times
	if n == 0 {
		n = int(math.Max(1, math.Min(1000, float64(time.Second)/float64(first+1))))
	}
	times := []time.Duration{}
	for range n {
		start := time.Now()
		again := &run{session: s, cell: r.cell, count: r.count, number: r.number, out: discard{r.out}}
		if _, fail := s.run(ctx, again, p, u, code); fail != nil {
			return nil, fail
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	r.out.Stream("stdout", fmt.Sprintf("median %s, from %s to %s (%d runs)\n", short(times[n/2]), short(times[0]),
		short(times[n-1]), n))
	return nil, nil
}

// get gets a module for the imports of this and later cells.
func (s *session) get(ctx context.Context, r *run, module string) error {
	modules, ok := s.engine.(engine.Modules)
	if !ok {
		return errors.New("%get: the engine yaegi has its own packages only; modules are for the engine go")
	}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	s.running.Store(r)
	said, err := modules.Get(r.ctx, module)
	s.running.Store(nil)
	if r.stopped.Load() {
		s.engine.Stop(false)
	}
	if said != "" {
		r.out.Stream("stderr", said)
	}
	return err
}

// discard drops what the repetitions print.
type discard struct{ Output }

func (discard) Stream(string, string) {}
func (discard) Display(Data)          {}
func (discard) Update(Data)           {}

// short rounds to three digits.
func short(d time.Duration) string {
	for unit := time.Nanosecond; unit <= time.Second; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit).String()
		}
	}
	return d.Round(10 * time.Millisecond).String()
}
