package parquet

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// mark begins and ends a file.
const mark = "PAR1"

// withoutLZ4 returns the file with its pages unpacked that were packed by LZ4, to at most `most` bytes; nil if there
// are no such pages. parquet-go 0.32 reads other values than were written from such pages (its issue 608), and does not
// end at a damaged one.
func withoutLZ4(raw []byte, f *parquet.File, most int) ([]byte, error) {
	meta := *f.Metadata()
	if !packedByLZ4(&meta) {
		return nil, nil
	}
	out := []byte(mark)
	for g := range meta.RowGroups {
		chunks := meta.RowGroups[g].Columns
		for k := range chunks {
			m := &chunks[k].MetaData
			from := m.DataPageOffset
			if d := m.DictionaryPageOffset; d > 0 {
				from = min(from, d)
			}
			end := from + m.TotalCompressedSize
			if from < 0 || end < from || end > int64(len(raw)) {
				return nil, fmt.Errorf("column %d of row group %d lies at bytes %d to %d of %d", k, g, from,
					end, len(raw))
			}
			shift := int64(len(out)) - from
			pages := raw[from:end]
			if m.Codec == format.Lz4Raw {
				var first int64
				var err error
				if pages, first, err = unpackedPages(pages, most-len(out)); err != nil {
					return nil, fmt.Errorf("column %d of row group %d: %w", k, g, err)
				}
				m.DataPageOffset = int64(len(out)) + first
				m.Codec, m.TotalCompressedSize = format.Uncompressed, int64(len(pages))
			} else {
				m.DataPageOffset += shift
			}
			if m.DictionaryPageOffset > 0 {
				m.DictionaryPageOffset = int64(len(out))
			}
			m.IndexPageOffset, m.BloomFilterOffset, m.BloomFilterLength = 0, 0, 0
			chunks[k].FileOffset, chunks[k].ColumnIndexOffset, chunks[k].OffsetIndexOffset = int64(len(out)), 0, 0
			out = append(out, pages...)
		}
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &meta)
	if err != nil {
		return nil, err
	}
	out = append(out, footer...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(footer)))
	return append(out, mark...), nil
}

func packedByLZ4(meta *format.FileMetaData) bool {
	for _, g := range meta.RowGroups {
		for _, c := range g.Columns {
			if c.MetaData.Codec == format.Lz4Raw {
				return true
			}
		}
	}
	return false
}

// unpackedPages unpacks the pages of a column chunk to at most so many bytes; first is where the first page of data
// begins.
func unpackedPages(packed []byte, most int) (out []byte, first int64, err error) {
	var protocol thrift.CompactProtocol
	first = -1
	for len(packed) > 0 {
		r := protocol.NewReaderFromBytes(packed)
		var h format.PageHeader
		if err := thrift.NewDecoder(r).Decode(&h); err != nil {
			return nil, 0, err
		}
		at, size := r.BytesRead(), int(h.CompressedPageSize)
		if size < 0 || size > len(packed)-at || h.UncompressedPageSize < 0 ||
			int(h.UncompressedPageSize) > most-len(out) {
			return nil, 0, fmt.Errorf("a page of %d bytes, unpacked %d", size, h.UncompressedPageSize)
		}
		page := packed[at : at+size]
		packed = packed[at+size:]
		plain := 0 // bytes at the page's begin that are never packed
		if h.Type == format.DataPageV2 {
			v2 := &h.DataPageHeaderV2.V
			if plain = int(v2.DefinitionLevelsByteLength) + int(v2.RepetitionLevelsByteLength); v2.IsCompressed.Valid &&
				!v2.IsCompressed.V {
				plain = size
			}
			v2.IsCompressed = thrift.Null[bool]{V: false, Valid: true}
		}
		if plain < 0 || plain > size {
			return nil, 0, fmt.Errorf("a page of %d bytes with %d bytes of levels", size, plain)
		}
		values := make([]byte, max(0, int(h.UncompressedPageSize)-plain))
		if plain < size {
			n, err := lz4.UncompressBlock(page[plain:], values)
			if err != nil || n != len(values) {
				return nil, 0, fmt.Errorf("a page packed by LZ4 is damaged")
			}
		}
		h.CompressedPageSize, h.CRC = int32(plain+len(values)), 0
		header, err := thrift.Marshal(&protocol, &h)
		if err != nil {
			return nil, 0, err
		}
		if first < 0 && h.Type != format.DictionaryPage {
			first = int64(len(out))
		}
		out = append(append(append(out, header...), page[:plain]...), values...)
	}
	return out, max(first, 0), nil
}
