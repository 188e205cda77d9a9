package table

import "strings"

// AppendCSV appends a line of fields to CSV text. It quotes signs of CSV, blanks around a field, an empty field that is
// alone, and # at the beginning. encoding/csv writes "x ", "" and "#x" without quotes, and Read would change them.
func AppendCSV(text []byte, fields ...string) []byte {
	for k, s := range fields {
		if k > 0 {
			text = append(text, ',')
		}
		if strings.ContainsAny(s, ",\"\r\n") || s != strings.TrimSpace(s) || s == "" && len(fields) == 1 ||
			k == 0 && strings.HasPrefix(s, "#") {
			s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
		}
		text = append(text, s...)
	}
	return append(text, '\n')
}
