//go:build linux && cgo

package compile

import (
	"debug/elf"
	"iter"
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

// So it is with types that have no name. Package reflect makes a type such as func(T) where a program asks for it, as
// Method does, and no plugin has it yet.

// replaced maps the method tables and types of plugins to those that are used instead.
var replaced = map[uintptr]uintptr{}

// hashAt is the place of the type's hash in a method table, after the interface and the type.
const hashAt = 16

// useTables makes a plugin use the method tables and types of the process. f is its file, and base the address at which
// it is loaded.
func useTables(f *elf.File, base uintptr) {
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return // the plugin has no tables
	}
	useTypes(symbols, base)
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

// useTypes finds the types of a plugin that package reflect has made before.
func useTypes(symbols []elf.Symbol, base uintptr) {
	for _, s := range symbols {
		if s.Section == elf.SHN_UNDEF || !strings.HasPrefix(s.Name, "type:") || strings.HasPrefix(s.Name, "type:.") {
			continue
		}
		at := base + uintptr(s.Value)
		t := typeAt(pointer(at))
		if used := reflect.ValueOf(inUse(t)).Pointer(); used != at && replaced[used] == 0 {
			replaced[at] = used
		}
	}
}

// inUse is the type that package reflect gives for a type without a name. For others it is the type itself.
func inUse(t reflect.Type) reflect.Type {
	if t.Name() != "" {
		return t
	}
	switch t.Kind() {
	case reflect.Pointer:
		return reflect.PointerTo(inUse(t.Elem()))
	case reflect.Slice:
		return reflect.SliceOf(inUse(t.Elem()))
	case reflect.Array:
		return reflect.ArrayOf(t.Len(), inUse(t.Elem()))
	case reflect.Chan:
		return reflect.ChanOf(t.ChanDir(), inUse(t.Elem()))
	case reflect.Map:
		return reflect.MapOf(inUse(t.Key()), inUse(t.Elem()))
	case reflect.Func:
		return reflect.FuncOf(inUses(t.Ins()), inUses(t.Outs()), t.IsVariadic())
	}
	return t
}

func inUses(seq iter.Seq[reflect.Type]) (list []reflect.Type) {
	for t := range seq {
		list = append(list, inUse(t))
	}
	return list
}

// typeAt is the type whose descriptor lies at an address.
func typeAt(p unsafe.Pointer) reflect.Type {
	empty := [2]unsafe.Pointer{p, nil} // an interface that holds a value of the type; nobody reads the value
	return reflect.TypeOf(*(*any)(unsafe.Pointer(&empty)))
}

// tableOf returns the method table that the process uses for an interface and a type, or 0 if there is none.
func tableOf(pair [2]unsafe.Pointer) uintptr {
	if pair[0] == nil || pair[1] == nil {
		return 0
	}
	i, t := typeAt(pair[0]), inUse(typeAt(pair[1]))
	if i.Kind() != reflect.Interface || !t.Implements(i) {
		return 0
	}
	v := reflect.New(i)
	v.Elem().Set(reflect.Zero(t))
	return *(*uintptr)(v.UnsafePointer())
}

// pointer returns a pointer to an address of a loaded file.
func pointer(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }
