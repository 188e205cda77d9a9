package hub

import (
	"encoding/json"

	"nacre/kernel/jupyter"
)

const (
	ringMessages = 20_000
	ringBytes    = 32 << 20
)

// ring keeps the last messages of a kernel, numbered from 1.
type ring struct {
	last  uint64 // number of the newest message
	list  []*jupyter.Message
	bytes int
}

// add numbers a message, keeps it and returns it. Its metadata says the number, as "seq", and which cell it belongs to,
// as "cell_id", if that is known.
func (r *ring) add(m *jupyter.Message, cell string) *jupyter.Message {
	r.last++
	numbered := *m
	numbered.Metadata = marked(m.Metadata, r.last, cell)
	r.list = append(r.list, &numbered)
	r.bytes += size(&numbered)
	drop := 0
	for drop < len(r.list)-1 && (len(r.list)-drop > ringMessages || r.bytes > ringBytes) {
		r.bytes -= size(r.list[drop])
		r.list[drop] = nil
		drop++
	}
	r.list = r.list[drop:]
	return &numbered
}

// first is the number of the oldest message kept.
func (r *ring) first() uint64 { return r.last - uint64(len(r.list)) + 1 }

// after returns the kept messages that follow number n, and whether those are all there were.
func (r *ring) after(n uint64) (list []*jupyter.Message, complete bool) {
	if n > r.last { // of an earlier life of the server
		return nil, false
	}
	missed := int(r.last - n)
	if missed > len(r.list) {
		return nil, false
	}
	return r.list[len(r.list)-missed:], true
}

// marked adds number and cell to a message's metadata.
func marked(metadata json.RawMessage, n uint64, cell string) json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(metadata, &m) != nil || m == nil {
		m = map[string]json.RawMessage{}
	}
	m["seq"], _ = json.Marshal(n)
	if cell != "" {
		m["cell_id"], _ = json.Marshal(cell)
	}
	b, err := json.Marshal(m)
	if err != nil {
		return metadata
	}
	return b
}

// number is the message's number; 0 for one that has none.
func number(m *jupyter.Message) uint64 {
	var meta struct {
		Seq uint64 `json:"seq"`
	}
	if json.Unmarshal(m.Metadata, &meta) != nil {
		return 0
	}
	return meta.Seq
}

// size is about how much memory a message takes.
func size(m *jupyter.Message) int {
	n := 256 + len(m.Header) + len(m.Parent) + len(m.Metadata) + len(m.Content)
	for _, b := range m.Buffers {
		n += len(b)
	}
	return n
}
