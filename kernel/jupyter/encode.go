package jupyter

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"nacre/kernel"
)

// marshal is json.Marshal without HTML's escapes.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// bundle is d's MIME bundle as it travels: bytes become base64 for binary types and text for the others.
func bundle(d kernel.Data) (data, metadata map[string]any) {
	data = make(map[string]any, len(d.MIME))
	for mime, v := range d.MIME {
		if b, ok := v.([]byte); ok {
			v = encodeBytes(mime, b)
		}
		data[mime] = v
	}
	metadata = d.Metadata
	if metadata == nil {
		metadata = map[string]any{}
	}
	return data, metadata
}

func encodeBytes(mime string, b []byte) any {
	switch {
	case strings.HasSuffix(mime, "json") && json.Valid(b):
		return json.RawMessage(b)
	case (strings.HasPrefix(mime, "text/") || strings.HasSuffix(mime, "+xml")) && utf8.Valid(b):
		return string(b)
	}
	return base64.StdEncoding.EncodeToString(b)
}
