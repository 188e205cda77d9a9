package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// readJSON reads rows: a list of objects, objects one a line, an object of lists, and what pandas and polars write.
func readJSON(raw []byte, ending string, o Options) (*File, error) {
	text, assumed, err := decoded(raw, o.Encoding)
	if err != nil {
		return nil, err
	}
	f := &File{Table: true}
	text, odd := withoutNaN(text)
	if odd {
		assumed = append(assumed, "NaN and Infinity, which JSON does not have, as in Python")
	}
	values, err := jsonValues(text)
	if line, ok := err.(*errCut); ok && len(values) > 0 {
		assumed = append(assumed, fmt.Sprintf("line %d left out: it is cut off", line.line))
	} else if err != nil {
		return nil, err
	}
	if len(assumed) > 0 {
		f.note("read as: %s", strings.Join(assumed, "; "))
	}
	if len(values) == 0 {
		return nil, errors.New("the file is empty; expected objects, or lists of values")
	}
	if err = f.fromJSON(values, ending == ".json"); err == nil && len(f.Arrays) == 0 && len(f.Notes) == 0 {
		f.note("it holds no values")
	}
	return f, err
}

// fromJSON reads values that follow one another. If whole is true and there is one value, that value may be a whole
// table.
func (f *File) fromJSON(values []any, whole bool) error {
	if len(values) > 1 {
		for k, v := range values {
			if list, ok := v.([]any); ok && (some[object](list) || whole && some[[]any](list)) {
				return fmt.Errorf("value %d of %d that follow one another is a list of rows; expected one such list, "+
					"or an object on each line: join the lists", k+1, len(values))
			}
		}
		return f.rowsOf(values)
	}
	switch v := values[0].(type) {
	case []any:
		return f.rowsOf(v)
	case object:
		if whole {
			if read, err := f.namedRows(v); read {
				return err
			}
		}
		return f.object(v)
	}
	return f.rowsOf(values)
}

// maxDepth limits how deeply values may be nested, because the names of nested objects grow with it.
const maxDepth = 100

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any // nil, bool, json.Number, notNumber, string, []any or object
}

func (o object) find(name string) (any, bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

// times is how often a name is there.
func (o object) times(name string) (n int) {
	for _, m := range o {
		if m.name == name {
			n++
		}
	}
	return n
}

// tooLarge is a number that exceeds float64. It stands for infinity.
const tooLarge = "1e999"

// noNumber is the number that stands for NaN.
const noNumber = "0e999"

// withoutNaN replaces the words NaN and Infinity, which Python writes, by numbers of JSON that stand for them.
// The ends of lines stay where they are.
func withoutNaN(text []byte) ([]byte, bool) {
	if !bytes.Contains(text, []byte("NaN")) && !bytes.Contains(text, []byte("Infinity")) {
		return text, false
	}
	out, quoted, odd := make([]byte, 0, len(text)), false, false
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case quoted && text[i] == '\\' && i+1 < len(text):
			out = append(out, text[i])
			i++
		case text[i] == '"':
			quoted = !quoted
		case quoted:
		case bytes.HasPrefix(rest, []byte("NaN")):
			out, odd = append(out, noNumber...), true
			i += len("NaN") - 1
			continue
		case bytes.HasPrefix(rest, []byte("Infinity")):
			out, odd = append(out, tooLarge...), true
			i += len("Infinity") - 1
			continue
		}
		out = append(out, text[i])
	}
	return out, odd
}

// errCut is the error of a text that ends inside a value.
type errCut struct{ line int }

func (e *errCut) Error() string {
	return fmt.Sprintf("line %d: the file ends within a value", e.line)
}

// jsonValues reads values that follow one another.
func jsonValues(text []byte) (out []any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		v, err := jsonValue(d, 0)
		if err == io.EOF {
			return out, nil
		}
		if err == nil {
			out = append(out, v)
			continue
		}
		// If the text ends inside a value, Go 1.26 returns io.ErrUnexpectedEOF and Go 1.27 a syntax error with this
		// text.
		var bad *json.SyntaxError
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &bad) &&
			bad.Error() == "unexpected end of JSON input" {
			return out, &errCut{lineCount(text)}
		}
		at := min(int(d.InputOffset()), len(text))
		at = len(text) - len(bytes.TrimLeft(text[at:], " \t\r\n,:"))
		return out, fmt.Errorf("line %d: %w", 1+bytes.Count(text[:at], []byte("\n")), err)
	}
}

func jsonValue(d *json.Decoder, depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("values within values, more than %d deep", maxDepth)
	}
	within := func(err error) error {
		if err == io.EOF {
			return io.ErrUnexpectedEOF
		}
		return err
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := jsonValue(d, depth+1)
			if err != nil {
				return nil, within(err)
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, within(err)
	case json.Delim('{'):
		o := object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, within(err)
			}
			v, err := jsonValue(d, depth+1)
			if err != nil {
				return nil, within(err)
			}
			o = append(o, member{name.(string), v})
		}
		_, err := d.Token()
		return o, within(err)
	}
	if t == json.Number(noNumber) {
		return notNumber{}, nil
	}
	return t, nil
}
