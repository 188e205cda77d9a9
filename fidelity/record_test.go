package fidelity

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"testing"
)

var recordIn = flag.String("record", "",
	"a file of docs/measurements: its row of these programs and this engine is replaced")

// record puts the counts into a measurement.
func record(t *testing.T, programs string, n int, counts map[Class]int) {
	t.Helper()
	if *recordIn == "" {
		return
	}
	data, err := os.ReadFile(*recordIn)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]json.RawMessage
	type row struct {
		Of    []string       `json:"of"`
		Cells map[string]int `json:"cells"`
	}
	var rows []row
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(m["rows"], &rows); err != nil {
		t.Fatal(err)
	}
	own := row{[]string{programs, *engine}, map[string]int{
		"programs": n, "same": counts[Same], "refused": counts[Refused], "wrong": counts[Wrong],
		"silent": counts[Silent],
	}}
	found := false
	for k, r := range rows {
		if reflect.DeepEqual(r.Of, own.Of) {
			rows[k], found = own, true
		}
	}
	if !found {
		rows = append(rows, own)
	}
	var list bytes.Buffer
	for k, r := range rows {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		list.WriteString(map[bool]string{true: "\n  ", false: ",\n  "}[k == 0])
		list.Write(line)
	}
	from := bytes.Index(data, []byte(`"rows": [`))
	if from < 0 {
		t.Fatalf("%s: no rows", *recordIn)
	}
	out := append(data[:from:from], []byte(`"rows": [`+list.String()+"\n ]\n}\n")...)
	if err := os.WriteFile(*recordIn, out, 0o644); err != nil {
		t.Fatal(err)
	}
}
