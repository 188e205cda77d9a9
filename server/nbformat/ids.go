package nbformat

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
)

// IDs are the identifiers that Parse gave to cells which have none in the file. The key is a digest of a cell's type
// and text; the identifiers under one key are in the order of the cells.
type IDs map[[sha256.Size]byte][]string

// absent stands for the identifier of a cell that has none in its file.
type absent struct{}

// identify gives every cell an identifier of its own where the file's is missing, not as the format has it, or that of
// an earlier cell. Which ones depends on the cells' places and texts only, so that a file that is read twice has the
// same ones. What the file has is kept for Marshal.
func (n *Notebook) identify(earlier IDs) {
	n.made = map[string]any{}
	taken := map[string]bool{}
	cells := n.Cells()
	wanting := make([]bool, len(cells))
	for i, c := range cells {
		id := c.ID()
		wanting[i] = !idPattern.MatchString(id) || taken[id]
		if !wanting[i] {
			taken[id] = true
		}
	}
	used := map[[sha256.Size]byte]int{}
	for i, c := range cells {
		if !wanting[i] {
			continue
		}
		var was any = absent{}
		if v, ok := c["id"]; ok {
			was = v
		}
		digest := c.digest()
		id := identifier(i, c)
		if known := earlier[digest]; used[digest] < len(known) {
			id = known[used[digest]]
			used[digest]++
		}
		for k := 1; taken[id]; k++ {
			id = identifier(i+k*100_003, c)
		}
		taken[id], n.made[id] = true, was
		c["id"] = id
	}
}

func (c Cell) digest() [sha256.Size]byte {
	return sha256.Sum256([]byte(c.Type() + "\x00" + c.Source()))
}

func identifier(i int, c Cell) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %s", i, c.Type(), c.Source()))
	return hex.EncodeToString(sum[:4])
}

// IDs are the identifiers that are not in the notebook's file, nil if there are none.
func (n *Notebook) IDs() IDs {
	if len(n.made) == 0 {
		return nil
	}
	ids := IDs{}
	for _, c := range n.Cells() {
		if _, ok := n.made[c.ID()]; ok {
			ids[c.digest()] = append(ids[c.digest()], c.ID())
		}
	}
	return ids
}

// HasID reports whether the file of the notebook has the identifier of a cell.
func (n *Notebook) HasID(c Cell) bool {
	_, made := n.made[c.ID()]
	return !made && n.major == Major
}

// asInFile puts into a copy of a cell the identifier that its file has.
func (n *Notebook) asInFile(c map[string]any) {
	id, _ := c["id"].(string)
	switch was, ok := n.made[id]; {
	case !ok:
	case was == absent{}:
		delete(c, "id")
	default:
		c["id"] = was
	}
}

// hasIDs reports whether the format of the notebook has identifiers of cells.
func (n *Notebook) hasIDs() bool { return n.Minor() >= 5 }

// Continue makes the notebook, which was edited elsewhere, the next version of a file. Identifiers that Parse made for
// the file stay out of it. If a browser has only rounded a number, the notebook keeps the number of the file. A file of
// format 4.4 or before without identifiers gets none. The argument file is nil if there is no file yet.
func (n *Notebook) Continue(file *Notebook) {
	if file == nil {
		if !n.hasIDs() {
			n.hideIDs()
		}
		return
	}
	n.form = file.form
	if n.hasIDs() == file.hasIDs() {
		if !n.hasIDs() && len(file.made) == len(file.Cells()) {
			n.hideIDs()
		}
		maps.Copy(n.made, file.made)
	}
	n.keepNumbers(file)
}

// hideIDs leaves all identifiers out of the file.
func (n *Notebook) hideIDs() {
	for _, c := range n.Cells() {
		if _, ok := n.made[c.ID()]; !ok {
			n.made[c.ID()] = absent{}
		}
	}
}

// Insert puts a cell before the one at index i, or at the end.
func (n *Notebook) Insert(i int, c Cell) {
	if !n.hasIDs() && len(n.made) == len(n.Cells()) {
		n.made[c.ID()] = absent{}
	}
	list, _ := n.doc["cells"].([]any)
	i = max(0, min(i, len(list)))
	list = append(list[:i:i], append([]any{map[string]any(c)}, list[i:]...)...)
	n.doc["cells"] = list
}
