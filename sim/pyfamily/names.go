package pyfamily

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"nacre/internal/nearest"
)

// target is what a name means; worker.py reads it.
type target struct {
	File    string            `json:"file,omitempty"` // absolute
	Module  string            `json:"module,omitempty"`
	Attr    string            `json:"attr,omitempty"`
	Make    bool              `json:"make,omitempty"` // gymnasium.make
	Args    string            `json:"args"`           // Python's text between the parentheses
	Options map[string]string `json:"options,omitempty"`

	silence time.Duration // after which a worker is ended
}

// options are the words after a name.
var options = []string{"hide", "horizon", "observations", "seconds"}

var (
	identifier = regexp.MustCompile(`^[\pL_][\pL\pN_]*$`)
	bareID     = regexp.MustCompile(`^[\w./:-]+$`)
)

// parse reads a name.
func parse(name string) (target, error) {
	t := target{silence: time.Minute}
	body, given := name, ""
	if k := strings.LastIndex(name, ")"); k >= 0 {
		body, given = name[:k+1], strings.TrimPrefix(name[k+1:], ",")
	} else {
		body, given, _ = strings.Cut(name, ",")
	}
	if err := t.option(given); err != nil {
		return t, err
	}
	if open := strings.Index(body, "("); open >= 0 {
		if !strings.HasSuffix(body, ")") {
			return t, fmt.Errorf("a parenthesis is open at %q", body[open:])
		}
		body, t.Args = body[:open], body[open+1:len(body)-1]
	}
	if body+"(" == gymnasiums {
		if t.Make = true; bareID.MatchString(t.Args) {
			t.Args = strconv.Quote(t.Args)
		}
		return t, nil
	}
	body = strings.TrimPrefix(body, prefix)
	k := strings.LastIndex(body, ":")
	if k < 1 || !identifier.MatchString(body[k+1:]) {
		return t, fmt.Errorf("expected a file or a module, a colon and a class, as in py:point.py:Point or " +
			"py:mypackage.envs:Point")
	}
	where := body[:k]
	t.Attr = body[k+1:]
	if !strings.HasSuffix(where, ".py") && !strings.ContainsRune(where, filepath.Separator) {
		t.Module = where
		return t, nil
	}
	path, err := filepath.Abs(where)
	if err != nil {
		return t, err
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return t, fmt.Errorf("there is no file %s", path)
	}
	t.File = path
	return t, nil
}

// option reads what follows a name.
func (t *target) option(text string) error {
	for _, pair := range strings.Split(text, ",") {
		if pair == "" {
			continue
		}
		key, value, is := strings.Cut(pair, "=")
		if !is || value == "" || !slices.Contains(options, key) {
			return fmt.Errorf("the option %s%s", nearest.Quote(pair), nearest.Hint(key, options))
		}
		if key == "observations" && value != "one-hot" {
			return fmt.Errorf("the option %s=%s: expected one-hot", key, value)
		}
		if key != "hide" && key != "observations" {
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 || n > 1e6 {
				return fmt.Errorf("the option %s=%s: expected a whole number from 1 to 1000000", key, value)
			}
			if key == "seconds" {
				t.silence = time.Duration(n) * time.Second
			}
		}
		if t.Options == nil {
			t.Options = map[string]string{}
		}
		t.Options[key] = value
	}
	return nil
}
