package library

import "github.com/traefik/yaegi/stdlib/syscall"

// Cells can import package syscall only on this system, because the bundle has the types of this system.
func init() { others["syscall/syscall"] = syscall.Symbols["syscall/syscall"] }
