package library

import "github.com/traefik/yaegi/stdlib/syscall"

// Cells can import package syscall on the system whose types it is that the bundle has.
func init() { others["syscall/syscall"] = syscall.Symbols["syscall/syscall"] }
