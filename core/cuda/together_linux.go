//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"fmt"
	"slices"
	"sync"

	"nacre/core/gpu"
)

// group is several memories with equal parameters, such as those of a configuration's seeds. Their programs run as one.
// The memories lie one after another, and so does everything that their programs use, each kind at one distance. A
// launch reaches the next memory by adding this distance. Everything runs on one stream.
//
// A program that is started waits until it has been started on all memories. Then one graph runs all of them. Whoever
// needs a result waits until the other memories have come so far. Memories whose programs are closed are not waited
// for. If everybody waits for somebody else, each memory runs by itself: both graphs compute the same bits, so a memory
// may always run alone.
type group struct {
	gpu    *device
	stream stream
	base   address

	mu      sync.Mutex
	moved   *sync.Cond
	members []*member
	sets    []*set
}

// member is a memory of a group.
type member struct {
	mem     *memory
	loaded  int     // programs that are not closed
	started *runner // the program that waits to run, as often as left says; nil if none does
	left    int
	waits   bool
}

// set is one program on the memories of a group.
type set struct {
	group   *group
	text    string    // text of the program
	runners []*runner // by member; nil if it is not loaded, or closed
	loads   int       // how often it was loaded
	rooms   [partsRoom + 1]struct {
		base address
		far  int
	}
	graph graph // the graph that runs all members
	busy  bool  // whether a member has run already; its results may not be computed again
}

// roomKind numbers the things that a program allocates: each gpu.Space, the optimiser's tables, and operands in two
// parts.
type roomKind int

const (
	tablesRoom = roomKind(gpu.Arena) + 1
	partsRoom  = tablesRoom + 1
)

// groups holds the groups of a device.
type groups struct {
	mu   sync.Mutex
	open []*group // groups that are not full
}

// gather makes a memory a member of a group with the same parameters and room, or of a new group.
func (g *device) gather(m *memory) error {
	g.groups.mu.Lock()
	defer g.groups.mu.Unlock()
	var in *group
	at := slices.IndexFunc(g.groups.open, func(x *group) bool { return slices.Equal(x.members[0].mem.Specs, m.Specs) })
	if at >= 0 {
		in = g.groups.open[at]
	} else {
		in = &group{gpu: g}
		in.moved = sync.NewCond(&in.mu)
		var err error
		if in.stream, in.base, err = g.hold(in, g.options.Together*m.size()); err != nil {
			return err
		}
		at = len(g.groups.open)
		g.groups.open = append(g.groups.open, in)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	m.group, m.stream, m.base = in, in.stream, in.base+address(4*m.size()*len(in.members))
	in.members = append(in.members, &member{mem: m})
	if len(in.members) == g.options.Together {
		g.groups.open = slices.Delete(g.groups.open, at, at+1)
	}
	return nil
}

// of returns the member of a memory. The group is locked.
func (in *group) of(m *memory) (int, *member) {
	i := slices.IndexFunc(in.members, func(x *member) bool { return x.mem == m })
	return i, in.members[i]
}

// join finds the set of a program that is being loaded.
func (in *group) join(r *runner) {
	if in == nil {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	i, own := in.of(r.mem)
	own.loaded++
	text := fmt.Sprintf("%v, feeding: %v", r.p, r.feeding != nil)
	for _, s := range in.sets {
		if s.text == text && s.runners[i] == nil && s.loads < len(s.runners) {
			r.set = s
			break
		}
	}
	if r.set == nil {
		r.set = &set{group: in, text: text, runners: make([]*runner, in.gpu.options.Together)}
		in.sets = append(in.sets, r.set)
	}
	r.set.runners[i] = r
	r.set.loads++
}

// room returns the address of n floats of a program.
func (s *set) room(r *runner, what string, k roomKind, n int) (address, error) {
	s.group.mu.Lock()
	defer s.group.mu.Unlock()
	at := &s.rooms[k]
	if at.base == 0 {
		at.far = gpu.RoundUp(n)
		base, err := s.group.gpu.alloc(what, at.far*len(s.runners))
		if at.base = base; err != nil {
			return 0, err
		}
	}
	i, _ := s.group.of(r.mem)
	return at.base + address(4*at.far*i), nil
}

// complete records the graph of all members when the program is loaded on all memories.
func (s *set) complete(r *runner, pl *gpu.Schedule, names []string) (err error) {
	if s == nil {
		return nil
	}
	s.group.mu.Lock()
	defer s.group.mu.Unlock()
	if s.loads < len(s.runners) || s.busy || slices.Contains(s.runners, nil) {
		return nil
	}
	first := s.runners[0]
	over := &spread{memories: len(s.runners), tables: s.rooms[tablesRoom].far, parts: s.rooms[partsRoom].far}
	over.far[gpu.Params] = r.mem.size()
	for _, k := range []gpu.Space{gpu.Inputs, gpu.Outputs, gpu.Arena} {
		over.far[k] = s.rooms[k].far
	}
	// The first runner has the same plan, but other pointers to its launches.
	lt := map[*gpu.Launch]*ltProduct{}
	for i, u := range first.plan.Units {
		if p := first.lt[u]; p != nil {
			lt[pl.Units[i]] = p
		}
	}
	of := *first
	of.lt, of.spread = lt, nil
	launches, err := of.launches(pl, names, over)
	first.spread = of.spread
	if err != nil {
		return err
	}
	for i, u := range pl.Units {
		if u.Product != nil {
			if err := s.try(&launches[i], i, pl, names); err != nil {
				return err
			}
		}
	}
	if err := r.gpu.do(Launching, "cuStreamSynchronize", uintptr(r.mem.stream)); err != nil {
		return err
	}
	s.graph, err = first.record(pl, launches, s.runners)
	return err
}

// try makes a product in all memories, outside the graph. If the library cannot use the algorithm of a single memory
// for several, the product is made in one memory after the other.
func (s *set) try(launch *func(stream) error, unit int, pl *gpu.Schedule, names []string) error {
	err := s.runners[0].try(*launch)
	if refused, ok := err.(*Error); !ok || refused.Fault != Products {
		return err
	}
	each := make([]func(stream) error, len(s.runners))
	for i, r := range s.runners {
		each[i] = r.each[unit]
	}
	*launch = func(to stream) error {
		for _, f := range each {
			if err := f(to); err != nil {
				return err
			}
		}
		return nil
	}
	return s.runners[0].try(*launch)
}

// start runs a program, or notes that the program is to run with the others.
func (in *group) start(r *runner) error {
	if in == nil {
		return r.launch()
	}
	in.mu.Lock()
	_, own := in.of(r.mem)
	alone, other := r.set.graph == 0, own.started != nil && own.started != r
	r.set.busy = true
	in.mu.Unlock()
	if alone || other { // programs follow one another
		if err := in.flush(r.mem); err != nil {
			return err
		}
	}
	if alone {
		return r.launch()
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	own.started = r
	own.left++
	return in.advance()
}

// advance runs everything for which all members are ready. The group is locked.
func (in *group) advance() error {
	for _, s := range in.sets {
		ready := s.graph != 0
		for i, x := range in.members {
			ready = ready && s.runners[i] != nil && x.started == s.runners[i]
		}
		for ready {
			if err := s.runners[0].launched(s.graph); err != nil {
				return err
			}
			for i, x := range in.members {
				if i > 0 && s.runners[i].feeding == nil {
					if err := in.gpu.record(s.runners[i].done, in.stream); err != nil {
						return err
					}
				}
				if x.left--; x.left == 0 {
					x.started, ready = nil, false
				}
			}
			in.moved.Broadcast()
		}
	}
	return nil
}

// flush waits until all that was started on a memory has been given to the GPU.
func (in *group) flush(m *memory) error {
	if in == nil {
		return nil
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	_, own := in.of(m)
	if own.left == 0 {
		return nil
	}
	own.waits = true
	defer func() { own.waits = false }()
	in.moved.Broadcast() // now all members may be waiting
	for own.left > 0 {
		if !in.stuck(own) {
			in.moved.Wait()
			continue
		}
		r := own.started
		own.left--
		if own.left == 0 {
			own.started = nil
		}
		if err := r.launch(); err != nil {
			return err
		}
	}
	return nil
}

// stuck reports whether nobody will join a member that waits, because each of the others waits too or has closed its
// programs.
func (in *group) stuck(own *member) bool {
	s := own.started.set
	if len(in.members) < len(s.runners) || slices.Contains(s.runners, nil) {
		return true
	}
	for _, x := range in.members {
		if x != own && x.loaded > 0 && !(x.waits && x.left > 0) {
			return false
		}
	}
	return true
}

// leave removes a program that is being closed from the group. The memory of a set is freed with its last program.
func (in *group) leave(r *runner) {
	if in == nil || r.set == nil {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	s := r.set
	i, own := in.of(r.mem)
	if s.runners[i] != r {
		return
	}
	s.runners[i] = nil
	own.loaded--
	if s.graph != 0 {
		in.gpu.call("cuStreamSynchronize", uintptr(in.stream))
		in.gpu.call("cuGraphExecDestroy", uintptr(s.graph))
		s.graph = 0
	}
	if !slices.ContainsFunc(s.runners, func(x *runner) bool { return x != nil }) {
		for k := range s.rooms {
			in.gpu.free(s.rooms[k].base)
		}
		in.sets = slices.DeleteFunc(in.sets, func(x *set) bool { return x == s })
	}
	in.moved.Broadcast()
}
