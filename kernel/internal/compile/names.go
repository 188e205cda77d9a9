package compile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"unsafe"
)

// show makes types print as those of the cells. data is an object file of the session's package, and path the package's
// path. A redefined type has another name in compiled code, because all symbols of one name must be equal, and a type
// argument is shown with its package's path. Programs see both in the strings of type descriptors. The run time reads
// such a string as a byte of flags, the length as a varint, and the text, which begins with a star. The path alone is
// such a string without a star.
func show(data []byte, path string, names map[string]string) {
	own := append([]byte{0, byte(len(path))}, path...)
	main := append([]byte("\x00\x04main"), make([]byte, len(path)-len("main"))...)
	for at := bytes.Index(data, own); at >= 0; at = bytes.Index(data, own) {
		copy(data[at:], main)
	}
	alternatives := []string{regexp.QuoteMeta(path) + `\.`}
	for from := range names {
		alternatives = append(alternatives, `main\.`+regexp.QuoteMeta(from)+`\b`)
	}
	find := regexp.MustCompile(`\b(?:` + strings.Join(alternatives, "|") + `)`)
	name := regexp.MustCompile(`\b(?:main|` + regexp.QuoteMeta(path) + `)\.(\w+)`)
	for next := 0; ; {
		m := find.FindIndex(data[next:])
		if m == nil {
			return
		}
		at := next + m[0]
		next += m[1]
		if head, start, end, ok := nameAround(data, at); ok {
			text := name.ReplaceAllStringFunc(string(data[start:end]), func(full string) string {
				of := full[strings.LastIndexByte(full, '.')+1:]
				if to, ok := names[of]; ok {
					of = to
				}
				return "main." + of
			})
			short := append(binary.AppendUvarint([]byte{data[head]}, uint64(len(text))), text...)
			clear(data[head+copy(data[head:end], short) : end])
			next = end
		}
	}
}

// nameAround finds the name in a descriptor that contains the byte at. It returns the place of its head, and start and
// end of its text.
func nameAround(data []byte, at int) (head, start, end int, ok bool) {
	control := func(r rune) bool { return r < ' ' }
	for start = at; start > 2 && at-start < 1<<14 && data[start] >= ' '; start-- {
		if data[start] != '*' {
			continue
		}
		for head = start - 2; head >= start-3; head-- {
			n, k := binary.Uvarint(data[head+1 : start])
			end = start + int(n)
			if k == start-head-1 && data[head] < 16 && at < end && end <= len(data) &&
				!strings.ContainsFunc(string(data[start:end]), control) {
				return head, start, end, true
			}
		}
	}
	return 0, 0, 0, false
}

// showCalled gives methods of pointers in a plugin the names that they have in the cells. The run time uses these names
// in its message about a method that needs a value and is called with a nil pointer. showCalled also marks the methods
// that are wrappers.
func showCalled(file, path string, src *Source) error {
	f, err := elf.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	table := f.Section(".gopclntab")
	if table == nil {
		return nil
	}
	data, err := table.Data()
	if err != nil {
		return err
	}
	if len(src.Wraps) > 0 {
		markWrappers(data, path, src.Wraps)
	}
	prefix := []byte("\x00" + path + ".(*")
	for at := 0; ; {
		k := bytes.Index(data[at:], prefix)
		if k < 0 {
			break
		}
		start := at + k + 1
		end := start + bytes.IndexByte(data[start:], 0)
		typ, method, _ := strings.Cut(string(data[at+k+len(prefix):end]), ")")
		typ, args, generic := strings.Cut(typ, "[")
		if to, ok := src.Shown[typ]; ok {
			typ = to
		}
		if generic {
			typ += "[" + args
		}
		clear(data[start+copy(data[start:end], "main.(*"+typ+")"+method) : end])
		at = end
	}
	out, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer out.Close()
	_, err = out.WriteAt(data, int64(table.Offset))
	return err
}

// kindAt is the place of a function's kind in the data that the run time has about the function.
const kindAt = 40

// markWrappers gives methods in a table of functions the kind of the compiler's own wrappers. Then recover treats the
// function that the method calls, its body, as the one that was deferred.
func markWrappers(table []byte, path string, methods []string) {
	own := reflect.ValueOf(wrapped{}.method).Pointer()
	kind := *(*byte)(unsafe.Add(unsafe.Pointer(runtime.FuncForPC(own)), kindAt))
	word := func(k int) uint64 { return binary.LittleEndian.Uint64(table[8*k:]) }
	number := func(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
	names, functions := table[word(4):], table[word(8):]
	for k := range word(1) {
		f := functions[number(functions[8*k+4:]):]
		name, _, _ := bytes.Cut(names[number(f[4:]):], []byte{0})
		if of, ok := bytes.CutPrefix(name, []byte(path+".")); ok && slices.Contains(methods, string(of)) {
			f[kindAt] = kind
		}
	}
}

// wrapped has a method for which the compiler makes a wrapper if the method is a function value.
type wrapped struct{}

//go:noinline
func (wrapped) method() {}
