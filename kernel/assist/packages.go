package assist

import (
	"maps"
	"slices"
	"strings"
)

// packagesNamed are the packages that cells may import under a name, those of shorter paths first.
func (s *Assistant) packagesNamed(name string) []string {
	var list []string
	for path, p := range s.Program.Packages {
		if p.Name() == name && s.importable(path) {
			list = append(list, path)
		}
	}
	slices.SortFunc(list, byLength)
	return list
}

// likely is the package that a cell most likely means by a name that it has not imported, "" if there is none.
func (s *Assistant) likely(name string) string {
	for _, path := range s.packagesNamed(name) {
		return path
	}
	return ""
}

func byLength(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// importable reports whether cells may import a path and should.
func (s *Assistant) importable(path string) bool {
	return !strings.Contains("/"+path+"/", "/internal/") && s.Importable(path)
}

// importables are their paths, in order.
func (s *Assistant) importables() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.Program.Packages)), func(path string) bool {
		return !s.importable(path)
	})
}
