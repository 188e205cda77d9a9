package rt

import (
	"encoding"
	"flag"
	"reflect"
)

// PrintDefaults prints what FlagSet.PrintDefaults prints. Package flag makes a new value of the type to see if a
// default is the zero value. It cannot do this for cells' types.
func (r *Registry) PrintDefaults(f *flag.FlagSet) {
	shown := flag.NewFlagSet("", flag.ContinueOnError)
	shown.SetOutput(f.Output())
	f.VisitAll(func(x *flag.Flag) {
		o, ok := object(r.Norm(x.Value))
		if !ok {
			shown.Var(x.Value, x.Name, x.Usage)
			shown.Lookup(x.Name).DefValue = x.DefValue
			return
		}
		b, _ := x.Value.(interface{ IsBoolFlag() bool })
		shown.Var(zeroFlag(b != nil && b.IsBoolFlag()), x.Name, x.Usage)
		if x.DefValue != zeroText(o) {
			shown.Lookup(x.Name).DefValue = x.DefValue
		}
	})
	shown.PrintDefaults()
}

// zeroFlag is a flag that is not set. Its value is true if the flag takes no value.
type zeroFlag bool

func (zeroFlag) String() string     { return "" }
func (zeroFlag) Set(string) error   { return nil }
func (f zeroFlag) IsBoolFlag() bool { return bool(f) }

// zeroText returns the result of method String of a new value of o's type.
func zeroText(o Obj) (text string) {
	v := reflect.Zero(reflect.TypeOf(o.V))
	if v.Kind() == reflect.Pointer {
		v = reflect.New(v.Type().Elem())
	}
	defer func() { recover() }()
	if m, ok := o.T.bind("String", v.Interface()); ok {
		text = m.Call(nil)[0].String()
	}
	return text
}

// TextVar works like flag.TextVar for a pointer to a cell's type and for its default value.
func (r *Registry) TextVar(f *flag.FlagSet, p any, name string, value any, usage string) {
	to, ok := object(r.Norm(p))
	from, isObj := object(r.Norm(value))
	if !ok || !isObj {
		refuse("flags of types of cells are not supported by this engine in TextVar where the default is of another " +
			"type")
	}
	v := reflect.ValueOf(from.V)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if reflect.ValueOf(to.V).Kind() != reflect.Pointer || v.Type() != reflect.TypeOf(to.V).Elem() {
		panic("default type does not match variable type")
	}
	reflect.ValueOf(to.V).Elem().Set(v)
	f.Var(textFlag{r, to}, name, usage)
}

// textFlag sets a cell's value through its methods.
type textFlag struct {
	r *Registry
	o Obj
}

func (f textFlag) Get() any { return f.o }

func (f textFlag) Set(text string) error {
	u := f.r.Wrap(f.o, reflect.TypeFor[encoding.TextUnmarshaler]()).Interface().(encoding.TextUnmarshaler)
	return u.UnmarshalText([]byte(text))
}

func (f textFlag) String() string {
	if f.r == nil {
		return ""
	}
	if w, ok := f.r.TryWrap(f.o, reflect.TypeFor[encoding.TextMarshaler]()); ok {
		if b, err := w.Interface().(encoding.TextMarshaler).MarshalText(); err == nil {
			return string(b)
		}
	}
	return ""
}
