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
	// keep are matches that stay, because they identify nobody
	keep []string
}

func (r rule) apply(text string) string {
	return r.ReplaceAllStringFunc(text, func(found string) string {
		if slices.Contains(r.keep, found) {
			return found
		}
		return r.ReplaceAllString(found, r.by)
	})
}

// secrets are patterns of tokens and keys, of the places where they are written, and of addresses of machines and
// people.
var secrets = []rule{
	{regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*KEY-----.*?(?:-----END [A-Z ]*KEY-----|$)`), "[removed]", nil},
	{regexp.MustCompile(
		`(?:\b(?:ssh-[a-z0-9]+|ecdsa-sha2-[a-z0-9-]+|sk-[a-z0-9@.-]+)\s+)?\bAAAA[A-Za-z0-9+/]{12,}={0,2}`),
		"[removed]", nil},
	{regexp.MustCompile(`(?i)((?:token|passwd|password|secret|api[_-]?key|access[_-]?key|credential|authorization)[\w-]*["']?\s*[:=]\s*)(?:"[^"\n]*"|'[^'\n]*'|[^\s&]+)(?:\s+[A-Za-z0-9+/=._~-]{16,})?`), "${1}[removed]", nil},
	{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[A-Za-z0-9+/=._~-]{8,}`), "$1 [removed]", nil},
	{regexp.MustCompile(`(://)[^/\s@]+@`), "${1}[removed]@", nil},
	{
		regexp.MustCompile(
			`\b(?:gh[pousr]_|github_pat_|glpat-|hf_|sk-|pk-|xox[abprs]-|AKIA|ASIA|AIza|eyJ)[A-Za-z0-9_.-]{10,}`),
		"[removed]", nil},
	{regexp.MustCompile(`\b[0-9a-fA-F]{32,}\b`), "[removed]", nil},
	{regexp.MustCompile(`((?:/home|/Users|[A-Za-z]:\\Users)[/\\])[^/\\\s"']+`), "${1}USER", nil},
	{regexp.MustCompile(`[A-Za-z0-9_.+-]+@(?:[A-Za-z][A-Za-z0-9-]*\.)+[A-Za-z]{2,}\b`), "[removed]", nil},
	{regexp.MustCompile(`\b(?:[A-Za-z0-9_-]+\.)+(?:internal|local|lan|corp|intranet|private|localdomain|home\.arpa)` +
		`(?:\.[A-Za-z0-9_-]+)*\b`), "HOST", nil},
	{regexp.MustCompile(`://[A-Za-z0-9_-]+([:/\s]|$)`), "://HOST${1}",
		[]string{"://localhost:", "://localhost/", "://localhost"}},
	{regexp.MustCompile(`\b(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b`), "ADDRESS",
		[]string{"127.0.0.1", "0.0.0.0"}},
	{regexp.MustCompile(`(?i)\b(?:[0-9a-f]{1,4}:){5,7}[0-9a-f]{1,4}\b|` +
		`\b[0-9a-f]{2,4}(?::[0-9a-f]{1,4})*::(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*)?`), "ADDRESS", nil},
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
				"${1}" + by + "${2}", nil})
	}
}

func (s scrubber) scrub(text string) string {
	for _, r := range s.plain {
		text = strings.ReplaceAll(text, r[0], r[1])
	}
	// twice: two names may share the character between them
	for _, r := range slices.Concat(secrets, s.words, s.words) {
		text = r.apply(text)
	}
	return text
}
