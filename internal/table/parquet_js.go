//go:build js

package table

import "errors"

// readParquet says that the tab does without: the library would be loaded with every page.
func readParquet([]byte) (*File, error) {
	return nil, errors.New("Parquet is read by the program, not in a browser's tab: save it as CSV, with " +
		"pandas.read_parquet(…).to_csv(…)")
}
