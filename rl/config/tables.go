package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	toml "github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Table is a table of a configuration for which its struct has no field.
type Table struct {
	Name    string // key of the table
	Comment string // comment that Encode writes above the table
	Value   any    // pointer to a struct with the table's present values
	Omit    bool   // the table may be set, but Encode and Hash leave it out
}

// Tabled is a configuration with further tables beside its fields, known only at run time: the tables of the program's
// algorithms. This package treats them as fields after the others.
type Tabled interface {
	// Tables lists every table that may be set, in the order in which they are written. The caller owns the structs
	// that their Values point to.
	Tables() []Table
}

// TableSetter is a pointer to a Tabled whose tables can be set by layers.
type TableSetter interface {
	Tabled
	// SetTable sets a table that a layer mentions, even if the layer changed nothing. value is the struct itself.
	SetTable(name string, value any)
}

// addressed returns a pointer to the struct cfg, or to a copy if cfg is not a pointer.
func addressed(cfg any) reflect.Value {
	v := reflect.ValueOf(cfg)
	if v.Kind() == reflect.Pointer {
		return v
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p
}

// whole returns cfg as one pointer to a struct. For a Tabled, the fields of this struct point to cfg's fields and to
// the tables of list. Anything else is returned as it is.
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

// tables returns the tables of cfg, or none if cfg is not Tabled.
func tables(cfg any) []Table {
	if t, ok := cfg.(Tabled); ok {
		return t.Tables()
	}
	return nil
}

// encoded returns the tables that Encode writes.
func encoded(cfg any) []Table {
	return slices.DeleteFunc(tables(cfg), func(t Table) bool { return t.Omit })
}

// store gives cfg the tables that the text mentions.
func store(name string, cfg any, list []Table, text []byte) error {
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
			if p, ok := cfg.(tablePlacer); ok {
				p.PlaceTable(t.Name, placeOf(name, text, t.Name))
			}
		}
	}
	return nil
}

// tablePlacer is a TableSetter that keeps where a table was set, for messages.
type tablePlacer interface {
	PlaceTable(table, where string)
}

// placeOf returns where a layer sets the first key of a table.
func placeOf(name string, text []byte, table string) string {
	row := 0
	each(text, func(_ *unstable.Parser, path []string, at int, _ *unstable.Node) {
		if row == 0 && path[0] == table {
			row = at
		}
	})
	if row == 0 {
		return name
	}
	return at(name, row)
}
