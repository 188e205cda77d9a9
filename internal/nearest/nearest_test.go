package nearest_test

import (
	"fmt"
	"strings"
	"testing"

	"nacre/internal/nearest"
)

func ExampleHint() {
	families := []string{"point-goal", "cheetah-vel", "cheetah-dir"}
	fmt.Printf("unknown family %q%s\n", "chetah-vel", nearest.Hint("chetah-vel", families))
	// Output:
	// unknown family "chetah-vel"; did you mean "cheetah-vel"? (known: cheetah-dir, cheetah-vel, point-goal)
}

func TestOf(t *testing.T) {
	candidates := []string{"latent", "lambda", "reward_scale", "batch", "z"}
	for _, c := range []struct {
		word, want string
		ok         bool
	}{
		{"latnt", "latent", true},
		{"Latent", "latent", true},
		{"latent_size", "latent", true},
		{"reward", "reward_scale", true},
		{"bacth", "batch", true},
		{"entirely-different", "", false},
		{"q", "", false},
		{"", "", false},
	} {
		got, ok := nearest.Of(c.word, candidates)
		if got != c.want || ok != c.ok {
			t.Errorf("Of(%q) = %q, %v; want %q, %v", c.word, got, ok, c.want, c.ok)
		}
	}
	if got, _ := nearest.Of("ab", []string{"aa", "ac"}); got != "aa" {
		t.Errorf("tie went to %q, want the first in order", got)
	}
	if got := nearest.Hint("x", nil); got != "" {
		t.Errorf("hint without candidates: %q", got)
	}
	many := make([]string, 43)
	for i := range many {
		many[i] = fmt.Sprintf("name%02d", i)
	}
	if got := nearest.Hint("nane07", many); !strings.HasPrefix(got,
		`; did you mean "name07"? (known: name07, name00, `) || !strings.HasSuffix(got, ", name09 and 33 more)") {
		t.Errorf("hint of many candidates: %q", got)
	}
}
