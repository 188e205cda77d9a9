package parquet

import (
	"encoding/base64"
	"strings"

	flatbuffers "github.com/google/flatbuffers/go"
)

// arrowKey is the key under which Arrow's writers (pandas, pyarrow, polars) keep their own schema: a message of
// FlatBuffers, in base64, behind eight bytes. Parquet has no type for spans of time; only this schema tells them from
// whole numbers.
const arrowKey = "ARROW:schema"

// Numbers of Arrow's Schema.fbs and Message.fbs: places of fields in their tables, and types.
const (
	messageHeader = 2
	schemaFields  = 1
	fieldName     = 0
	fieldType     = 2
	fieldOf       = 3
	fieldChildren = 5
	durationUnit  = 0

	typeList, typeStruct, typeFixedList, typeDuration, typeLargeList = 12, 13, 16, 18, 21
)

// spanUnits are Arrow's units of time, by their numbers; milliseconds are its default.
var spanUnits = []string{"seconds", "milliseconds", "microseconds", "nanoseconds"}

const milliseconds = 1

// spans returns the units of the columns that are spans of time, by the columns' names. A schema that cannot be read
// tells of none.
func spans(schema string) (units map[string]string) {
	defer func() {
		if recover() != nil { // FlatBuffers believes the offsets of a damaged message
			units = nil
		}
	}()
	raw, err := base64.StdEncoding.DecodeString(strings.TrimRight(schema, "\x00"))
	if err != nil || len(raw) < 16 {
		return nil
	}
	units = map[string]string{}
	body := raw[8:]
	message := flatbuffers.Table{Bytes: body, Pos: flatbuffers.GetUOffsetT(body)}
	var header flatbuffers.Table
	at := flatbuffers.UOffsetT(message.Offset(slot(messageHeader)))
	if at == 0 {
		return nil
	}
	message.Union(&header, at)
	eachTable(header, schemaFields, func(f flatbuffers.Table) { spansIn(f, "", units, 0) })
	return units
}

// slot is the place of field k in the list that begins a table.
func slot(k int) flatbuffers.VOffsetT { return flatbuffers.VOffsetT(4 + 2*k) }

// eachTable calls visit for the tables in the list that is field k of a table.
func eachTable(t flatbuffers.Table, k int, visit func(flatbuffers.Table)) {
	at := flatbuffers.UOffsetT(t.Offset(slot(k)))
	if at == 0 {
		return
	}
	first := t.Vector(at)
	for i := range t.VectorLen(at) {
		visit(flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(first + flatbuffers.UOffsetT(4*i))})
	}
}

// spansIn adds the units of a field and of the fields below it.
func spansIn(f flatbuffers.Table, prefix string, units map[string]string, depth int) {
	const deepest = 100
	if depth > deepest {
		return
	}
	name := prefix
	if at := flatbuffers.UOffsetT(f.Offset(slot(fieldName))); at > 0 && !strings.HasSuffix(prefix, listMark) {
		name = strings.TrimPrefix(prefix+"."+f.String(at+f.Pos), ".")
	}
	name = strings.TrimSuffix(name, listMark)
	switch kind := f.GetByteSlot(slot(fieldType), 0); kind {
	case typeDuration:
		var of flatbuffers.Table
		f.Union(&of, flatbuffers.UOffsetT(f.Offset(slot(fieldOf))))
		if unit := int(of.GetInt16Slot(slot(durationUnit), milliseconds)); unit >= 0 && unit < len(spanUnits) {
			units[name] = spanUnits[unit]
		}
	case typeStruct:
		eachTable(f, fieldChildren, func(c flatbuffers.Table) { spansIn(c, name, units, depth+1) })
	case typeList, typeFixedList, typeLargeList:
		eachTable(f, fieldChildren, func(c flatbuffers.Table) { spansIn(c, name+listMark, units, depth+1) })
	}
}

// listMark ends the name of a list while its element is read, which has the list's name.
const listMark = "\x00"
