package rt

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Sprint, Sprintln and Sprintf are fmt's for the contents of cells' interfaces. Package fmt prints operands of basic
// types, and all operands if there are no others. It does not know the names, the methods and the unexported fields of
// cells' types. So another printer follows fmt's rules for these types.

// Sprint is fmt.Sprint.
func (r *Registry) Sprint(a []any) string {
	if plainOperands(a) {
		return fmt.Sprint(a...)
	}
	p := r.printer()
	wasString := false
	for k, x := range a {
		isString := p.isString(x)
		if k > 0 && !isString && !wasString {
			p.text(" ")
		}
		p.operand(x, 'v')
		wasString = isString
	}
	return string(p.buf)
}

// Sprintln is fmt.Sprintln.
func (r *Registry) Sprintln(a []any) string {
	if plainOperands(a) {
		return fmt.Sprintln(a...)
	}
	p := r.printer()
	for k, x := range a {
		if k > 0 {
			p.text(" ")
		}
		p.operand(x, 'v')
	}
	p.text("\n")
	return string(p.buf)
}

// Sprintf is fmt.Sprintf.
func (r *Registry) Sprintf(format string, a []any) string {
	if plainOperands(a) {
		return fmt.Sprintf(format, a...)
	}
	p := r.printer()
	p.printf(format, a)
	return string(p.buf)
}

// Errorf is fmt.Errorf.
func (r *Registry) Errorf(format string, a []any) error {
	if plainOperands(a) {
		return fmt.Errorf(format, a...)
	}
	p := r.printer()
	p.wraps = map[int]bool{}
	p.printf(format, a)
	in, wrapped := []any{string(p.buf)}, []error{}
	for k, x := range a { // fmt makes an error that wraps others and has no text of its own, and these take its place
		if e, ok := r.Norm(x).(error); ok && p.wraps[k] {
			in, wrapped = append(in, errors.New("")), append(wrapped, e)
		}
	}
	err := fmt.Errorf("%s"+strings.Repeat("%w", len(wrapped)), in...)
	set := func(name string, x any) {
		f := reflect.ValueOf(err).Elem().FieldByName(name)
		reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem().Set(reflect.ValueOf(x))
	}
	switch len(wrapped) {
	case 0:
	case 1:
		set("err", wrapped[0])
	default:
		set("errs", wrapped)
	}
	return err
}

// plainOperands reports whether fmt prints all operands correctly by itself.
func plainOperands(a []any) bool {
	for _, x := range a {
		switch x.(type) {
		case nil, bool, string, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, uintptr,
			float32, float64, complex64, complex128, []byte, []int, []float64, []string:
		default:
			return false
		}
	}
	return true
}

// flags are the flags of a verb.
type flags struct {
	width, precision     int
	hasWidth, hasPrec    bool
	minus, plus          bool
	sharp, space, zero   bool
	plusFields, goSyntax bool // %+v and %#v, whose flags do not apply to the values inside
}

// spec returns the verb with its flags, as text.
func (f *flags) spec(verb rune) string {
	b := make([]byte, 1, 16)
	b[0] = '%'
	for _, x := range []struct {
		set  bool
		mark byte
	}{{f.minus, '-'}, {f.plus || f.plusFields, '+'}, {f.sharp || f.goSyntax, '#'}, {f.space, ' '}, {f.zero, '0'}} {
		if x.set {
			b = append(b, x.mark)
		}
	}
	if f.hasWidth {
		b = strconv.AppendInt(b, int64(f.width), 10)
	}
	if f.hasPrec {
		b = strconv.AppendInt(append(b, '.'), int64(f.precision), 10)
	}
	return string(utf8.AppendRune(b, verb))
}

// printf prints by a format.
func (p *printer) printf(format string, a []any) {
	next, indexed, reordered := 0, false, false
	end := len(format)
	number := func(i int) (n int, ok bool, at int) {
		for at = i; at < end && '0' <= format[at] && format[at] <= '9' && n < 1e6; at++ {
			n, ok = n*10+int(format[at]-'0'), true
		}
		if n >= 1e6 {
			return 0, false, end
		}
		return n, ok, at
	}
	for i := 0; i < end; {
		from := i
		for i < end && format[i] != '%' {
			i++
		}
		p.text(format[from:i])
		if i >= end {
			break
		}
		i++
		p.flags = flags{}
		good := true
	mark:
		for ; i < end; i++ {
			switch format[i] {
			case '#':
				p.sharp = true
			case '0':
				p.zero = true
			case '+':
				p.plus = true
			case '-':
				p.minus = true
			case ' ':
				p.space = true
			default:
				break mark
			}
		}
		index := func() {
			indexed = false
			if i >= end || format[i] != '[' {
				return
			}
			reordered = true
			n, ok, at := number(i + 1)
			if ok && at < end && format[at] == ']' && 1 <= n && n <= len(a) {
				next, i, indexed = n-1, at+1, true
				return
			}
			good = false
			for at = i + 1; at < end && format[at] != ']'; at++ {
			}
			if at < end {
				i = at + 1
			} else {
				i++
			}
		}
		// star returns the operand of a * for a width or precision.
		star := func() (n int, ok bool) {
			i++
			if next < len(a) {
				v := reflect.ValueOf(p.r.Value(a[next]))
				switch {
				case v.CanInt():
					n, ok = int(v.Int()), true
				case v.CanUint():
					n, ok = int(v.Uint()), int(v.Uint()) >= 0
				}
				next++
			}
			if ok = ok && -1e6 <= n && n <= 1e6; !ok {
				n = 0
			}
			indexed = false
			return n, ok
		}
		index()
		if i < end && format[i] == '*' {
			if p.width, p.hasWidth = star(); !p.hasWidth {
				p.text("%!(BADWIDTH)")
			}
			if p.width < 0 {
				p.width, p.minus, p.zero = -p.width, true, false
			}
		} else {
			p.width, p.hasWidth, i = number(i)
			if indexed && p.hasWidth {
				good = false
			}
		}
		if i+1 < end && format[i] == '.' {
			i++
			if indexed {
				good = false
			}
			index()
			if i < end && format[i] == '*' {
				if p.precision, p.hasPrec = star(); p.precision < 0 {
					p.precision, p.hasPrec = 0, false
				}
				if !p.hasPrec {
					p.text("%!(BADPREC)")
				}
			} else {
				p.precision, _, i = number(i)
				p.hasPrec = true
			}
		}
		if !indexed {
			index()
		}
		if i >= end {
			p.text("%!(NOVERB)")
			break
		}
		verb, size := utf8.DecodeRuneInString(format[i:])
		i += size
		switch {
		case verb == '%':
			p.text("%")
			continue
		case !good:
			p.text("%!" + string(verb) + "(BADINDEX)")
			continue
		case next >= len(a):
			p.text("%!" + string(verb) + "(MISSING)")
			continue
		case verb == 'v' || verb == 'w':
			p.goSyntax, p.sharp = p.sharp, false
			p.plusFields, p.plus = p.plus, false
			if verb == 'w' && p.wraps != nil {
				p.wraps[next] = true
			}
		}
		p.operand(a[next], verb)
		next++
	}
	if reordered || next >= len(a) {
		return
	}
	p.flags = flags{}
	p.text("%!(EXTRA ")
	for k, x := range a[next:] {
		if k > 0 {
			p.text(", ")
		}
		if x == nil {
			p.text("<nil>")
			continue
		}
		p.text(p.item(x).name() + "=")
		p.operand(x, 'v')
	}
	p.text(")")
}
