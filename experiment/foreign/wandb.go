package foreign

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"nacre/analysis/frame"
	"nacre/internal/plainfile"
	"nacre/internal/table"
	"nacre/internal/wire"
)

// offline is the file run-ID.wandb that W&B's client writes, on-line and off-line: records of protocol buffers in the
// framing of LevelDB's log (blocks of 32 KiB, a record in one piece or several), behind seven bytes.
type offline struct{}

const (
	wandbMagic   = ":W&B"
	wandbHeader  = 7
	wandbBlock   = 1 << 15
	wandbPiece   = 7 // bytes before each piece: checksum, length, kind
	maxWandb     = 1 << 30
	wandbHistory = 2  // Record.history: HistoryRecord
	wandbConfig  = 5  // Record.config: ConfigRecord
	wandbRun     = 17 // Record.run: RunRecord
	runProject   = 3  // RunRecord.project
	runConfig    = 4  // RunRecord.config
	runGroup     = 6  // RunRecord.run_group
	runName      = 8  // RunRecord.display_name
	items        = 1  // field of HistoryRecord and ConfigRecord
	itemKey      = 1
	itemNested   = 2
	itemBoolean  = 4
	itemInteger  = 5 // zigzag
	itemNumber   = 6 // double
	itemText     = 7
	itemJSON     = 16
)

func (offline) sources(dir string, names []string) (list []source) {
	for _, name := range names {
		if strings.HasSuffix(name, ".wandb") {
			path := filepath.Join(dir, name)
			list = append(list, source{tool: "W&B", files: []string{path},
				read: func(string) (*frame.Frame, about, error) {
					return wandb(path)
				}})
		}
	}
	return list
}

// history holds what a .wandb file tells.
type history struct {
	rows                 []map[string]string // a value as JSON by dotted key
	settings             map[string]string
	project, group, name string
}

func wandb(path string) (*frame.Frame, about, error) {
	data, err := plainfile.Read(path, maxWandb)
	if err != nil {
		return nil, about{}, err
	}
	records, cut, err := pieces(data)
	if err != nil {
		return nil, about{}, err
	}
	h := history{settings: map[string]string{}}
	for i, r := range records {
		if err := h.record(r); err != nil {
			return nil, about{}, fmt.Errorf("record %d: %w", i+1, err)
		}
	}
	f, err := h.table()
	if err != nil {
		return nil, about{}, err
	}
	a := about{tool: "W&B", settings: h.settings, sparse: true, system: h.group, name: h.name, above: h.project}
	if a.system == "" && !cleanRL.MatchString(h.name) { // people's own names say more than settings do
		a.system, _ = stemOf(h.name)
	}
	if cut != "" {
		a.notes = append(a.notes, filepath.Base(path)+": "+cut)
	}
	if len(h.rows) == 0 {
		return nil, a, fmt.Errorf("no history is in it")
	}
	return f, a, nil
}

// pieces joins the pieces of records. cut says why the file is not read to its end.
func pieces(data []byte) (records [][]byte, cut string, err error) {
	if len(data) < wandbHeader || string(data[:len(wandbMagic)]) != wandbMagic {
		return nil, "", fmt.Errorf("it does not begin as a .wandb file does")
	}
	var whole []byte
	for at := wandbHeader; ; {
		if left := wandbBlock - at%wandbBlock; left < wandbPiece {
			at += left
		}
		if at >= len(data) {
			return records, cut, nil
		}
		lost := fmt.Sprintf("its last record, number %d, is cut off and left out", len(records)+1)
		if at+wandbPiece > len(data) {
			return records, lost, nil
		}
		sum, length, kind := binary.LittleEndian.Uint32(data[at:]), int(binary.LittleEndian.Uint16(data[at+4:])),
			data[at+6]
		if kind == 0 && length == 0 && sum == 0 { // room that was set aside and not filled
			at += wandbBlock - at%wandbBlock
			continue
		}
		if at+wandbPiece+length > len(data) {
			return records, lost, nil
		}
		if crc32.ChecksumIEEE(data[at+6:at+wandbPiece+length]) != sum {
			return records, fmt.Sprintf("record %d is damaged: it and what follows are left out", len(records)+1), nil
		}
		content := data[at+wandbPiece : at+wandbPiece+length]
		switch kind {
		case 1: // whole
			records = append(records, content)
		case 2: // first piece
			whole = slices.Clone(content)
		case 3:
			whole = append(whole, content...)
		case 4: // last piece
			records, whole = append(records, append(whole, content...)), nil
		}
		at += wandbPiece + length
	}
}

// record takes what counts of a Record.
func (h *history) record(message []byte) error {
	return wire.Fields(message, func(number protowire.Number, _ uint64, content []byte) error {
		switch number {
		case wandbHistory:
			row := map[string]string{}
			h.rows = append(h.rows, row)
			return entries(content, row)
		case wandbConfig:
			return entries(content, h.settings)
		case wandbRun:
			return wire.Fields(content, func(number protowire.Number, _ uint64, content []byte) error {
				switch number {
				case runConfig:
					return entries(content, h.settings)
				case runProject:
					h.project = string(content)
				case runGroup:
					h.group = string(content)
				case runName:
					h.name = string(content)
				}
				return nil
			})
		}
		return nil
	})
}

// entries are the items of a record of keys and values.
func entries(message []byte, into map[string]string) error {
	return wire.Fields(message, func(number protowire.Number, _ uint64, content []byte) error {
		if number != items {
			return nil
		}
		var key []string
		value := ""
		err := wire.Fields(content, func(number protowire.Number, v uint64, content []byte) error {
			switch number {
			case itemKey, itemNested:
				key = append(key, string(content))
			case itemBoolean:
				value = strconv.FormatBool(v != 0)
			case itemInteger:
				value = strconv.FormatInt(protowire.DecodeZigZag(v), 10)
			case itemNumber:
				value = strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64)
			case itemText:
				value = strconv.Quote(string(content))
			case itemJSON:
				value = string(content)
			}
			return nil
		})
		if err != nil || len(key) == 0 {
			return err
		}
		name := strings.Join(key, ".")
		if inner, err := flattened([]byte(value)); err == nil {
			for key, v := range inner {
				into[name+"."+key] = v
			}
			return nil
		}
		var text string
		if json.Unmarshal([]byte(value), &text) == nil {
			value = text
		}
		into[name] = value
		return nil
	})
}

// table is the history as a table of its numbers. Whole numbers of 64 bits keep all digits.
func (h *history) table() (*frame.Frame, error) {
	var names []string
	for _, row := range h.rows {
		for name := range row {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	columns := map[string][]any{}
	for _, name := range names {
		v, any := make([]any, len(h.rows)), false
		for i, row := range h.rows {
			v[i] = table.Blank()
			if n, err := strconv.ParseInt(row[name], 10, 64); err == nil {
				v[i], any = n, true
			} else if x, err := strconv.ParseFloat(row[name], 64); err == nil {
				v[i], any = x, true
			}
		}
		if any {
			columns[name] = v
		}
	}
	return frame.Of(columns)
}

// missing is a column without values.
func missing(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = table.Blank()
	}
	return v
}
