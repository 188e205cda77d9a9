package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// event is a line of go test -json; go doc test2json has the fields. What is no event, such as what a program has
// written past go test, is one of output that belongs to no package.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

func decode(events io.Reader, list chan<- event) {
	defer close(list)
	for lines := bufio.NewReader(events); ; {
		line, err := lines.ReadString('\n')
		var e event
		if json.Unmarshal([]byte(line), &e) != nil {
			e = event{Action: "build-output", Output: line}
		}
		list <- e
		if err != nil {
			return
		}
	}
}

// report holds what is known of the packages.
type report struct {
	out           io.Writer
	packages      map[string]*tests              // under way
	summary       []string                       // go test's lines of packages that have ended
	skipped       map[string]map[string][]string // the tests by sentence and package
	passed, skips int                            // tests and examples, those within others not counted; skips
	failed        bool
	seen          map[string]*history // of all packages
}

// tests are those of a package that have not passed: their output by name, and the names in the order in which they
// began. The name of what the package itself prints is empty.
type tests struct {
	names  []string
	output map[string][]string
	open   map[string]bool // tests under way
	failed []string        // the output of those that have failed, which may run again and pass
}

func (r *report) add(e event) {
	p := r.packages[e.Package]
	if p == nil {
		p = &tests{output: map[string][]string{}, open: map[string]bool{}}
		r.packages[e.Package] = p
	}
	h := r.seen[e.Package]
	if h == nil && e.Package != "" {
		h = &history{tests: map[string]*verdicts{}}
		r.seen[e.Package] = h
	}
	switch e.Action {
	case "run":
		p.open[e.Test] = true
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		if seconds, ok := timeIn(e.Output); ok && h != nil {
			h.seconds += seconds
			return
		}
		if e.Test == "" && isSummary(e.Output) {
			r.summary = append(r.summary, e.Output)
			return
		}
		if p.output[e.Test] == nil {
			p.names = append(p.names, e.Test)
		}
		p.output[e.Test] = append(p.output[e.Test], e.Output)
	case "pass", "skip", "fail":
		if e.Test != "" {
			h.ended(e)
		}
		r.ended(p, e)
	}
}

// isSummary reports whether a line is go test's about a whole package.
func isSummary(line string) bool {
	return strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "?   \t") || strings.HasPrefix(line, "FAIL\t")
}

// ended takes the end of a test or of a package.
func (r *report) ended(p *tests, e event) {
	delete(p.open, e.Test)
	switch {
	case e.Test == "":
		if e.Action == "fail" {
			r.failed = true
			p.print(r.out)
		}
		delete(r.packages, e.Package)
	case e.Action == "skip":
		why := sentence(p.output[e.Test])
		if r.skipped[why] == nil {
			r.skipped[why] = map[string][]string{}
		}
		r.skipped[why][e.Package] = append(r.skipped[why][e.Package], e.Test)
		r.skips++
		delete(p.output, e.Test)
	case e.Action == "fail" && !strings.Contains(e.Test, "/"):
		p.failed = append(p.failed, p.take(func(name string) bool {
			return name == e.Test || strings.HasPrefix(name, e.Test+"/")
		})...)
	case e.Action == "pass":
		if !strings.Contains(e.Test, "/") {
			r.passed++
		}
		delete(p.output, e.Test)
	}
}

// print writes the output of the tests that have not passed.
func (p *tests) print(out io.Writer) {
	for _, line := range append(p.failed, p.take(func(string) bool { return true })...) {
		fmt.Fprint(out, line)
	}
}

// take returns what some tests have printed, and forgets it.
func (p *tests) take(of func(name string) bool) (lines []string) {
	for _, name := range p.names {
		if !of(name) {
			continue
		}
		for _, line := range p.output[name] {
			if !strings.HasPrefix(line, "=== ") {
				lines = append(lines, line)
			}
		}
		if p.open[name] {
			lines = append(lines, fmt.Sprintf("--- NOT ENDED: %s\n", name))
		}
		delete(p.output, name)
	}
	p.names = slices.DeleteFunc(p.names, of)
	return lines
}

var position = regexp.MustCompile(`^ +[^ ]+\.go:\d+: `)

// sentence returns the last message of a test before it was skipped, which may have several lines.
func sentence(output []string) string {
	var said []string
	for _, line := range output {
		if strings.HasPrefix(line, "=== ") || strings.HasPrefix(strings.TrimSpace(line), "--- SKIP: ") {
			continue
		}
		if position.MatchString(line) {
			said, line = nil, position.ReplaceAllString(line, "")
		}
		said = append(said, strings.Fields(line)...)
	}
	if len(said) == 0 {
		return "skipped without a word"
	}
	return strings.Join(said, " ")
}

// end prints the skips and the packages and reports whether all has passed. A package that has not ended has not.
func (r *report) end(took time.Duration) bool {
	for _, name := range slices.Sorted(maps.Keys(r.packages)) {
		if p := r.packages[name]; name != "" {
			p.print(r.out)
			fmt.Fprintf(r.out, "FAIL\t%s [not ended]\n", name)
			r.failed = true
		}
	}
	if len(r.skipped) > 0 {
		fmt.Fprintln(r.out, "\nSkipped:")
	}
	for _, why := range slices.Sorted(maps.Keys(r.skipped)) {
		fmt.Fprintln(r.out, why)
		for _, name := range slices.Sorted(maps.Keys(r.skipped[why])) {
			fmt.Fprintln(r.out, wrap("    "+name+":", folded(r.skipped[why][name])))
		}
	}
	fmt.Fprintf(r.out, "\n%d tests passed, %d skipped, in %.0f s\n\n", r.passed, r.skips, took.Seconds())
	rank := func(line string) int { return strings.Index("?oF", line[:1]) } // failed packages stand at the end
	slices.SortStableFunc(r.summary, func(a, b string) int { return rank(a) - rank(b) })
	for _, line := range r.summary {
		fmt.Fprint(r.out, line)
	}
	return !r.failed && len(r.summary) > 0
}

// folded names a test once, with the number of its skipped parts, where more than three of them were skipped.
func folded(names []string) (list []string) {
	parts := map[string]int{}
	for _, name := range names {
		if test, _, ok := strings.Cut(name, "/"); ok {
			parts[test]++
		}
	}
	for _, name := range names {
		if test, _, ok := strings.Cut(name, "/"); ok && parts[test] > 3 {
			name = fmt.Sprintf("%s/… (%d)", test, parts[test])
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// wrap writes words after a head, in lines of at most 120 characters.
func wrap(head string, words []string) string {
	var b strings.Builder
	length := 0
	add := func(text string) { b.WriteString(text); length += len(text) }
	add(head)
	for _, w := range words {
		if length+1+len(w) > 120 {
			b.WriteString("\n       ")
			length = 7
		}
		add(" " + w)
	}
	return b.String()
}
