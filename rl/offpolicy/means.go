package offpolicy

// Means are averages of named values since they were last cleared.
type Means map[string]*Mean

// Mean is a sum and the number of its terms.
type Mean struct {
	Sum   float64
	Count int
}

// Add adds a value to the mean of its name.
func (m Means) Add(name string, v float64) {
	if m[name] == nil {
		m[name] = &Mean{}
	}
	m[name].Sum += v
	m[name].Count++
}

// Of returns the mean of a name; without a value it returns 0 and false.
func (m Means) Of(name string) (mean float64, ok bool) {
	if m[name] == nil {
		return 0, false
	}
	return m[name].Sum / float64(m[name].Count), true
}

// Unreported is the form in which a checkpoint holds means; all have the same number of terms.
type Unreported struct {
	Sums  map[string]float64
	Count int
}

// Unreported returns the means as a checkpoint stores them.
func (m Means) Unreported() Unreported {
	u := Unreported{Sums: map[string]float64{}}
	for name, x := range m {
		u.Sums[name], u.Count = x.Sum, x.Count
	}
	return u
}

// Restore replaces all means by those of u.
func (m Means) Restore(u Unreported) {
	clear(m)
	for name, sum := range u.Sums {
		m[name] = &Mean{sum, u.Count}
	}
}
