// Attacks runs the tests named TestAttacks, which repeat attacks that once succeeded: first on an older program, then
// on this one. It writes what each attack did to either program, as a measurement for docs/measurements.
//
//	go run ./bench/attacks -old ../old/bin/nacre > docs/measurements/attacks-2026-11-23.json
//
// It ends with status 1 if an attack succeeds on this program, or does not succeed on the older one.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// held is the verdict on an attack that did nothing.
const held = "held"

func main() {
	log.SetFlags(0)
	log.SetPrefix("attacks: ")
	old := flag.String("old", "", "the older program, with the front end and MuJoCo as make builds it")
	flag.Parse()
	if err := compare(*old, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func compare(old string, out io.Writer) error {
	if _, err := os.Stat(old); err != nil {
		return fmt.Errorf("-old %q: %w; expected a program to compare with", old, err)
	}
	old, err := filepath.Abs(old) // tests run in their own folders
	if err != nil {
		return err
	}
	before, err := try("NACRE_BIN=" + old)
	if err != nil {
		return err
	}
	now, err := try("NACRE_BIN=")
	if err != nil {
		return err
	}
	name, err := describe(old)
	if err != nil {
		return err
	}
	commit, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return fmt.Errorf("git rev-parse: %w", err)
	}
	m := table(name, before, now)
	m["date"], m["commit"] = time.Now().Format(time.DateOnly), strings.TrimSpace(string(commit))
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(m); err != nil {
		return err
	}
	for _, v := range now {
		if v.seen != held {
			return fmt.Errorf("%s: %s", v.attack, v.seen)
		}
	}
	for _, v := range before {
		if v.seen == held {
			return fmt.Errorf("%s did nothing to %s", v.attack, old)
		}
	}
	return nil
}

// describe is the commit that a program was built from.
func describe(program string) (string, error) {
	said, err := exec.Command(program, "version").Output()
	commit := regexp.MustCompile(`\b[0-9a-f]{7,}\b`).FindString(string(said))
	if err != nil || commit == "" {
		return "", fmt.Errorf("%s version says %q, without a commit: %v", program, said, err)
	}
	return commit[:7], nil
}

// A verdict holds what one attack did.
type verdict struct{ attack, seen string }

// try runs the attacks with a variable in the environment.
func try(variable string) ([]verdict, error) {
	cmd := exec.Command("go", "test", "-json", "-count=1", "-timeout=30m", "-run=^TestAttacks$", "./cmd/nacre",
		"./web/browser")
	cmd.Env, cmd.Stderr = append(cmd.Environ(), variable), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	found, err := read(out)
	_, _ = io.Copy(io.Discard, out)
	var failed *exec.ExitError
	if end := cmd.Wait(); err == nil && !errors.As(end, &failed) { // tests that fail are what this is about
		err = end
	}
	if err == nil && len(found) == 0 {
		err = errors.New("go test ran no attack")
	}
	return found, err
}

// message is a line with which a test says what is wrong, and where.
var message = regexp.MustCompile(`^\s+\w+_test\.go:\d+: (.*)\n?$`)

// read takes the events of go test -json: of each attack the first thing that was wrong, or why it could not be tried.
func read(events io.Reader) (found []verdict, err error) {
	first := map[string]string{}
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e struct{ Action, Test, Output string }
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("go test -json said %.80q: %w", lines.Bytes(), err)
		}
		_, attack, ok := strings.Cut(e.Test, "/")
		if !ok {
			continue
		}
		attack = strings.ReplaceAll(attack, "_", " ")
		switch e.Action {
		case "output":
			if m := message.FindStringSubmatch(e.Output); m != nil && first[attack] == "" {
				first[attack] = short(m[1])
			}
		case "pass":
			found = append(found, verdict{attack, held})
		case "skip":
			return nil, fmt.Errorf("%s could not be tried: %s", attack, first[attack])
		case "fail":
			found = append(found, verdict{attack, cmp.Or(first[attack], "the test ended early")})
		}
	}
	slices.SortFunc(found, func(a, b verdict) int { // D2 before D10
		number := func(v verdict) string { d, _, _ := strings.Cut(v.attack, " "); return fmt.Sprintf("%4s", d) }
		return cmp.Or(cmp.Compare(number(a), number(b)), cmp.Compare(a.attack, b.attack))
	})
	return found, lines.Err()
}

// short is a message without the places of this machine's temporary files, cut where a table's cell becomes long.
func short(said string) string {
	said = strings.ReplaceAll(regexp.MustCompile(`(open |resume )?/\S*/`).ReplaceAllString(said, "…/"), "|", "¦")
	said = strings.ReplaceAll(said, "](", "] (") // no link
	if words := []rune(said); len(words) > 110 {
		return string(words[:110]) + "…"
	}
	return said
}

// table is the measurement of attacks as docs/measurements keeps it.
func table(old string, before, now []verdict) map[string]any {
	seen := map[string]string{}
	for _, v := range before {
		seen[v.attack] = v.seen
	}
	type row struct {
		Of    []string          `json:"of"`
		Cells map[string]string `json:"cells"`
	}
	rows := []row{}
	for _, v := range now {
		number, attack, _ := strings.Cut(v.attack, " ")
		rows = append(rows, row{[]string{number, attack}, map[string]string{"old": seen[v.attack], "new": v.seen}})
	}
	return map[string]any{
		"machine": fmt.Sprintf("%d cores, %s/%s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH),
		"what":    "What the attacks of TestAttacks do to two programs", "spread": "",
		"conditions": "A cell says what the attack achieves, in the words of its test; the program's own words " +
			"stand in quotation marks",
		"commands": []string{"make attacks OLD=PROGRAM"}, "labels": []string{"", "attack"}, "rows": rows,
		"columns": []map[string]string{{"name": "old", "head": old}, {"name": "new", "head": "this program"}},
	}
}
