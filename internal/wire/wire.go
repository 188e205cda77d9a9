// Package wire reads the fields of protocol buffers' messages without their definitions. The readers of event files and
// of W&B's files use it.
//
//	err := wire.Fields(message, func(number protowire.Number, v uint64, content []byte) error {
//		if number == nameField {
//			name = string(content)
//		}
//		return nil
//	})
package wire

import "google.golang.org/protobuf/encoding/protowire"

// Fields calls the function do for every field of a message, in order. It passes the bytes of a field that has a
// length; otherwise the number, and for a floating-point field its bits. It ends at the first error of do.
func Fields(message []byte, do func(number protowire.Number, v uint64, content []byte) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		var v uint64
		var content []byte
		switch kind {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(message)
		case protowire.Fixed32Type:
			var short uint32
			short, n = protowire.ConsumeFixed32(message)
			v = uint64(short)
		case protowire.Fixed64Type:
			v, n = protowire.ConsumeFixed64(message)
		case protowire.BytesType:
			content, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(number, kind, message)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		if err := do(number, v, content); err != nil {
			return err
		}
		message = message[n:]
	}
	return nil
}
