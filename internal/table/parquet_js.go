//go:build js

package table

import "errors"

// readParquet says why the tab does without: the library would make the program that a page loads a third larger.
func readParquet([]byte) (*File, error) {
	return nil, errors.New("Parquet is read by the program, not in a browser's tab: save it as CSV, with pandas.read_parquet(…).to_csv(…)")
}
