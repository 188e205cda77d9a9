package stats

import (
	"fmt"
	"math"
)

// MeanRanks ranks the methods (columns) within each row and returns the mean ranks over rows. The greatest value has
// rank 1; equal values share the mean of their ranks. Rows must have equal lengths and hold no NaN.
func MeanRanks(rows [][]float64) ([]float64, error) {
	columns, err := checkRows(rows)
	if err != nil {
		return nil, err
	}
	sums := make([]float64, columns)
	for _, row := range rows {
		for i, v := range row {
			above, equal := 0, 0
			for _, other := range row {
				if other > v {
					above++
				} else if other == v {
					equal++
				}
			}
			sums[i] += float64(above) + float64(equal+1)/2
		}
	}
	for i := range sums {
		sums[i] /= float64(len(rows))
	}
	return sums, nil
}

// WinCount says how often a method had the greatest value of a row, alone or together with others.
type WinCount struct {
	Outright int `json:"outright"`
	Shared   int `json:"shared"`
}

func (w WinCount) String() string {
	if w.Shared == 0 {
		return fmt.Sprint(w.Outright)
	}
	return fmt.Sprintf("%d (+%d shared)", w.Outright, w.Shared)
}

// Wins counts for each method (column) in how many rows it has the greatest value. Methods with equal values share a
// tie; no single method gets it. Rows must have equal lengths and hold no NaN.
func Wins(rows [][]float64) ([]WinCount, error) {
	columns, err := checkRows(rows)
	if err != nil {
		return nil, err
	}
	counts := make([]WinCount, columns)
	for _, row := range rows {
		best, holders := math.Inf(-1), 0
		for _, v := range row {
			if v > best {
				best, holders = v, 0
			}
			if v == best {
				holders++
			}
		}
		for i, v := range row {
			switch {
			case v == best && holders == 1:
				counts[i].Outright++
			case v == best:
				counts[i].Shared++
			}
		}
	}
	return counts, nil
}

func checkRows(rows [][]float64) (columns int, err error) {
	if len(rows) == 0 || len(rows[0]) == 0 {
		return 0, fmt.Errorf("stats: empty table")
	}
	columns = len(rows[0])
	for i, row := range rows {
		if len(row) != columns {
			return 0, fmt.Errorf("stats: row %d has %d values; expected %d", i, len(row), columns)
		}
		for j, v := range row {
			if math.IsNaN(v) {
				return 0, fmt.Errorf("stats: row %d, column %d is NaN", i, j)
			}
		}
	}
	return columns, nil
}
