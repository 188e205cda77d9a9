// Package shell writes commands that a user can paste into a shell. The shell reads every word back as it was.
//
//	fmt.Println("continue with: " + shell.Command("nacre", "resume", shell.Path(dir)))
package shell

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Command is a command line of words. Words that are paths must go through Path.
func Command(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = Word(w)
	}
	return strings.Join(quoted, " ")
}

// Path is a path as a word of Command. A path that begins with a dash gets ./ before it, so that no program takes it
// for a flag.
func Path(p string) string {
	if strings.HasPrefix(p, "-") {
		return "./" + p
	}
	return p
}

// Word is a word in the form that shells read. It is unchanged if that is safe, else in single quotes. Control
// characters and bytes that are not UTF-8 are written as escapes in $'…', which bash, zsh and ksh know, so that a
// command stays on its line.
func Word(w string) string {
	safe, plain := w != "" && !strings.HasPrefix(w, "=") && !strings.HasPrefix(w, "~"), utf8.ValidString(w)
	for _, r := range w {
		safe = safe && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-./:=@%+", r))
		plain = plain && unicode.IsPrint(r)
	}
	switch {
	case safe && plain:
		return w
	case plain:
		return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return "$'" + escaped(w, `'`) + "'"
}

// Line is an untrusted text for one line of a table. Control characters, and characters that could reverse or break the
// line, are written as escapes.
func Line(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return s
	}
	return escaped(s, "")
}

// escaped writes s with backslashes, as $'…' reads it, also before the letters of special.
func escaped(s, special string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\\' || strings.ContainsRune(special, r):
			b.WriteString(`\` + s[i:i+n])
		case r == utf8.RuneError && n == 1 || !unicode.IsPrint(r):
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}
