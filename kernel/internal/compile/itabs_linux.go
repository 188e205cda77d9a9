//go:build linux && cgo

package compile

import (
	"debug/elf"
	"os"
	"reflect"
	"strings"
	"syscall"
	"unsafe"
)

// The run time keeps one method table for each pair of an interface and a type, and compiled code compares types by
// comparing tables. If a conversion asks for the table of a pair before a plugin with its own table of this pair is
// loaded, the run time makes a table itself. The plugin's code would then find equal types different. So before a cell
// runs, the plugin's pointers to its table are changed to the table in use.

// replaced maps the method tables of plugins to the tables that are used instead.
var replaced = map[uintptr]uintptr{}

// hashAt is the place of the type's hash in a method table, after the interface and the type.
const hashAt = 16

// useTables makes a plugin use the method tables of the process. f is its file, and base the address at which it is
// loaded.
func useTables(f *elf.File, base uintptr) {
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return // the plugin has no tables
	}
	for _, s := range symbols {
		if s.Section == elf.SHN_UNDEF || !strings.HasPrefix(s.Name, "go:itab.") {
			continue
		}
		at := base + uintptr(s.Value)
		if used := tableOf(*(*[2]unsafe.Pointer)(pointer(at))); used != 0 && used != at {
			replaced[at] = used
			// Switches find their cases by the hash of the type. The tables that the run time makes lack it.
			if hash := (*uint32)(pointer(used + hashAt)); *hash == 0 {
				*hash = *(*uint32)(pointer(at + hashAt))
			}
		}
	}
	low, high := ^uintptr(0), uintptr(0)
	for at := range replaced {
		low, high = min(low, at), max(high, at)
	}
	var fixed span // it was made read-only after its relocation
	for _, p := range f.Progs {
		if p.Type == elf.PT_GNU_RELRO {
			fixed = span{base + uintptr(p.Vaddr), base + uintptr(p.Vaddr+p.Memsz)}
		}
	}
	page := uintptr(os.Getpagesize())
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Flags&elf.PF_W == 0 {
			continue
		}
		words := unsafe.Slice((*uintptr)(pointer(base+uintptr(p.Vaddr))), p.Filesz/8)
		for k, w := range words {
			if w < low || w > high || replaced[w] == 0 {
				continue
			}
			at := uintptr(unsafe.Pointer(&words[k]))
			from := at &^ (page - 1)
			protected := at >= fixed.from && at < fixed.to
			if protected {
				syscall.RawSyscall(syscall.SYS_MPROTECT, from, page, syscall.PROT_READ|syscall.PROT_WRITE)
			}
			words[k] = replaced[w]
			if protected {
				syscall.RawSyscall(syscall.SYS_MPROTECT, from, page, syscall.PROT_READ)
			}
		}
	}
}

// tableOf returns the method table that the process uses for an interface and a type, or 0 if there is none.
func tableOf(pair [2]unsafe.Pointer) uintptr {
	described := func(p unsafe.Pointer) reflect.Type {
		empty := [2]unsafe.Pointer{p, nil} // an interface that holds a value of the type; nobody reads the value
		return reflect.TypeOf(*(*any)(unsafe.Pointer(&empty)))
	}
	if pair[0] == nil || pair[1] == nil {
		return 0
	}
	i, t := described(pair[0]), described(pair[1])
	if i.Kind() != reflect.Interface || !t.Implements(i) {
		return 0
	}
	v := reflect.New(i)
	v.Elem().Set(reflect.Zero(t))
	return *(*uintptr)(v.UnsafePointer())
}

// pointer returns a pointer to an address of a loaded file.
func pointer(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }
