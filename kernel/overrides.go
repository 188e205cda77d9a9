package kernel

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"reflect"
	"strings"
	"time"

	"nacre/kernel/internal/rt"
)

// symbols are the library's, with those replaced that would reach past the session: printing goes to the cell that
// prints, os.Exit ends the cell, and functions that look into values know the types of cells.
func (s *session) symbols() map[string]map[string]reflect.Value {
	all := maps.Clone(s.library.Symbols())
	put := func(path string, fs map[string]any) {
		if table := maps.Clone(all[path]); table != nil { // the library has the package
			for name, f := range fs {
				table[name] = reflect.ValueOf(f)
			}
			all[path] = table
		}
	}
	put("fmt", s.fmtSymbols())
	put("log", s.logSymbols())
	put("errors", map[string]any{
		"As": func(err error, target any) bool { return s.reg.ErrorsAs(err, target) },
		"Is": func(err, target error) bool { return s.reg.ErrorsIs(err, target) },
	})
	put("encoding/json", map[string]any{
		"Marshal": func(v any) ([]byte, error) { return rt.Marshaled(json.Marshal(v)) },
		"MarshalIndent": func(v any, prefix, indent string) ([]byte, error) {
			return rt.Marshaled(json.MarshalIndent(v, prefix, indent))
		},
		"Unmarshal": func(data []byte, v any) error {
			if o, ok := v.(json.Unmarshaler); ok {
				if !json.Valid(data) {
					return json.Unmarshal(data, new(any))
				}
				return o.UnmarshalJSON(data)
			}
			return s.reg.Unmarshal(data, v)
		},
	})
	put("context", map[string]any{"WithValue": rt.ContextWithValue})
	put("encoding/binary", s.binarySymbols())
	put("flag", map[string]any{
		"Parse":         func() { flag.CommandLine.Parse(nil) }, // cells have no arguments
		"PrintDefaults": func() { s.reg.PrintDefaults(flag.CommandLine) },
		"NewFlagSet":    s.newFlagSet,
	})
	put("os", map[string]any{"Exit": s.exit})
	put("syscall", map[string]any{"Exit": s.exit})
	put("runtime", map[string]any{"Goexit": func() { s.engine.End() }, "TypeAssertionError": (*rt.AssertError)(nil),
		"Breakpoint": func() {
			panic(errors.New("runtime.Breakpoint is not supported: without a debugger it ends the kernel"))
		}})
	put("time", map[string]any{"Sleep": s.sleep})
	if vars := maps.Clone(all["os"]); vars != nil {
		vars["Stdout"] = reflect.ValueOf(&s.streams.out).Elem()
		vars["Stderr"] = reflect.ValueOf(&s.streams.err).Elem()
		vars["Stdin"] = reflect.ValueOf(&s.streams.in).Elem()
		args := []string{"notebook"}
		vars["Args"] = reflect.ValueOf(&args).Elem()
		all["os"] = vars
	}
	delete(all, ".")
	return all
}

// newFlagSet is flag.NewFlagSet whose usage knows the types of cells.
func (s *session) newFlagSet(name string, handling flag.ErrorHandling) *flag.FlagSet {
	f := flag.NewFlagSet(name, handling)
	f.Usage = func() {
		of := ""
		if f.Name() != "" {
			of = " of " + f.Name()
		}
		fmt.Fprintf(f.Output(), "Usage%s:\n", of)
		s.reg.PrintDefaults(f)
	}
	return f
}

// sleep is time.Sleep that an interrupt ends.
func (s *session) sleep(d time.Duration) {
	r := current()
	if r == nil || r.ctx == nil {
		time.Sleep(d)
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-r.ctx.Done():
		if r.stopped.Load() {
			s.engine.End()
		}
		<-t.C
	}
}

func (s *session) binarySymbols() map[string]any {
	return map[string]any{
		"Write": func(w io.Writer, order binary.ByteOrder, x any) error {
			v, named := s.reg.Fixed(x, false)
			return named(binary.Write(w, order, v))
		},
		"Append": func(b []byte, order binary.ByteOrder, x any) ([]byte, error) {
			v, named := s.reg.Fixed(x, false)
			b, err := binary.Append(b, order, v)
			return b, named(err)
		},
		"Encode": func(b []byte, order binary.ByteOrder, x any) (int, error) {
			v, named := s.reg.Fixed(x, false)
			n, err := binary.Encode(b, order, v)
			return n, named(err)
		},
		"Read": func(r io.Reader, order binary.ByteOrder, x any) error {
			v, named := s.reg.Fixed(x, true)
			return named(binary.Read(r, order, v))
		},
		"Decode": func(b []byte, order binary.ByteOrder, x any) (int, error) {
			v, named := s.reg.Fixed(x, true)
			n, err := binary.Decode(b, order, v)
			return n, named(err)
		},
		"Size": func(x any) int {
			v, _ := s.reg.Fixed(x, false)
			return binary.Size(v)
		},
	}
}

func (s *session) fmtSymbols() map[string]any {
	to := s.standin
	write := func(text string) (int, error) { return io.WriteString(s.stdout(), text) }
	sprint := func(a []any) string { return s.reg.Sprint(s.finite(a)) }
	sprintln := func(a []any) string { return s.reg.Sprintln(s.finite(a)) }
	return map[string]any{
		"Print":    func(a ...any) (int, error) { return write(sprint(a)) },
		"Println":  func(a ...any) (int, error) { return write(sprintln(a)) },
		"Printf":   func(f string, a ...any) (int, error) { return write(s.sprintf(f, a)) },
		"Sprint":   func(a ...any) string { return sprint(a) },
		"Sprintln": func(a ...any) string { return sprintln(a) },
		"Sprintf":  func(f string, a ...any) string { return s.sprintf(f, a) },
		"Fprint":   func(w io.Writer, a ...any) (int, error) { return to(w).Write([]byte(sprint(a))) },
		"Fprintln": func(w io.Writer, a ...any) (int, error) { return to(w).Write([]byte(sprintln(a))) },
		"Fprintf":  func(w io.Writer, f string, a ...any) (int, error) { return to(w).Write([]byte(s.sprintf(f, a))) },
		"Append":   func(b []byte, a ...any) []byte { return append(b, sprint(a)...) },
		"Appendln": func(b []byte, a ...any) []byte { return append(b, sprintln(a)...) },
		"Appendf":  func(b []byte, f string, a ...any) []byte { return append(b, s.sprintf(f, a)...) },
		"Errorf":   func(f string, a ...any) error { return s.reg.Errorf(f, s.finite(a)) },
		"Scan": func(a ...any) (int, error) {
			return s.scan(func(r io.Reader) (int, error) { return fmt.Fscan(r, a...) })
		},
		"Scanln": func(a ...any) (int, error) {
			return s.scan(func(r io.Reader) (int, error) { return fmt.Fscanln(r, a...) })
		},
		"Scanf": func(f string, a ...any) (int, error) {
			return s.scan(func(r io.Reader) (int, error) { return fmt.Fscanf(r, f, a...) })
		},
	}
}

// stdout and stderr write to what os.Stdout and os.Stderr are now: the cell, or a file that it has put there.
func (s *session) stdout() io.Writer { return s.standin(s.streams.out) }
func (s *session) stderr() io.Writer { return s.standin(s.streams.err) }

// standin returns a writer to the cell if w is a standard file, else w.
func (s *session) standin(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok {
		switch f {
		case s.streams.stdout:
			return writer{s, "stdout"}
		case s.streams.stderr:
			return writer{s, "stderr"}
		}
	}
	return w
}

// finite returns what is to be printed, unless printing it would never end and take the process with it.
func (s *session) finite(a []any) []any {
	for _, x := range a {
		switch reflect.ValueOf(x).Kind() {
		case reflect.Map, reflect.Slice, reflect.Pointer, reflect.Struct:
			if s.reg.Cyclic(x) {
				panic(fmt.Errorf("stack overflow: printing %s that contains itself never ends", rt.TypeName(x)))
			}
		}
	}
	return a
}

func (s *session) sprintf(f string, a []any) string {
	return s.reg.Sprintf(f, s.finite(a))
}

// scan reads from what the user types, a line at a time.
func (s *session) scan(read func(io.Reader) (int, error)) (int, error) {
	return read(bufio.NewReaderSize(&input{s: s}, 1))
}

type input struct {
	s    *session
	rest string
}

func (in *input) Read(p []byte) (int, error) {
	if in.rest == "" {
		r := in.s.owner()
		line, err := r.out.Input("", false)
		if err != nil {
			return 0, fmt.Errorf("%w: %w", errInputRefused, err)
		}
		in.rest = strings.TrimSuffix(line, "\n") + "\n"
	}
	n := copy(p[:1], in.rest)
	in.rest = in.rest[n:]
	return n, nil
}

func (s *session) logSymbols() map[string]any {
	l := log.New(writer{s, "stderr"}, "", log.LstdFlags)
	fatal := func(text string) {
		l.Output(3, text) // of the cell, which has called a function that calls this one
		s.exit(1)
	}
	fail := func(text string) {
		l.Output(3, text)
		panic(text)
	}
	return map[string]any{
		"Print":   func(a ...any) { l.Output(2, s.reg.Sprint(s.finite(a))) },
		"Println": func(a ...any) { l.Output(2, s.reg.Sprintln(s.finite(a))) },
		"Printf":  func(f string, a ...any) { l.Output(2, s.sprintf(f, a)) },
		"Fatal":   func(a ...any) { fatal(s.reg.Sprint(a)) }, "Fatalln": func(a ...any) { fatal(s.reg.Sprintln(a)) },
		"Fatalf": func(f string, a ...any) { fatal(s.sprintf(f, a)) },
		"Panic":  func(a ...any) { fail(s.reg.Sprint(a)) }, "Panicln": func(a ...any) { fail(s.reg.Sprintln(a)) },
		"Panicf":   func(f string, a ...any) { fail(s.sprintf(f, a)) },
		"SetFlags": l.SetFlags, "Flags": l.Flags, "SetPrefix": l.SetPrefix, "Prefix": l.Prefix,
		"SetOutput": func(w io.Writer) {
			l.SetOutput(s.standin(w))
		},
		"Writer": l.Writer, "Output": l.Output, "Default": func() *log.Logger { return l },
	}
}
