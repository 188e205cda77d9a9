package kernel

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// testFlags are those flags of go test that %test takes, with their values where none is given.
var testFlags = map[string]string{"run": "", "skip": "", "bench": "", "benchtime": "1s", "benchmem": "false",
	"count": "1", "cpu": "", "failfast": "false", "list": "", "parallel": "", "short": "false", "shuffle": "off",
	"v": "false"}

// parseTest reads the flags of %test.
func parseTest(line string) (map[string]string, error) {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	got := map[string]string{}
	for name, value := range testFlags {
		if got[name] = value; value == "false" {
			set.BoolFunc(name, "", func(v string) error { got[name] = v; return nil })
		} else {
			set.Func(name, "", func(v string) error { got[name] = v; return nil })
		}
	}
	words, err := shellWords(line)
	if err == nil {
		err = set.Parse(words)
	}
	if err == nil && set.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %s", set.Arg(0))
	}
	for _, name := range []string{"run", "skip", "bench"} {
		for part := range strings.SplitSeq(got[name], "/") {
			if _, bad := regexp.Compile(part); bad != nil && err == nil {
				err = fmt.Errorf("-%s %s: %w", name, got[name], bad)
			}
		}
	}
	if n, bad := strconv.Atoi(got["count"]); (bad != nil || n < 0) && err == nil {
		err = fmt.Errorf("-count %s: expected a whole number from 0", got["count"])
	}
	if err != nil {
		return nil, fmt.Errorf("%%test: %w; it takes -%s, as go test does", err,
			strings.Join(slices.Sorted(maps.Keys(testFlags)), ", -"))
	}
	return got, nil
}

// shellWords splits a line at blanks, but not within 'quotes' or "quotes", which are left out as a shell does. A
// backslash stays, as regular expressions have many.
func shellWords(line string) ([]string, error) {
	var (
		words []string
		word  strings.Builder
		quote rune // that is open
		began bool // a word, which may be empty in quotes
	)
	end := func() {
		if began {
			words = append(words, word.String())
			word.Reset()
			began = false
		}
	}
	for _, r := range line {
		switch {
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, began = r, true
		case quote == 0 && unicode.IsSpace(r):
			end()
		default:
			word.WriteRune(r)
			began = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("%s: the quote %c is not closed", strings.TrimSpace(line), quote)
	}
	end()
	return words, nil
}
