package nbdiff

import (
	"cmp"
	"slices"
	"unicode"

	"nacre/server/nbformat"
)

// pair is a cell of the old notebook beside the cell of the new one that it became, by their indices. An index of -1
// stands for no cell.
type pair struct {
	a, b  int
	moved bool // whether other cells, which stayed, are now on its other side
}

const (
	alike = 0.6 // least likeness of cells that are a pair, see likeness
	far   = 200 // cells without a pair that lie this far from each other are not compared
)

// match pairs the cells of two notebooks, first those of one identifier, then those of one text, then those that are
// alike. The pairs are in the order of the new notebook; a deleted cell follows the cell that it followed.
func match(a, b *nbformat.Notebook) []pair {
	m := &matching{a: cellsOf(a), b: cellsOf(b)}
	m.to, m.from = unmatched(len(m.a)), unmatched(len(m.b))
	m.equal(func(nb *nbformat.Notebook, c nbformat.Cell) string {
		if !nb.HasID(c) {
			return ""
		}
		return c.ID()
	}, a, b)
	m.equal(func(_ *nbformat.Notebook, c nbformat.Cell) string { return c.Type() + "\n" + c.Source() }, a, b)
	m.likely()
	return m.inOrder()
}

// matching is the work of match: to has for each cell of a the index of its cell in b, from the reverse.
type matching struct {
	a, b     []nbformat.Cell
	to, from []int
}

func cellsOf(nb *nbformat.Notebook) []nbformat.Cell {
	if nb == nil {
		return nil
	}
	return nb.Cells()
}

func unmatched(n int) []int { return slices.Repeat([]int{-1}, n) }

func (m *matching) pair(i, j int) { m.to[i], m.from[j] = j, i }

// equal pairs cells of equal keys in their order. An empty key has no pair.
func (m *matching) equal(key func(*nbformat.Notebook, nbformat.Cell) string, a, b *nbformat.Notebook) {
	places := map[string][]int{}
	for j, c := range m.b {
		if k := key(b, c); m.from[j] < 0 && k != "" {
			places[k] = append(places[k], j)
		}
	}
	for i, c := range m.a {
		if m.to[i] >= 0 {
			continue
		}
		if k := key(a, c); len(places[k]) > 0 {
			m.pair(i, places[k][0])
			places[k] = places[k][1:]
		}
	}
}

// likely pairs what is left by likeness, the most alike first.
func (m *matching) likely() {
	type candidate struct {
		i, j, apart int
		like        float64
	}
	left := func(list []int) (at []int) {
		for i, other := range list {
			if other < 0 {
				at = append(at, i)
			}
		}
		return at
	}
	as, bs := left(m.to), left(m.from)
	bags := make([]bag, len(bs))
	for y, j := range bs {
		bags[y] = bagOf(m.b[j].Source())
	}
	var all []candidate
	for x, i := range as {
		words := bagOf(m.a[i].Source())
		for y := max(0, x-far); y < min(len(bs), x+far); y++ {
			j := bs[y]
			if m.a[i].Type() != m.b[j].Type() {
				continue
			}
			if like := words.likeness(bags[y]); like >= alike {
				all = append(all, candidate{i, j, max(x-y, y-x), like})
			}
		}
	}
	slices.SortFunc(all, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(y.like, x.like), x.apart-y.apart, x.i-y.i, x.j-y.j)
	})
	for _, c := range all {
		if m.to[c.i] < 0 && m.from[c.j] < 0 {
			m.pair(c.i, c.j)
		}
	}
}

// bag has the words and signs of a text with their numbers.
type bag struct {
	count map[string]int
	all   int
}

func bagOf(text string) bag {
	b := bag{count: map[string]int{}}
	word := ""
	end := func() {
		if word != "" {
			b.count[word]++
			b.all++
			word = ""
		}
	}
	for _, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
			word += string(r)
		default:
			end()
			if !unicode.IsSpace(r) {
				word = string(r)
				end()
			}
		}
	}
	end()
	return b
}

// likeness is the share of words that two texts have in common, from 0 to 1.
func (b bag) likeness(other bag) float64 {
	if 2*min(b.all, other.all) < int(alike*float64(b.all+other.all)) {
		return 0
	}
	common := 0
	for word, n := range b.count {
		common += min(n, other.count[word])
	}
	return 2 * float64(common) / float64(max(1, b.all+other.all))
}

// inOrder lists the pairs. Those of the longest run that has one order in both notebooks stayed; the others moved.
func (m *matching) inOrder() (list []pair) {
	stays := m.longest()
	i, j := 0, 0
	until := func(a, b int) {
		for ; i < a; i++ {
			if m.to[i] < 0 {
				list = append(list, pair{a: i, b: -1})
			}
		}
		for ; j < b; j++ {
			list = append(list, pair{a: m.from[j], b: j, moved: m.from[j] >= 0})
		}
	}
	for _, s := range stays {
		until(s, m.to[s])
		list = append(list, pair{a: s, b: m.to[s]})
		i, j = s+1, m.to[s]+1
	}
	until(len(m.a), len(m.b))
	return list
}

// longest are the indices in a of the longest sequence of pairs that rises in both.
func (m *matching) longest() (stays []int) {
	var ends []int // ends[k] is the index in a with which the best sequence of k+1 pairs ends
	before := unmatched(len(m.a))
	for i, j := range m.to {
		if j < 0 {
			continue
		}
		k, _ := slices.BinarySearchFunc(ends, j, func(end, j int) int { return m.to[end] - j })
		if k > 0 {
			before[i] = ends[k-1]
		}
		ends = append(ends[:k], append([]int{i}, ends[min(k+1, len(ends)):]...)...)
	}
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = before[i] {
			stays = append(stays, i)
		}
	}
	slices.Reverse(stays)
	return stays
}
