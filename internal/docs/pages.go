package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// width is the longest line of a page, in characters; rows of tables may be longer.
const width = 120

// pages lists the documents of the repository: those at its root and in docs, and those that lie with what they
// describe.
func pages(root string) ([]string, error) {
	var names []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/measurements/*.md", "*/README.md", "pearl/*/README.md",
		"rl/*/README.md", "rl/*/*/README.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	return names, nil
}

const (
	opening = "<!-- "
	closing = " -->"
	end     = "<!-- end -->"
)

// generators make the blocks by the word their comment begins with. Each gets the rest of the comment.
var generators = map[string]func(root, arguments string) (string, error){
	"table":     table,
	"packages":  packages,
	"house":     house,
	"vectors":   vectors,
	"evidence":  evidence,
	"contrasts": contrasts,
}

// fill returns the text of a page, the file name, with all of its generated blocks written anew. Comments that begin
// with another word are left alone, as is what stands in fenced code.
func fill(root, name, page string) (string, error) {
	var out []string
	lines := strings.Split(page, "\n")
	fenced := false
	for i := 0; i < len(lines); i++ {
		out = append(out, lines[i])
		if strings.HasPrefix(lines[i], "```") {
			fenced = !fenced
		}
		word, arguments, ok := marker(lines[i])
		if !ok || fenced {
			continue
		}
		last := i + 1
		for last < len(lines) && lines[last] != end {
			last++
		}
		if last == len(lines) {
			return "", fmt.Errorf("line %d: %q has no %q after it", i+1, lines[i], end)
		}
		block, err := generators[word](root, arguments)
		if err != nil {
			return "", fmt.Errorf("line %d: %w", i+1, err)
		}
		if filepath.Dir(name) == root { // blocks link as pages of docs do
			block = strings.ReplaceAll(block, "](measurements/", "](docs/measurements/")
		} else if filepath.Base(filepath.Dir(name)) == "measurements" {
			block = strings.ReplaceAll(block, "](measurements/", "](")
		}
		out = append(out, "", strings.TrimRight(block, "\n"), "", end)
		i = last
	}
	return strings.Join(out, "\n"), nil
}

// marker takes the comment apart that opens a generated block.
func marker(line string) (word, arguments string, ok bool) {
	text, found := strings.CutPrefix(line, opening)
	text, closed := strings.CutSuffix(text, closing)
	if !found || !closed {
		return "", "", false
	}
	word, arguments, _ = strings.Cut(text, ":")
	_, ok = generators[word]
	return word, strings.TrimSpace(arguments), ok
}

// wrap breaks a paragraph into lines of at most so many characters.
func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
