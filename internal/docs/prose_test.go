package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	mostWords   = 20000 // of the pages together, without newer ones
	mostNewer   = 750   // of a newer page
	mostNumbers = 60    // in 1,000 words of such a page; more belong into a picture or a table made from data
)

// newer are pages younger than the limit of all words, each with a limit of its own.
var newer = []string{"docs/evidence.md", "docs/from-python.md", "docs/metaworld2020.md"}

// lookedUp are pages whose words do not count with the others: a list of words, and what stands around tables made from
// data.
var lookedUp = []string{"docs/glossary.md", "docs/table1.md"}

// beside are pages in the folders of what they describe, whose words count as if they were in docs.
var beside = []string{"core/README.md", "library/README.md"}

// specified are pages whose numbers are no measurements.
var specified = map[string]string{
	"docs/environments.md": "sizes, rewards and limits of the tasks",
	"docs/metaworld.md":    "distances and boxes of the tasks",
}

// outside is the text of a page without its generated blocks and comments.
func outside(page string) string {
	var b strings.Builder
	made := false
	for line := range strings.Lines(page) {
		text := strings.TrimRight(line, "\n")
		if _, _, ok := marker(text); ok {
			made = true
		}
		if !made && !strings.HasPrefix(text, opening) {
			b.WriteString(line)
		}
		if text == end {
			made = false
		}
	}
	return b.String()
}

var (
	target   = regexp.MustCompile(`\]\([^)]*\)`)
	indented = regexp.MustCompile(`(?m)^    .*$`)
	quoted   = regexp.MustCompile("`[^`]*`")
	numeral  = regexp.MustCompile(`(?:^|[^\p{L}\p{N}_.,-])\d[\d.,]*`)
)

// counts are the words and numbers of a text, without code, what links lead to, and names such as H100 or float32.
func counts(text string) (words, numbers int) {
	text = indented.ReplaceAllString(fence.ReplaceAllString(text, ""), "")
	text = quoted.ReplaceAllString(target.ReplaceAllString(text, "]"), "code")
	return len(strings.Fields(text)), len(numeral.FindAllString(text, -1))
}

func TestCounts(t *testing.T) {
	words, numbers := counts("On an H100 it took 1,024 ms (1.5 to 2) in `1 + 1`, [see 3](x2.md#4).\n\n    code 5 6\n" +
		"```\n7\n```\n")
	if words != 14 || numbers != 4 {
		t.Errorf("%d words and %d numbers, want 14 and 4", words, numbers)
	}
	if got := outside("a\n<!-- table: x -->\n\n| 1 |\n\n<!-- end -->\n<!-- remark -->\nb\n"); got != "a\nb\n" {
		t.Errorf("outside: %q, want a and b", got)
	}
}

// TestPagesAreShort keeps the pages a size that can be read, and numbers where they can be compared.
func TestPagesAreShort(t *testing.T) {
	all, texts := 0, pagesOf(t)
	for _, name := range beside {
		if texts[name] == "" {
			t.Errorf("%s is not there: strike it from the list beside (internal/docs/prose_test.go)", name)
		}
	}
	for name, page := range texts {
		if filepath.Dir(name) != "docs" && !slices.Contains(beside, name) {
			continue
		}
		text := outside(page)
		switch n := len(strings.Fields(text)); {
		case slices.Contains(newer, name):
			if n > mostNewer {
				t.Errorf("%s has %d words outside tables made from data; at most %d", name, n, mostNewer)
			}
		case !slices.Contains(lookedUp, name):
			all += n
		}
		words, numbers := counts(text)
		if specified[name] == "" && numbers*1000 > mostNumbers*max(words, 200) {
			t.Errorf("%s has %d numbers in %d words outside tables made from data: at most %d in 1,000; draw a "+
				"picture (bench/pictures) or "+
				"move them to docs/measurements", name, numbers, words, mostNumbers)
		}
		if specified[name] != "" && numbers*1000 <= mostNumbers*words {
			t.Errorf("%s has few numbers now: strike it from the list of exceptions (internal/docs/prose_test.go)",
				name)
		}
	}
	t.Logf("%d words", all)
	if all > mostWords {
		t.Errorf("the pages of docs, with %s, have %d words outside tables made from data; at most %d",
			strings.Join(beside, " and "), all, mostWords)
	}
}
