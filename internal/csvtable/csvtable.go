// Package csvtable says what the columns of a CSV file are called, for all that read tables: whether its first line is a
// header, and which names columns have where it is not.
package csvtable

import (
	"strconv"
	"strings"
)

// Names returns the names of the columns of a CSV file with this first line, without spaces around them. The line is
// data, not a header, if all of it are numbers; then columns are called 0, 1, 2, … The line 0, 1, 2, … itself is a header,
// as pandas writes one for columns without names.
func Names(first []string) (names []string, header bool) {
	names = make([]string, len(first))
	numbered := true
	for j, s := range first {
		names[j] = strings.TrimSpace(s)
		if _, err := strconv.ParseFloat(names[j], 64); err != nil {
			header = true
		}
		numbered = numbered && names[j] == strconv.Itoa(j)
	}
	if header || numbered {
		return names, true
	}
	for j := range names {
		names[j] = strconv.Itoa(j)
	}
	return names, false
}
