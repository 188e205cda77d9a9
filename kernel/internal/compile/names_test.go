package compile

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

// record is a name as the run time reads it in a type's descriptor.
func record(text string) []byte {
	return append(binary.AppendUvarint([]byte{1}, uint64(len(text))), text...)
}

func TestShow(t *testing.T) {
	long := strings.Repeat("x", 120) // its length takes two bytes with the old name, one with the new
	data := bytes.Join([][]byte{
		[]byte("type:.namedata.*main.T_2-"), // a symbol's name, not one of a type
		record("*main.T_2"), record("*map[main.T_2]main.T_2"), record("*main.T_23"),
		record("*" + long[:113] + "[main.T_2]"),
		record("*main.Pair[int,cells/7.T_2,cells/7.U,cells/71.T]"), []byte("\x00\x07cells/7"),
	}, []byte{0, 0})
	size := len(data)
	show(data, "cells/7", map[string]string{"T_2": "T"})
	if len(data) != size {
		t.Fatalf("%d bytes became %d", size, len(data))
	}
	if !bytes.HasPrefix(data, []byte("type:.namedata.*main.T_2-")) {
		t.Errorf("a symbol changed: %q", data[:25])
	}
	if !bytes.HasSuffix(data, []byte("\x00\x04main\x00\x00\x00")) {
		t.Errorf("the package has not the path main: %q", data[size-9:])
	}
	for _, want := range []string{"*main.T", "*map[main.T]main.T", "*main.T_23", "*" + long[:113] + "[main.T]",
		"*main.Pair[int,main.T,main.U,cells/71.T]"} {
		if !bytes.Contains(data, append(record(want), 0)) && !bytes.HasSuffix(data, record(want)) {
			t.Errorf("no record of %q in %q", want, data)
		}
	}
}
