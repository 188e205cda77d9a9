package tfevents

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"nacre/internal/plainfile"
	"nacre/internal/wire"
)

// Scalar is a value of a tag at a step.
type Scalar struct {
	Tag   string
	Step  int64
	Wall  float64 // seconds since 1970
	Value float64 // value, which most programs write as float32
}

// Events holds the contents of an event file, in the file's order.
type Events struct {
	Scalars []Scalar
	Purge   []Purge
	Others  int    // number of summaries that are no scalars: pictures, histograms, text
	Cut     string // sentence that says why the file is not read to its end; empty if it is
}

// Purge is a place in a file where a program continued from an earlier step. Scalars of this step and later steps that
// were written before this place, in this or in earlier files, do not count.
type Purge struct {
	At   int // number of Scalars before this place
	Step int64
}

// These are further field numbers. The numbers of the fields that Writer writes stand beside Writer.
const (
	valueTensor   = 8 // TensorProto, as TensorFlow 2 writes scalars
	tensorType    = 1 // enum
	tensorShape   = 2 // TensorShapeProto
	shapeDim      = 2 // repeated Dim
	tensorContent = 4 // bytes, little-endian
	tensorFloat   = 5 // repeated float
	tensorDouble  = 6 // repeated double
	tensorInt     = 7 // repeated int32
	tensorInt64   = 10
)

// Types of tensors.
const (
	typeFloat  = 1
	typeDouble = 2
	typeInt32  = 3
	typeInt64  = 9
)

// Read reads the scalars of the event file at path. A last record that is cut off is left out: its program is still
// running or was killed. All records after a damaged record are left out too. Cut says so in both cases.
func Read(path string) (Events, error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return Events{}, fmt.Errorf("tfevents: %w", err)
	}
	defer f.Close()
	e, err := read(bufio.NewReaderSize(f, 1<<16))
	if err != nil {
		err = fmt.Errorf("tfevents: %s: %w", path, err)
	}
	return e, err
}

func read(in io.Reader) (e Events, err error) {
	for n := 1; ; n++ {
		message, err := record(in)
		switch {
		case err == io.EOF:
			return e, nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			e.Cut = fmt.Sprintf("its last record, number %d, is cut off and left out", n)
			return e, nil
		case errors.Is(err, errLarge):
			e.Others++
			continue
		case errors.Is(err, errDamaged) && n == 1:
			return e, fmt.Errorf("record 1: %w: not an event file", err)
		case errors.Is(err, errDamaged):
			e.Cut = fmt.Sprintf("record %d is damaged (%v): it and what follows are left out", n, err)
			return e, nil
		case err != nil:
			return e, err
		}
		if err := e.event(message); err != nil {
			return e, fmt.Errorf("record %d: %w", n, err)
		}
	}
}

var (
	errDamaged = errors.New("its checksum differs")
	errLarge   = errors.New("it is too large")
)

// record reads the message of a record. It returns io.EOF after the last record and io.ErrUnexpectedEOF if the record
// is cut off.
func record(in io.Reader) ([]byte, error) {
	head := make([]byte, 12)
	if _, err := io.ReadFull(in, head); err != nil {
		return nil, err
	}
	length := binary.LittleEndian.Uint64(head)
	if maskedCRC(head[:8]) != binary.LittleEndian.Uint32(head[8:]) {
		return nil, fmt.Errorf("%w in its length", errDamaged)
	}
	if length > maxRecord { // a picture: passed over
		if _, err := io.CopyN(io.Discard, in, int64(min(length, math.MaxInt64-4))+4); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("%w: %d bytes; expected at most %d", errLarge, length, maxRecord)
	}
	message := make([]byte, length+4)
	if _, err := io.ReadFull(in, message); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	if maskedCRC(message[:length]) != binary.LittleEndian.Uint32(message[length:]) {
		return nil, errDamaged
	}
	return message[:length], nil
}

// event adds what an Event message says.
func (e *Events) event(message []byte) error {
	var at Scalar
	var values [][]byte
	started := false
	err := wire.Fields(message, func(number protowire.Number, v uint64, content []byte) error {
		switch number {
		case eventWallTime:
			at.Wall = math.Float64frombits(v)
		case eventStep:
			at.Step = int64(v)
		case eventSummary:
			return wire.Fields(content, func(number protowire.Number, _ uint64, content []byte) error {
				if number == summaryValue {
					values = append(values, content)
				}
				return nil
			})
		case eventSessionLog:
			return wire.Fields(content, func(number protowire.Number, v uint64, _ []byte) error {
				started = started || number == sessionStatus && v == sessionStart
				return nil
			})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if started && at.Step > 0 {
		e.Purge = append(e.Purge, Purge{len(e.Scalars), at.Step})
	}
	for _, content := range values {
		s, ok := at, false
		err := wire.Fields(content, func(number protowire.Number, v uint64, content []byte) (err error) {
			switch number {
			case valueTag:
				s.Tag = string(content)
			case valueSimple:
				s.Value, ok = float64(math.Float32frombits(uint32(v))), true
			case valueTensor:
				s.Value, ok, err = single(content)
			}
			return err
		})
		if err != nil {
			return err
		}
		if ok {
			e.Scalars = append(e.Scalars, s)
		} else {
			e.Others++
		}
	}
	return nil
}

// single is the value of a tensor that is one number.
func single(message []byte) (value float64, ok bool, err error) {
	kind, dims := uint64(0), 0
	var content, list []byte
	var number64 uint64
	packed := protowire.Number(0)
	err = wire.Fields(message, func(number protowire.Number, v uint64, bytes []byte) error {
		switch number {
		case tensorType:
			kind = v
		case tensorShape:
			return wire.Fields(bytes, func(number protowire.Number, _ uint64, _ []byte) error {
				if number == shapeDim {
					dims++
				}
				return nil
			})
		case tensorContent:
			content = bytes
		case tensorFloat, tensorDouble, tensorInt, tensorInt64:
			packed, list, number64 = number, bytes, v
		}
		return nil
	})
	if err != nil || dims > 0 {
		return 0, false, err
	}
	if packed == tensorInt || packed == tensorInt64 {
		if list != nil {
			v, n := protowire.ConsumeVarint(list)
			if n != len(list) {
				return 0, false, nil
			}
			number64 = v
		}
		return float64(int64(number64)), kind == typeInt32 || kind == typeInt64, nil
	}
	if list != nil {
		content = list
	} else if packed != 0 {
		content = binary.LittleEndian.AppendUint64(nil, number64)
		if packed == tensorFloat {
			content = content[:4]
		}
	}
	switch {
	case kind == typeFloat && len(content) == 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(content))), true, nil
	case kind == typeDouble && len(content) == 8:
		return math.Float64frombits(binary.LittleEndian.Uint64(content)), true, nil
	case kind == typeInt32 && len(content) == 4:
		return float64(int32(binary.LittleEndian.Uint32(content))), true, nil
	case kind == typeInt64 && len(content) == 8:
		return float64(int64(binary.LittleEndian.Uint64(content))), true, nil
	}
	return 0, false, nil
}
