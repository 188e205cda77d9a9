//go:build js

package table

import "errors"

// readParquet returns an error: a tab cannot read Parquet, because every page would load the library for it.
func readParquet([]byte) (*File, error) {
	return nil, errors.New("Parquet is read by the program, not in a browser's tab: save it as CSV, with " +
		"pandas.read_parquet(…).to_csv(…)")
}

// Parquet returns an error, as readParquet does.
func Parquet([]Array) ([]byte, error) {
	return nil, errors.New("Parquet is written by the program, not in a browser's tab: save the table as .csv")
}
