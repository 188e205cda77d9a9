//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"nacre/core/gpu"
	"nacre/internal/atomicfile"
)

// choices holds the algorithms that were fastest, by a description of their product. A file beside the compiled kernels
// keeps them for this GPU, driver and library. A product whose algorithm is known gets the same algorithm again, and so
// the same bits.
type choices struct {
	of   string // the GPU and all that an algorithm's speed and meaning depend on
	file string // empty if nothing is kept

	mu    sync.Mutex
	known map[string]string // description of a product → its algorithm
}

// keptChoices is the content of the file.
type keptChoices struct {
	Of       string            `json:"gpu"`
	Products map[string]string `json:"products"`
}

func newChoices(folder, of string) *choices {
	c := &choices{of: of, known: map[string]string{}}
	if folder != "" {
		c.file = filepath.Join(folder, fmt.Sprintf("products-%x.json", sha256.Sum256([]byte(of)))[:32]+".json")
		c.known = c.read()
	}
	return c
}

// read returns what the file holds. It returns nothing if the file is torn or belongs to another GPU.
func (c *choices) read() map[string]string {
	var k keptChoices
	b, err := os.ReadFile(c.file)
	if err != nil || json.Unmarshal(b, &k) != nil || k.Of != c.of || k.Products == nil {
		return map[string]string{}
	}
	return k.Products
}

// find returns the algorithm chosen for a product, as text, or "" if there is none.
func (c *choices) find(product string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[product]
}

// keep stores a choice next to those of other processes and returns the choice that counts. If another process was
// first and its algorithm is usable, that one counts, because the runs of that process have its bits.
func (c *choices) keep(product string, a algorithm, usable []algorithm) algorithm {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file != "" && os.MkdirAll(filepath.Dir(c.file), 0o755) == nil {
		if lock, err := os.OpenFile(c.file+".lock", os.O_CREATE|os.O_RDWR, 0o644); err == nil {
			defer lock.Close() // which unlocks
			unix.Flock(int(lock.Fd()), unix.LOCK_EX)
		}
		for p, chosen := range c.read() {
			if at := slices.IndexFunc(usable, func(a algorithm) bool { return a.String() == chosen }); p == product &&
				at >= 0 {
				a = usable[at]
			} else if p != product {
				c.known[p] = chosen
			}
		}
	}
	c.known[product] = a.String()
	if c.file != "" {
		atomicfile.Write(c.file, func(w io.Writer) error { // the next run may measure again
			return json.NewEncoder(w).Encode(keptChoices{c.of, c.known})
		})
	}
	return a
}

// String is the library's own description of the algorithm, in hexadecimal digits.
func (a algorithm) String() string { return fmt.Sprintf("%016x", a.algo) }

// Every algorithm is timed in several rounds of several products. Its time is that of its fastest round. The library's
// first choice is replaced only by an algorithm that is faster by a margin, so that chance decides less.
const (
	choosingRounds = 3
	choosingTimes  = 4
	choosingMargin = 0.97
)

// choose puts the best of a product's algorithms first: the one that was chosen before, or else the fastest one now. It
// leaves out algorithms that fail, unless all of them fail.
func (r *runner) choose(u *gpu.Launch, p *ltProduct) error {
	if len(p.algos) < 2 {
		return nil
	}
	c, product := r.gpu.choices, r.looks(u.Product)
	if chosen := c.find(product); chosen != "" {
		at := slices.IndexFunc(p.algos, func(a algorithm) bool { return a.String() == chosen })
		if at >= 0 {
			p.algos = append([]algorithm{p.algos[at]}, slices.Delete(slices.Clone(p.algos), at, at+1)...)
			return nil
		}
	}
	took, err := r.measure(p, r.work[u.Branch])
	if err != nil {
		return err
	}
	var order []int
	for i := range took {
		if took[i] > 0 {
			order = append(order, i)
		}
	}
	if len(order) == 0 {
		return nil
	}
	best := order[0]
	for _, i := range order {
		if took[i] < choosingMargin*took[order[0]] && took[i] < took[best] {
			best = i
		}
	}
	var usable []algorithm
	for _, i := range order {
		usable = append(usable, p.algos[i])
	}
	kept := c.keep(product, p.algos[best], usable)
	slices.SortStableFunc(usable, func(a, b algorithm) int { return btoi(b == kept) - btoi(a == kept) })
	p.algos = usable
	return nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// looks returns what the speed of a product depends on.
func (r *runner) looks(g *gpu.Product) string {
	o := r.operands(g, alone)
	letter := map[bool]string{false: "n", true: "t"}
	return fmt.Sprintf("%dx%dx%d %s%s pitch %d %d %d act %d bias %v", g.WholeM, g.WholeN, g.WholeK, letter[g.TA],
		letter[g.TB],
		o.a.pitch, o.b.pitch, o.out.pitch, g.Act, g.Bias >= 0)
}

// measure times a product with each of its algorithms, in ms. An algorithm that fails gets 0.
func (r *runner) measure(p *ltProduct, workspace address) (took []float32, err error) {
	g, s := r.gpu, r.mem.stream
	recordings.RLock()
	defer recordings.RUnlock()
	took = make([]float32, len(p.algos))
	failed := make([]bool, len(p.algos))
	var marks []event
	defer func() {
		for _, e := range marks {
			g.call("cuEventDestroy_v2", uintptr(e))
		}
	}()
	mark := func() error {
		e, err := g.newTimer()
		if err != nil {
			return err
		}
		marks = append(marks, e)
		return g.record(e, s)
	}
	each := *p
	for range choosingRounds {
		for i := range p.algos {
			each.algos = p.algos[i:]
			for n := 0; n <= choosingTimes; n++ {
				if !failed[i] {
					var refused *Error
					err := g.lt.multiply(&each, s, workspace)
					if failed[i] = errors.As(err, &refused) && refused.Fault == Products; err != nil && !failed[i] {
						return nil, err
					}
				}
				if n == 0 || n == choosingTimes { // the first product is not timed
					if err := mark(); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	if err := g.do(Launching, "cuStreamSynchronize", uintptr(s)); err != nil {
		return nil, err
	}
	at := 0
	for range choosingRounds {
		for i := range p.algos {
			var ms float32
			if err := g.do(Launching, "cuEventElapsedTime", uintptr(unsafe.Pointer(&ms)), uintptr(marks[at]),
				uintptr(marks[at+1])); err != nil {
				return nil, err
			}
			at += 2
			if ms = max(ms, 1e-6); took[i] == 0 || ms < took[i] {
				took[i] = ms
			}
		}
	}
	for i := range failed {
		if failed[i] {
			took[i] = 0
		}
	}
	return took, nil
}
