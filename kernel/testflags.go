package kernel

import (
	"flag"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
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
	err := set.Parse(strings.Fields(line))
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
		return nil, fmt.Errorf("%%test: %w; it takes -run, -skip, -bench, -benchtime, -benchmem, -count, -failfast, "+
			"-short and -v, as go test does", err)
	}
	return got, nil
}
