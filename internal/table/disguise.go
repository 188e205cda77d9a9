package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// magics lists the bytes with which files of other kinds begin, whatever their names are.
var magics = []struct {
	begin, what string
	ending      string // the ending for which such files are read; empty if they are not read
	do          string
}{
	{"PAR1", "a Parquet file", ".parquet", ""},
	{"\x93NUMPY", "a NumPy array", ".npy", ""},
	{"BZh", "packed by bzip2", "", "unpack it with bunzip2"},
	{"\x28\xb5\x2f\xfd", "packed by Zstandard", "", "unpack it with unzstd"},
	{"\xfd7zXZ\x00", "packed by xz", "", "unpack it with unxz"},
	{"7z\xbc\xaf\x27\x1c", "packed by 7-Zip", "", "unpack it"},
	{"\xd0\xcf\x11\xe0", "a workbook of Excel's", "", "save it as CSV"},
	{"\x89HDF\r\n", "an HDF5 file", "", "save it with pandas' to_csv or to_parquet"},
	{"ARROW1", "an Arrow or Feather file", "", "save it with to_parquet"},
	{"FEA1", "a Feather file", "", "save it with to_parquet"},
	{"SQLite format 3", "an SQLite database", "", "save a table of it as CSV"},
	{"%PDF-", "a PDF", "", "save the table in it as CSV"},
	{"\x89PNG", "a picture", "", "save the numbers behind it as CSV"},
	{"version https://git-lfs", "a pointer of Git LFS, not the file itself", "", "fetch the file with git lfs pull"},
}

// disguised returns an error if a file's content does not fit the ending of its name. The error says what to do.
func disguised(raw []byte, ending string) error {
	for _, m := range magics {
		if !bytes.HasPrefix(raw, []byte(m.begin)) || m.ending == ending {
			continue
		}
		if m.ending != "" {
			return fmt.Errorf("it is %s: give it a name that ends in %s", m.what, m.ending)
		}
		return fmt.Errorf("it is %s: %s", m.what, m.do)
	}
	switch {
	case bytes.HasPrefix(raw, []byte("PK\x03\x04")) && ending != ".npz":
		return fmt.Errorf("it is a zip archive, perhaps a workbook of Excel's: save it as CSV; an archive of NumPy's " +
			"must end in .npz")
	case ending != ".npy" && len(raw) > 1 && raw[0] == 0x80 && raw[1] >= 2 && raw[1] <= 5:
		return fmt.Errorf("it is a pickle of Python's: save it with np.savez, or with pandas' to_csv")
	}
	if ending == ".csv" || ending == ".tsv" {
		return disguisedText(raw)
	}
	return nil
}

func disguisedText(raw []byte) error {
	head := bytes.TrimLeft(bytes.TrimPrefix(raw[:min(len(raw), 4096)], []byte("\ufeff")), " \t\r\n")
	small := strings.ToLower(string(head[:min(len(head), 16)]))
	if strings.HasPrefix(small, "<!doctype html") || strings.HasPrefix(small, "<html") {
		return fmt.Errorf("it is a web page (HTML), perhaps a server's message in place of the file: fetch it again")
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if len(line) > 1 && line[0] == '{' && json.Valid(line) {
		return fmt.Errorf("it is JSON: give it a name that ends in .jsonl")
	}
	return nil
}
