package replay

// Position counts the rows that were added to a task's buffer since its content was last thrown away. Rows First …
// Next-1 are still there. In a copy that is kept in the same order, row n lies at n mod capacity. Era counts how often
// the content was thrown away; if it has changed, no earlier row is left.
type Position struct{ First, Next, Era int64 }

// Position returns the position of the buffer's content.
func (t *Task) Position() Position { return Position{t.first, t.next, t.era} }

// Append appends the rows first … next-1 to dst; they must still be there. A row has o, a, context reward, reward,
// done, o', and the row's number in its trajectory.
func (t *Task) Append(dst []float32, first, next int64) []float32 {
	for n := first; n < next; n++ {
		row, end := t.row(n)
		done := float32(0)
		if end == terminal {
			done = 1
		}
		dst = append(append(dst, row...), done)
		dst = append(append(dst, t.nextObs(n, end)...), float32(n-t.owner(n).start))
	}
	return dst
}

// Span is the kept part of a trajectory: its first row, counted from the oldest kept row, and its length.
type Span struct{ First, N int }

// Croppable lists the trajectories from which a Window of w transitions is drawn, the oldest first.
func (t *Task) Croppable(w int) []Span {
	whole, least, _ := t.candidates(w)
	var out []Span
	for i := range whole {
		if first, n := t.kept(&whole[i]); n >= least {
			out = append(out, Span{int(first - t.first), n})
		}
	}
	return out
}
