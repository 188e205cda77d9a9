package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestWordsOfGlossary keeps one word for one thing: what the glossary does not use stands in no file but for the
// exceptions, and each exception is one.
func TestWordsOfGlossary(t *testing.T) {
	root := rootOf(t)
	if err := exec.Command("git", "-C", root, "rev-parse").Run(); err != nil {
		t.Skip("no git, or no checkout of it, which lists the files: clone the repository to check its words")
	}
	words, err := banned(root)
	if err != nil || len(words) < 5 {
		t.Fatalf("%d words, %v", len(words), err)
	}
	texts, err := written(root)
	if err != nil || len(texts) < 500 {
		t.Fatalf("%d files, %v", len(texts), err)
	}
	for _, word := range words {
		found := uses(texts, word)
		for _, e := range exceptions[word] {
			before := len(found)
			found = slices.DeleteFunc(found, func(at string) bool { return strings.HasPrefix(at, e.at) })
			if len(found) == before || e.why == "" {
				t.Errorf("%q does not stand in %s, or no reason is given: strike it in internal/docs/words.go",
					word, e.at)
			}
		}
		for _, at := range found {
			t.Errorf("%s\n\t%q is not used: %s has the word that is", at, word, glossary)
		}
	}
	for word := range exceptions {
		if !slices.Contains(words, word) {
			t.Errorf("%q has exceptions and is no word of %s", word, glossary)
		}
	}
}
