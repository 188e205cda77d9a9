package cells

import "go/types"

// TypeText names a type as cells write it.
func TypeText(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == "main" {
			return ""
		}
		return p.Name()
	})
}
