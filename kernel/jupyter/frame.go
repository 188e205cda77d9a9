package jupyter

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

// SubprotocolV1 is the WebSocket subprotocol whose frames EncodeV1 writes. Without a subprotocol, frames are legacy
// frames.
const SubprotocolV1 = "v1.kernel.websocket.jupyter.org"

// maxParts bounds the parts of one frame: four dictionaries, the channel and the buffers.
const maxParts = 10_000

var errFrame = errors.New("malformed message frame")

// EncodeV1 returns m as one binary frame. The frame begins with the number of offsets n and n offsets, as little-endian
// 64-bit numbers. Then come channel, header, parent header, metadata, content and buffers, each from its offset to the
// next.
func EncodeV1(m *Message) []byte {
	parts := append([][]byte{[]byte(m.Channel), m.Header, m.Parent, m.Metadata, m.Content}, m.Buffers...)
	n := len(parts) + 1
	offset := 8 * (n + 1)
	size := offset
	for _, p := range parts {
		size += len(p)
	}
	b := make([]byte, 0, size)
	b = binary.LittleEndian.AppendUint64(b, uint64(n))
	b = binary.LittleEndian.AppendUint64(b, uint64(offset))
	for _, p := range parts {
		offset += len(p)
		b = binary.LittleEndian.AppendUint64(b, uint64(offset))
	}
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// DecodeV1 reads what EncodeV1 wrote. The message shares b's memory.
func DecodeV1(b []byte) (*Message, error) {
	if len(b) < 8 {
		return nil, errFrame
	}
	n := binary.LittleEndian.Uint64(b)
	if n < 6 || n > maxParts || uint64(len(b)) < 8*(n+1) {
		return nil, fmt.Errorf("%w: %d offsets", errFrame, n)
	}
	offset := make([]uint64, n)
	for i := range offset {
		o := binary.LittleEndian.Uint64(b[8*(i+1):])
		if o > uint64(len(b)) || o < 8*(n+1) || (i > 0 && o < offset[i-1]) {
			return nil, fmt.Errorf("%w: offset %d is %d of %d bytes", errFrame, i, o, len(b))
		}
		offset[i] = o
	}
	part := func(i int) []byte { return b[offset[i]:offset[i+1]:offset[i+1]] }
	m := &Message{Channel: string(part(0)), Header: part(1), Parent: part(2), Metadata: part(3), Content: part(4)}
	for i := 5; i < int(n)-1; i++ {
		m.Buffers = append(m.Buffers, part(i))
	}
	return m, m.Check()
}

// legacy is a message as text.
type legacy struct {
	Channel  string            `json:"channel"`
	Header   json.RawMessage   `json:"header"`
	Parent   json.RawMessage   `json:"parent_header"`
	Metadata json.RawMessage   `json:"metadata"`
	Content  json.RawMessage   `json:"content"`
	Buffers  []json.RawMessage `json:"buffers"`
	MsgID    string            `json:"msg_id,omitempty"`
	MsgType  string            `json:"msg_type,omitempty"`
}

// EncodeLegacy returns m in the framing without a subprotocol. Without buffers the frame is text. With buffers it is
// binary: the number of parts and their offsets, as big-endian 32-bit numbers, then the text and the buffers.
func EncodeLegacy(m *Message) (b []byte, binaryFrame bool) {
	h := m.Head()
	text := encode(legacy{m.Channel, m.Header, m.Parent, m.Metadata, m.Content, []json.RawMessage{}, h.MsgID,
		h.MsgType})
	if len(m.Buffers) == 0 {
		return text, false
	}
	parts := append([][]byte{text}, m.Buffers...)
	offset := 4 * (len(parts) + 1)
	b = binary.BigEndian.AppendUint32(nil, uint32(len(parts)))
	for _, p := range parts {
		b = binary.BigEndian.AppendUint32(b, uint32(offset))
		offset += len(p)
	}
	for _, p := range parts {
		b = append(b, p...)
	}
	return b, true
}

// DecodeLegacy reads what EncodeLegacy wrote.
func DecodeLegacy(b []byte, binaryFrame bool) (*Message, error) {
	var buffers [][]byte
	if binaryFrame {
		parts, err := legacyParts(b)
		if err != nil {
			return nil, err
		}
		b, buffers = parts[0], parts[1:]
	}
	var l legacy
	if err := json.Unmarshal(b, &l); err != nil {
		return nil, fmt.Errorf("%w: %w", errFrame, err)
	}
	m := &Message{Channel: l.Channel, Header: l.Header, Parent: l.Parent, Metadata: l.Metadata, Content: l.Content,
		Buffers: buffers}
	if m.Channel == "" {
		m.Channel = Shell
	}
	return m, m.Check()
}

func legacyParts(b []byte) ([][]byte, error) {
	if len(b) < 8 {
		return nil, errFrame
	}
	n := uint64(binary.BigEndian.Uint32(b))
	if n < 1 || n > maxParts || uint64(len(b)) < 4*(n+1) {
		return nil, fmt.Errorf("%w: %d parts", errFrame, n)
	}
	end := uint64(len(b))
	parts := make([][]byte, n)
	for i := int(n) - 1; i >= 0; i-- {
		start := uint64(binary.BigEndian.Uint32(b[4*(i+1):]))
		if start > end || start < 4*(n+1) {
			return nil, fmt.Errorf("%w: offset %d is %d of %d bytes", errFrame, i, start, len(b))
		}
		parts[i], end = b[start:end:end], start
	}
	return parts, nil
}
