//go:build linux && cgo

package compile

import (
	"bufio"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"plugin"
	"strings"
	"sync"
	"syscall"

	"nacre/kernel/internal/live"
)

// loads reports whether this program can load plugins.
const loads = true

// fixed lists the parts of the loaded plugins that were read from their files and never change.
var (
	fixed    []span
	fixedNow sync.Mutex
)

type span struct{ from, to uintptr }

// Load loads the plugin of a cell, which stays in the process, and returns its function.
func Load(file, name string) (func(*live.Cell), error) {
	fixedNow.Lock()
	defer fixedNow.Unlock()
	for _, s := range fixed {
		// Most of a plugin's 3 MB are packages that the program has too. A cell uses a part of the rest, and mostly
		// once. What it uses again is read from the file again.
		syscall.RawSyscall(syscall.SYS_MADVISE, s.from, s.to-s.from, syscall.MADV_DONTNEED)
	}
	if _, err := plugin.Open(file); err != nil {
		return nil, fmt.Errorf("the compiled cell does not fit this program, which was built from other sources or "+
			"with other flags than there are now: %w", err)
	}
	run := live.Take(name)
	if run == nil {
		return nil, fmt.Errorf("the compiled cell %s has no function", name)
	}
	loaded(file)
	return run, nil
}

// loaded finds the fixed parts of a plugin that was just loaded, and gives the plugin the method tables of the process.
func loaded(file string) {
	file, err := filepath.EvalSymlinks(file)
	if err != nil {
		return
	}
	f, err := elf.Open(file)
	if err != nil {
		return
	}
	defer f.Close()
	page := uint64(os.Getpagesize())
	at := map[uint64]*elf.Prog{}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			at[p.Off&^(page-1)] = p
		}
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer maps.Close()
	base := uintptr(0)
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		if !strings.HasSuffix(lines.Text(), file) {
			continue
		}
		var s span
		var may string
		var offset uint64
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x %s %x", &s.from, &s.to, &may, &offset); n != 4 || at[offset] == nil {
			continue
		}
		if p := at[offset]; p.Flags&elf.PF_W == 0 {
			fixed = append(fixed, s)
			base = s.from - uintptr(p.Vaddr&^(page-1))
		}
	}
	if base != 0 {
		useTables(f, base)
	}
}
