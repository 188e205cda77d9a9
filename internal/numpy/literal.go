package numpy

import (
	"errors"
	"strconv"
	"strings"
)

var errDamaged = errors.New("its header is damaged")

// literal reads a Python literal as NumPy writes them into headers: texts, whole numbers, truth values, and tuples,
// lists and dictionaries of these.
type literal struct{ text string }

// deepest is how deep structures may lie in one another.
const deepest = 20

func (p *literal) value(depth int) (any, error) {
	p.text = strings.TrimLeft(p.text, " \n\t")
	if p.text == "" || depth > deepest {
		return nil, errDamaged
	}
	switch c := p.text[0]; c {
	case '\'', '"':
		s, rest, ok := strings.Cut(p.text[1:], p.text[:1])
		if !ok || strings.Contains(s, `\`) {
			return nil, errDamaged
		}
		p.text = rest
		return s, nil
	case '(', '[':
		return p.list(map[byte]byte{'(': ')', '[': ']'}[c], depth)
	case '{':
		return p.dictionary(depth)
	}
	word := p.text
	if k := strings.IndexAny(word, " ,:)]}\n\t"); k >= 0 {
		word = word[:k]
	}
	p.text = p.text[len(word):]
	switch word {
	case "True", "False":
		return word == "True", nil
	}
	n, err := strconv.Atoi(strings.TrimSuffix(word, "L")) // number of Python 2
	if err != nil {
		return nil, errDamaged
	}
	return n, nil
}

// sign takes the next sign if it is c.
func (p *literal) sign(c byte) bool {
	p.text = strings.TrimLeft(p.text, " \n\t")
	if p.text == "" || p.text[0] != c {
		return false
	}
	p.text = p.text[1:]
	return true
}

// list reads a tuple or a list up to its end. A value in brackets alone is itself.
func (p *literal) list(end byte, depth int) (any, error) {
	p.text = p.text[1:]
	out, comma := []any{}, true
	for !p.sign(end) {
		if !comma {
			return nil, errDamaged
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
		comma = p.sign(',')
	}
	if end == ')' && len(out) == 1 && !comma {
		return out[0], nil
	}
	return out, nil
}

func (p *literal) dictionary(depth int) (any, error) {
	p.text = p.text[1:]
	out, comma := map[string]any{}, true
	for !p.sign('}') {
		if !comma {
			return nil, errDamaged
		}
		key, err := p.value(depth + 1)
		name, ok := key.(string)
		if err != nil || !ok || !p.sign(':') {
			return nil, errDamaged
		}
		if out[name], err = p.value(depth + 1); err != nil {
			return nil, err
		}
		comma = p.sign(',')
	}
	return out, nil
}
