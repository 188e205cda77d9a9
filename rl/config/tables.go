package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	toml "github.com/pelletier/go-toml/v2"
)

// Table is a table of a configuration that its struct has no field for.
type Table struct {
	Name    string // the key
	Comment string // above the table, by Encode
	Value   any    // pointer to a struct with the table's present values
	Omit    bool   // may be set, but Encode and Hash leave it out
}

// Tabled is a configuration that has further tables beside its fields, known only at run time: those of the algorithms
// a program has. Everything here treats them as if they were fields after the others.
type Tabled interface {
	// Tables lists every table that may be set, in the order in which they are written. What their Values point to
	// belongs to the caller.
	Tables() []Table
}

// TableSetter is the pointer to a Tabled that layers set tables of.
type TableSetter interface {
	Tabled
	// SetTable takes the new value, the struct itself, of a table that a layer mentions, also where that changed
	// nothing.
	SetTable(name string, value any)
}

// addressed is a pointer to the struct cfg, or to a copy where it is not a pointer.
func addressed(cfg any) reflect.Value {
	v := reflect.ValueOf(cfg)
	if v.Kind() == reflect.Pointer {
		return v
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p
}

// whole is cfg as one pointer to a struct: of a Tabled, one whose fields point to cfg's and to its tables; anything
// else as it is. The tables of a Tabled are those of list.
func whole(cfg any, list []Table) any {
	if _, ok := cfg.(Tabled); !ok {
		return cfg
	}
	var types []reflect.StructField
	var values []reflect.Value
	add := func(tag reflect.StructTag, pointer reflect.Value) {
		types = append(types, reflect.StructField{Name: "F" + strconv.Itoa(len(types)), Type: pointer.Type(), Tag: tag})
		values = append(values, pointer)
	}
	v := addressed(cfg).Elem()
	for _, f := range fields(v.Type()) {
		add(f.tag, v.FieldByIndex(f.index).Addr())
	}
	for _, t := range list {
		add(reflect.StructTag(fmt.Sprintf("toml:%q comment:%q", t.Name, t.Comment)), reflect.ValueOf(t.Value))
	}
	w := reflect.New(reflect.StructOf(types))
	for i, p := range values {
		w.Elem().Field(i).Set(p)
	}
	return w.Interface()
}

// tables are those of cfg, none where it is not Tabled.
func tables(cfg any) []Table {
	if t, ok := cfg.(Tabled); ok {
		return t.Tables()
	}
	return nil
}

// encoded are the tables that Encode writes.
func encoded(cfg any) []Table {
	return slices.DeleteFunc(tables(cfg), func(t Table) bool { return t.Omit })
}

// store gives cfg the tables that the text mentions.
func store(cfg any, list []Table, text []byte) error {
	setter, ok := cfg.(TableSetter)
	if !ok {
		return nil
	}
	var mentioned map[string]any
	if err := toml.Unmarshal(text, &mentioned); err != nil {
		return err
	}
	for _, t := range list {
		if _, has := mentioned[t.Name]; has {
			setter.SetTable(t.Name, reflect.ValueOf(t.Value).Elem().Interface())
		}
	}
	return nil
}
