// Package tfevents writes scalars as TensorBoard event files, and reads those of any program. It writes the few
// protocol-buffer fields itself, because no Go library for them is maintained. The official message definitions would
// bring TensorFlow's whole tree for six fields.
//
// An event file is a sequence of records: length, its checksum, an Event message, its checksum. The checksums are
// CRC-32C, rotated and offset as TensorFlow does ("masked"). The first event carries the format's version.
//
//	w, err := tfevents.Create("runs/a")
//	err = w.Scalars(120, map[string]float64{"loss/q": 0.5, "return/adapted": 212})
//	err = w.Close()
//	events, err := tfevents.Read("runs/theirs/events.out.tfevents.1700000000.host")
package tfevents

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

const prefix = "events.out.tfevents."

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Field numbers of the messages Event, Summary, Summary.Value and SessionLog (tensorboard/compat/proto).
const (
	eventWallTime    = 1 // double
	eventStep        = 2 // int64
	eventFileVersion = 3 // string
	eventSummary     = 5 // Summary
	eventSessionLog  = 7 // SessionLog
	summaryValue     = 1 // repeated Value
	valueTag         = 1 // string
	valueSimple      = 2 // float
	sessionStatus    = 1 // enum
	sessionStart     = 1 // SessionLog.START
)

// Writer appends scalars to one event file. It is not safe for concurrent use.
type Writer struct {
	file *os.File
	now  func() time.Time
}

// Create starts the first event file of a run in dir.
func Create(dir string) (*Writer, error) { return create(dir, time.Now) }

// Resume starts a further event file in dir, for a run that continues from a checkpoint. TensorBoard drops the values
// of step purge and later steps in earlier files, because this file will have them again.
func Resume(dir string, purge int64) (*Writer, error) {
	w, err := create(dir, time.Now)
	if err != nil {
		return nil, err
	}
	if err := w.start(purge); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// create makes a file whose name sorts after those of earlier processes: TensorBoard reads them in order of name.
func create(dir string, now func() time.Time) (*Writer, error) {
	stamp := now().Unix()
	names, err := Files(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		digits, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(name), prefix), ".")
		if used, err := strconv.ParseInt(digits, 10, 64); err == nil && used >= stamp {
			stamp = used + 1
		}
	}
	file, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("%s%010d.nacre", prefix, stamp)),
		os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("tfevents: %w", err)
	}
	w := &Writer{file: file, now: now}
	event := protowire.AppendTag(w.event(0), eventFileVersion, protowire.BytesType)
	if err := w.record(protowire.AppendString(event, "brain.Event:2")); err != nil {
		file.Close()
		return nil, err
	}
	return w, nil
}

func (w *Writer) start(step int64) error {
	log := protowire.AppendTag(nil, sessionStatus, protowire.VarintType)
	log = protowire.AppendVarint(log, sessionStart)
	event := protowire.AppendTag(w.event(step), eventSessionLog, protowire.BytesType)
	return w.record(protowire.AppendBytes(event, log))
}

// Scalars writes the values of one step, in the order of their tags. The format holds float32, so TensorBoard shows
// about seven digits; metrics.csv has them all. The values are in the file when Scalars returns.
func (w *Writer) Scalars(step int64, values map[string]float64) error {
	var summary []byte
	for _, tag := range slices.Sorted(maps.Keys(values)) {
		value := protowire.AppendTag(nil, valueTag, protowire.BytesType)
		value = protowire.AppendString(value, tag)
		value = protowire.AppendTag(value, valueSimple, protowire.Fixed32Type)
		value = protowire.AppendFixed32(value, math.Float32bits(float32(values[tag])))
		summary = protowire.AppendTag(summary, summaryValue, protowire.BytesType)
		summary = protowire.AppendBytes(summary, value)
	}
	event := protowire.AppendTag(w.event(step), eventSummary, protowire.BytesType)
	return w.record(protowire.AppendBytes(event, summary))
}

// event begins an Event message with its time and step. As everywhere in proto3 a zero is left out.
func (w *Writer) event(step int64) []byte {
	seconds := float64(w.now().UnixMicro()) / 1e6
	b := protowire.AppendTag(nil, eventWallTime, protowire.Fixed64Type)
	b = protowire.AppendFixed64(b, math.Float64bits(seconds))
	if step == 0 {
		return b
	}
	b = protowire.AppendTag(b, eventStep, protowire.VarintType)
	return protowire.AppendVarint(b, uint64(step))
}

// record writes one framed message with a single call, so that a killed program leaves at most one partial record.
func (w *Writer) record(message []byte) error {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(message)))
	b = binary.LittleEndian.AppendUint32(b, maskedCRC(b))
	b = append(b, message...)
	b = binary.LittleEndian.AppendUint32(b, maskedCRC(message))
	if _, err := w.file.Write(b); err != nil {
		return fmt.Errorf("tfevents: %w", err)
	}
	return nil
}

// maskedCRC is CRC-32C rotated right by 15 bits plus a constant, as in TensorFlow's record files: a checksum of
// data that itself holds checksums would otherwise be weak.
func maskedCRC(data []byte) uint32 {
	c := crc32.Checksum(data, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}

// Close closes the file.
func (w *Writer) Close() error {
	if err := w.file.Close(); err != nil {
		return fmt.Errorf("tfevents: %w", err)
	}
	return nil
}
