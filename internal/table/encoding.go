package table

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	utf "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"nacre/internal/nearest"
)

// encodings holds the encodings that can be named, by their names without signs.
var encodings = map[string]encoding.Encoding{
	"utf8": encoding.Nop, "ascii": encoding.Nop,
	"utf16le": utf.UTF16(utf.LittleEndian, utf.IgnoreBOM), "utf16be": utf.UTF16(utf.BigEndian, utf.IgnoreBOM),
	"utf16": utf.UTF16(utf.LittleEndian, utf.UseBOM), "utf32": utf32.UTF32(utf32.LittleEndian, utf32.UseBOM),
	"utf32le": utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM),
	"utf32be": utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM),
	"latin1":  charmap.Windows1252, "iso88591": charmap.Windows1252, "windows1252": charmap.Windows1252,
	"cp1252": charmap.Windows1252,
	"latin2": charmap.ISO8859_2, "iso88592": charmap.ISO8859_2, "latin9": charmap.ISO8859_15,
	"iso885915":   charmap.ISO8859_15,
	"windows1250": charmap.Windows1250, "windows1251": charmap.Windows1251, "macroman": charmap.Macintosh,
	"macintosh": charmap.Macintosh,
	"koi8r":     charmap.KOI8R, "cp437": charmap.CodePage437, "cp850": charmap.CodePage850,
}

// marks lists the bytes with which a file names its own encoding. The longer mark comes first.
var marks = []struct{ mark, name, title string }{
	{"\xef\xbb\xbf", "utf8", ""}, {"\xff\xfe\x00\x00", "utf32le", "UTF-32"}, {"\x00\x00\xfe\xff", "utf32be", "UTF-32"},
	{"\xff\xfe", "utf16le", "UTF-16"}, {"\xfe\xff", "utf16be", "UTF-16"},
}

// decoded returns the text of a file as UTF-8 with \n at the ends of lines, and what was assumed.
func decoded(raw []byte, named string) (text []byte, assumed []string, err error) {
	name, title := "", ""
	for _, m := range marks {
		if named == "" && name == "" && bytes.HasPrefix(raw, []byte(m.mark)) {
			raw, name, title = raw[len(m.mark):], m.name, m.title
		}
	}
	switch {
	case named != "":
		name = strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, named)
		if encodings[name] == nil {
			return nil, nil, fmt.Errorf("encoding %q is unknown%s", named,
				nearest.Hint(name, slices.Collect(maps.Keys(encodings))))
		}
	case name == "":
		name, title = guessed(raw)
	}
	if title != "" {
		assumed = append(assumed, title)
	}
	if strings.HasPrefix(name, "utf16") {
		raw = raw[:len(raw)/2*2]
	}
	text = raw
	if encodings[name] != encoding.Nop {
		if text, err = encodings[name].NewDecoder().Bytes(raw); err != nil {
			return nil, nil, fmt.Errorf("it cannot be read as %s: %w", name, err)
		}
	} else {
		var odd string
		if text, odd = repaired(text); odd != "" {
			assumed = append(assumed, odd)
		}
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if whole := bytes.TrimRight(text, "\x00"); len(whole) < len(text) {
		assumed = append(assumed, fmt.Sprintf("%d zero bytes at the end left out", len(text)-len(whole)))
		text = whole
	}
	if lone := bytes.Count(text, []byte("\r")) - bytes.Count(text, []byte("\r\n")); lone > 0 &&
		bytes.IndexByte(text, '"') < 0 || lone > 0 && bytes.IndexByte(text, '\n') < 0 {
		assumed = append(assumed, "lines that end in CR")
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	}
	return text, assumed, nil
}

// guessed returns an encoding for bytes that do not name one.
func guessed(raw []byte) (name, title string) {
	head := raw[:min(len(raw), 4096)]
	var zeros [2]int
	for i, b := range head {
		if b == 0 {
			zeros[i%2]++
		}
	}
	switch few, many := len(head)/20, len(head)/5; {
	case zeros[1] > many && zeros[0] <= few:
		return "utf16le", "UTF-16"
	case zeros[0] > many && zeros[1] <= few:
		return "utf16be", "UTF-16"
	}
	broken, letters := 0, 0
	for rest := raw; len(rest) > 0; {
		i := bytes.IndexFunc(rest, func(r rune) bool { return r >= utf8.RuneSelf })
		if i < 0 {
			break
		}
		r, n := utf8.DecodeRune(rest[i:])
		if r == utf8.RuneError && n == 1 && utf8.FullRune(rest[i:]) {
			broken++
		} else if n > 1 {
			letters++
		}
		rest = rest[i+n:]
	}
	if broken > letters {
		return "windows1252", "Windows-1252 (Latin-1)"
	}
	return "utf8", ""
}

// repaired replaces bytes that are not UTF-8. A letter that is cut off at the end is not an error.
func repaired(text []byte) ([]byte, string) {
	if utf8.Valid(text) {
		return text, ""
	}
	for cut := 1; cut < utf8.UTFMax && cut < len(text); cut++ {
		if end := text[len(text)-cut:]; utf8.RuneStart(end[0]) && !utf8.FullRune(end) &&
			utf8.Valid(text[:len(text)-cut]) {
			return text[:len(text)-cut], ""
		}
	}
	return bytes.ToValidUTF8(text, []byte("\ufffd")), "bytes that are no UTF-8 replaced by \ufffd"
}

// order returns the byte order for a sign of NumPy's.
func order(sign byte) binary.ByteOrder {
	if sign == '>' {
		return binary.BigEndian
	}
	return binary.LittleEndian
}
