package jupyter

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"nacre/internal/bounded"
)

func sample() *Message {
	return &Message{
		Channel: "iopub", Header: []byte(`{"msg_id":"a","msg_type":"stream"}`), Parent: []byte(`{}`),
		Metadata: []byte(`{}`),
		Content:  []byte(`{"text":"é"}`), Buffers: [][]byte{{1, 2, 3}, {}},
	}
}

// The bytes were written by hand from the description of the protocol: the number of offsets, the offsets, the parts.
func TestV1Layout(t *testing.T) {
	m := &Message{Channel: "shell", Header: []byte(`{"msg_id":"a","msg_type":"x"}`), Parent: []byte(`{}`),
		Metadata: []byte(`{}`), Content: []byte(`{}`)}
	want := "0600000000000000" + // six offsets
		"3800000000000000" + "3d00000000000000" + "5a00000000000000" + "5c00000000000000" + "5e00000000000000" +
		"6000000000000000" +
		hex.EncodeToString([]byte(`shell{"msg_id":"a","msg_type":"x"}{}{}{}`))
	if got := hex.EncodeToString(EncodeV1(m)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestFramesRoundTrip(t *testing.T) {
	for _, buffers := range [][][]byte{nil, {{1, 2, 3}, {}}} {
		m := sample()
		m.Buffers = buffers
		got, err := DecodeV1(EncodeV1(m))
		if err != nil || !same(got, m) {
			t.Errorf("v1: %+v, %v", got, err)
		}
		frame, isBinary := EncodeLegacy(m)
		if isBinary != (buffers != nil) {
			t.Errorf("legacy frame of %d buffers: binary %v", len(buffers), isBinary)
		}
		if got, err = DecodeLegacy(frame, isBinary); err != nil || !same(got, m) {
			t.Errorf("legacy: %+v, %v", got, err)
		}
	}
}

func same(a, b *Message) bool {
	return a.Channel == b.Channel && string(a.Header) == string(b.Header) && string(a.Parent) == string(b.Parent) &&
		string(a.Content) == string(b.Content) && len(a.Buffers) == len(b.Buffers) &&
		(len(a.Buffers) == 0 || reflect.DeepEqual(a.Buffers, b.Buffers))
}

func TestMalformedFrames(t *testing.T) {
	good := EncodeV1(sample())
	with := func(i int, v uint64) []byte {
		b := bytes.Clone(good)
		binary.LittleEndian.PutUint64(b[8*i:], v)
		return b
	}
	for name, b := range map[string][]byte{
		"empty": nil, "short": good[:7], "cut": good[:40], "huge count": with(0, 1<<62), "count of zero": with(0, 0),
		"count beyond the frame": with(0, 9999), "offset beyond": with(3, 1<<40), "overlap": with(3, 70),
		"into the table": with(1, 8),
	} {
		if m, err := DecodeV1(b); err == nil {
			t.Errorf("%s: decoded %+v", name, m)
		}
	}
	for _, text := range []string{
		``, `[]`, `{"channel":"shell"}`, `{"channel":"nowhere","header":{"msg_id":"a","msg_type":"b"}}`,
		`{"channel":"shell","header":{"msg_id":"","msg_type":"b"}}`,
		`{"channel":"shell","header":{"msg_id":"a","msg_type":"b"},"content":[]}`,
	} {
		if m, err := DecodeLegacy([]byte(text), false); err == nil {
			t.Errorf("%s: decoded %+v", text, m)
		}
	}
}

func FuzzDecodeV1(f *testing.F) {
	f.Add(EncodeV1(sample()))
	f.Fuzz(func(t *testing.T, b []byte) {
		defer bounded.Input(t, len(b))()
		m, err := DecodeV1(b)
		if err != nil {
			return
		}
		again, err := DecodeV1(EncodeV1(m))
		if err != nil || !same(again, m) {
			t.Errorf("%q: %+v, then %+v, %v", b, m, again, err)
		}
	})
}

func FuzzDecodeLegacy(f *testing.F) {
	frame, _ := EncodeLegacy(sample())
	f.Add(frame, true)
	f.Add([]byte(`{"channel":"shell","header":{"msg_id":"a","msg_type":"b"}}`), false)
	f.Fuzz(func(t *testing.T, b []byte, isBinary bool) {
		defer bounded.Input(t, len(b))()
		if m, err := DecodeLegacy(b, isBinary); err == nil && m.Head().MsgID == "" {
			t.Errorf("%q: a message without an identifier", b)
		}
	})
}

func TestReaderSkipsWhatIsTooLarge(t *testing.T) {
	var b bytes.Buffer
	b.Write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, mark), MaxFrame+1))
	b.Write(make([]byte, MaxFrame+1))
	if err := NewWriter(&b).Write(sample()); err != nil {
		t.Fatal(err)
	}
	r := NewReader(&b)
	if _, err := r.Read(); err != ErrTooLarge {
		t.Errorf("got %v, want %v", err, ErrTooLarge)
	}
	if m, err := r.Read(); err != nil || !same(m, sample()) {
		t.Errorf("the message after it: %+v, %v", m, err)
	}
	big := sample()
	big.Buffers = [][]byte{make([]byte, MaxFrame)}
	if err := NewWriter(&b).Write(big); err != ErrTooLarge {
		t.Errorf("writing: %v", err)
	}
	if note := tooLarge(big); note.Type() != "stream" || !strings.Contains(string(note.Content), "128 MiB") {
		t.Errorf("in its place: %s %s", note.Type(), note.Content)
	}
}

// What a cell writes into the stream is noticed at the next message, whatever the bytes and wherever they stand.
func TestReaderNoticesGarbage(t *testing.T) {
	var stream bytes.Buffer
	w := NewWriter(&stream)
	for range 2 {
		if err := w.Write(sample()); err != nil {
			t.Fatal(err)
		}
	}
	whole := stream.Bytes()
	one := len(whole) / 2
	for _, garbage := range []string{"x", "abc", "AAAA", "\x00\x00\x00\x00", "\xff\xff\xff\xff\xff\xff\xff\xff",
		strings.Repeat("garbage ", 100)} {
		for _, at := range []int{0, one, one + 1, one + headSize + 3} {
			b := append(append(bytes.Clone(whole[:at]), garbage...), whole[at:]...)
			r, pipe := io.Pipe() // which stays open, as a kernel's does
			go func() { _, _ = pipe.Write(b) }()
			noticed := make(chan error, 1)
			go func() {
				in := NewReader(r)
				for {
					if _, err := in.Read(); err != nil {
						noticed <- err
						return
					}
				}
			}()
			select {
			case err := <-noticed:
				if !errors.Is(err, ErrGarbage) {
					t.Errorf("%.8q at byte %d: %v", garbage, at, err)
				}
			case <-time.After(2 * time.Minute):
				t.Errorf("%.8q at byte %d: the reader waits for what never comes", garbage, at)
			}
			r.Close()
		}
	}
}

func FuzzReader(f *testing.F) {
	var stream bytes.Buffer
	for range 2 {
		if err := NewWriter(&stream).Write(sample()); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(stream.Bytes())
	f.Add(stream.Bytes()[:stream.Len()-3])
	f.Add([]byte("AAAAAAAAAAAA"))
	f.Add(append(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, mark), MaxFrame),
		"not so much"...))
	f.Fuzz(func(t *testing.T, b []byte) {
		defer bounded.Input(t, len(b))()
		in := NewReader(bytes.NewReader(b))
		for {
			m, err := in.Read()
			if errors.Is(err, ErrTooLarge) {
				continue
			}
			if err != nil {
				return
			}
			if m.Check() != nil {
				t.Errorf("%q: %+v", b, m)
			}
		}
	})
}

func TestLargeInputs(t *testing.T) {
	legacy, _ := EncodeLegacy(sample())
	var pipe bytes.Buffer
	if err := NewWriter(&pipe).Write(sample()); err != nil {
		t.Fatal(err)
	}
	bounded.Large(t, func(b []byte) {
		_, _ = DecodeV1(b)
		_, _ = DecodeLegacy(b, true)
		_, _ = DecodeLegacy(b, false)
		for in, err := NewReader(bytes.NewReader(b)), error(nil); err == nil || errors.Is(err, ErrTooLarge); {
			_, err = in.Read()
		}
	}, EncodeV1(sample()), legacy, pipe.Bytes())
}
