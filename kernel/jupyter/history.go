package jupyter

import (
	"slices"
	"sync"

	"nacre/kernel"
)

// historyLimit is how many cells are remembered.
const historyLimit = 10_000

// history holds the cells that were executed in this session, oldest first. There is one session, number 1.
type history struct {
	mu   sync.Mutex
	list []entry
}

type entry struct {
	count  int
	code   string
	output any // the value as text, nil for none
}

func (h *history) add(count int, code string, value *kernel.Data) {
	e := entry{count: count, code: code}
	if value != nil {
		e.output = value.MIME["text/plain"]
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = append(h.list, e)
	if len(h.list) > historyLimit {
		h.list = slices.Clone(h.list[len(h.list)-historyLimit:])
	}
}

// find returns the entries asked for, oldest first.
func (h *history) find(c historyRequest) []entry {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []entry
	switch c.Access {
	case "range":
		if c.Session > 1 || c.Session < 0 {
			return nil
		}
		for _, e := range h.list {
			if e.count >= c.Start && (c.Stop == nil || e.count < *c.Stop) {
				found = append(found, e)
			}
		}
		return found
	case "search":
		found = h.search(c)
	default:
		found = slices.Clone(h.list)
	}
	if c.N > 0 && len(found) > c.N {
		found = found[len(found)-c.N:]
	}
	return found
}

// search matches whole cells against a pattern of * and ?; with Unique only the last of equal cells counts.
func (h *history) search(c historyRequest) []entry {
	var found []entry
	seen := map[string]bool{}
	for _, e := range slices.Backward(h.list) {
		if (c.Unique && seen[e.code]) || !glob(c.Pattern, e.code) {
			continue
		}
		seen[e.code] = true
		found = append(found, e)
	}
	slices.Reverse(found)
	return found
}

// glob matches text against a pattern in which * is any text and ? any character, in time linear in both for each *.
func glob(pattern, text string) bool {
	p, t := []rune(pattern), []rune(text)
	star, mark := -1, 0
	i, j := 0, 0
	for j < len(t) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == t[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}

type historyRequest struct {
	Output  bool   `json:"output"`
	Access  string `json:"hist_access_type"` // "range", "tail" or "search"
	Session int    `json:"session"`
	Start   int    `json:"start"`
	Stop    *int   `json:"stop"`
	N       int    `json:"n"`
	Pattern string `json:"pattern"`
	Unique  bool   `json:"unique"`
}
