package core

import (
	"fmt"
)

const (
	tileRows = 256 // rows of the tallest batched value in a tile: its activations fit a core's second-level cache
	maxLanes = 8
)

// Compile turns the stages into a program. The error names the stage and the nodes of the first mistake.
func (b *Builder) Compile() (*Program, error) {
	for _, e := range b.events {
		if s, ok := e.(*Stage); ok && s.Err() != nil {
			return nil, fmt.Errorf("core: program %q: stage %q: %w", b.name, s.name, s.Err())
		}
	}
	if b.err != nil {
		return nil, fmt.Errorf("core: program %q: %w", b.name, b.err)
	}
	l, err := b.lower()
	if err != nil {
		return nil, fmt.Errorf("core: program %q: %w", b.name, err)
	}
	l.prune()
	if len(l.instrs) == 0 {
		return nil, fmt.Errorf("core: program %q: nothing to compute: no stage has an Output or a Minimise, and "+
			"there is no EMA", b.name)
	}
	if err := l.p.schedule(l.instrs); err != nil {
		return nil, fmt.Errorf("core: program %q: %w", b.name, err)
	}
	l.p.tile()
	if err := l.p.Validate(); err != nil {
		return nil, err
	}
	return l.p, nil
}

// tile chooses the size of tiles.
func (p *Program) tile() {
	perGroup := 1
	for _, v := range p.Values {
		if v.Batched {
			perGroup = max(perGroup, v.Rows/p.Groups)
		}
	}
	p.TileGroups = min(p.Groups, max(1, tileRows/perGroup))
	p.Lanes = min(maxLanes, p.Tiles())
}
