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
	fieldType     = 2
	fieldOf       = 3
	fieldChildren = 5
	durationUnit  = 0

	typeDuration = 18
)

// spanUnits are Arrow's units of time, by their numbers; milliseconds are its default.
var spanUnits = []string{"seconds", "milliseconds", "microseconds", "nanoseconds"}

const milliseconds = 1

// spans returns a unit for each of the columns that hold values, in their order: "" of one that is no span of time. A
// schema that cannot be read tells of none.
func spans(schema string) (units []string) {
	defer func() {
		if recover() != nil { // FlatBuffers believes the offsets of a damaged message
			units = nil
		}
	}()
	raw, err := base64.StdEncoding.DecodeString(strings.TrimRight(schema, "\x00"))
	if err != nil || len(raw) < 16 {
		return nil
	}
	body := raw[8:]
	message := flatbuffers.Table{Bytes: body, Pos: flatbuffers.GetUOffsetT(body)}
	var header flatbuffers.Table
	at := flatbuffers.UOffsetT(message.Offset(slot(messageHeader)))
	if at == 0 {
		return nil
	}
	message.Union(&header, at)
	eachTable(header, schemaFields, func(f flatbuffers.Table) { units = append(units, spansIn(f, 0)...) })
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

// spansIn returns the units of a field, or those of the fields below it.
func spansIn(f flatbuffers.Table, depth int) (units []string) {
	const deepest = 100
	if depth > deepest {
		return nil
	}
	eachTable(f, fieldChildren, func(c flatbuffers.Table) { units = append(units, spansIn(c, depth+1)...) })
	if units != nil {
		return units
	}
	unit := ""
	if f.GetByteSlot(slot(fieldType), 0) == typeDuration {
		var of flatbuffers.Table
		f.Union(&of, flatbuffers.UOffsetT(f.Offset(slot(fieldOf))))
		if k := int(of.GetInt16Slot(slot(durationUnit), milliseconds)); k >= 0 && k < len(spanUnits) {
			unit = spanUnits[k]
		}
	}
	return []string{unit}
}
