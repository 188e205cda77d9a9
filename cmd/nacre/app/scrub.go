package app

import (
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// scrubber removes from a text what identifies a person.
type scrubber struct {
	plain [][2]string // texts that are replaced literally, each with its replacement
	words []rule
}

type rule struct {
	*regexp.Regexp
	by string
}

// secrets are patterns of tokens and of the places where tokens are written.
var secrets = []rule{
	{regexp.MustCompile(`(?i)((?:token|passwd|password|secret|api[_-]?key|access[_-]?key|credential|authorization)[\w-]*["']?\s*[:=]\s*)(?:"[^"\n]*"|'[^'\n]*'|[^\s&]+)(?:\s+[A-Za-z0-9+/=._~-]{16,})?`), "${1}[removed]"},
	{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9+/=._~-]{8,}`), "$1 [removed]"},
	{regexp.MustCompile(`(://)[^/\s@]+@`), "${1}[removed]@"},
	{
		regexp.MustCompile(
			`\b(?:gh[pousr]_|github_pat_|glpat-|hf_|sk-|pk-|xox[abprs]-|AKIA|ASIA|AIza|eyJ)[A-Za-z0-9_.-]{10,}`),
		"[removed]"},
	{regexp.MustCompile(`\b[0-9a-fA-F]{32,}\b`), "[removed]"},
	{regexp.MustCompile(`((?:/home|/Users|[A-Za-z]:\\Users)[/\\])[^/\\\s"']+`), "${1}USER"},
}

// newScrubber makes a scrubber that knows the names of the home folder, the user and the machine.
func newScrubber() scrubber {
	var s scrubber
	homes := []string{os.Getenv("HOME")}
	if home, err := os.UserHomeDir(); err == nil {
		homes = append(homes, home)
	}
	names := []string{os.Getenv("USER"), os.Getenv("LOGNAME"), os.Getenv("USERNAME")}
	if u, err := user.Current(); err == nil {
		homes = append(homes, u.HomeDir)
		names = append(names, u.Username, u.Username[strings.LastIndex(u.Username, "\\")+1:])
	}
	for _, home := range homes {
		if real, err := filepath.EvalSymlinks(home); err == nil && home != "" {
			homes = append(homes, real)
		}
	}
	slices.SortFunc(homes, func(a, b string) int { return len(b) - len(a) }) // the longest first
	for _, home := range homes {
		if len(home) > 1 {
			s.plain = append(s.plain, [2]string{strings.TrimRight(home, `/\`), "~"})
		}
	}
	host, _ := os.Hostname()
	short, _, _ := strings.Cut(host, ".")
	for _, name := range []string{host, short} {
		s.word(name, "HOST", "localhost")
	}
	for _, name := range names {
		s.word(name, "USER", "root")
	}
	return s
}

// word replaces a name if it stands alone, unless the name is so common that it identifies nobody.
func (s *scrubber) word(name, by, common string) {
	if len(name) > 1 && name != common {
		s.words = append(s.words,
			rule{regexp.MustCompile(`(?i)(^|[^A-Za-z0-9])` + regexp.QuoteMeta(name) + `($|[^A-Za-z0-9])`),
				"${1}" + by + "${2}"})
	}
}

func (s scrubber) scrub(text string) string {
	for _, r := range s.plain {
		text = strings.ReplaceAll(text, r[0], r[1])
	}
	// twice: two names may share the character between them
	for _, r := range slices.Concat(secrets, s.words, s.words) {
		text = r.ReplaceAllString(text, r.by)
	}
	return text
}
