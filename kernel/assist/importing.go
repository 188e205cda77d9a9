package assist

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"nacre/kernel/internal/cells"
)

// importEdit is how the cell comes to import a package.
func (w *writing) importEdit(path string) *Edit {
	line := fmt.Sprintf("import %q\n", path)
	if at := groupedImport.FindStringIndex(w.own); at != nil {
		return &Edit{utf8.RuneCountInString(w.own[:at[1]]), fmt.Sprintf("\t%q\n", path)}
	}
	if at := singleImport.FindAllStringIndex(w.own, -1); at != nil {
		return &Edit{utf8.RuneCountInString(w.own[:at[len(at)-1][1]]), line}
	}
	start := len(w.own) - len(strings.TrimLeft(w.own, " \t\n"))
	if end := strings.IndexByte(w.own[start:], '\n'); end >= 0 && w.own[start] == '%' { // below the helper
		start += end + 1
	}
	return &Edit{utf8.RuneCountInString(w.own[:start]), line}
}

// Import returns the import that the cell needs to use a package, or nil if it can already.
func (d Draft) Import(code, path string) *Edit {
	d.Guard.Lock()
	defer d.Guard.Unlock()
	w := d.at(code, utf8.RuneCountInString(code))
	w.check(strings.TrimSuffix(w.before, w.word)+"\n", cells.Marker)
	for _, known := range w.importsOf() {
		if known == path {
			return nil
		}
	}
	return w.importEdit(path)
}

var (
	groupedImport = regexp.MustCompile(`(?m)^[ \t]*import[ \t]*\([ \t]*\n`)
	singleImport  = regexp.MustCompile(`(?m)^[ \t]*import[ \t]+(?:[\w.]+[ \t]+)?["` + "`" + `][^"` + "`" + `\n]*["` +
		"`" + `][ \t]*\n`)
)

// importsOf are the packages that the cell can name: those imported before, and those its own text imports.
func (w *writing) importsOf() map[string]string {
	if w.sc != nil {
		return w.sc.Imports
	}
	return w.prog.Imports
}
