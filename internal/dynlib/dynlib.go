// Package dynlib looks at a shared library before it is loaded. The system's loader maps a file without its end and
// reports no error. Then a signal kills the program when the missing part is read.
//
//	if err := dynlib.Whole("/opt/lib/libmujoco.so.3.3.0"); err != nil {
//		return err
//	}
package dynlib

import (
	"debug/elf"
	"debug/macho"
	"fmt"
	"os"
	"runtime"
)

// Whole returns an error if the file at path is not a shared library of this system, or not a complete one. The error
// does not always name the file; the caller must.
func Whole(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	end, err := length(path)
	if err != nil {
		return fmt.Errorf("it is damaged or no library of this system: %w", err)
	}
	if end > uint64(info.Size()) {
		return fmt.Errorf("it is damaged: it has %d bytes, expected at least %d", info.Size(), end)
	}
	return nil
}

// length is how many bytes a library says it has at least.
func length(path string) (end uint64, err error) {
	switch runtime.GOOS {
	case "darwin":
		f, err := macho.Open(path)
		if err != nil { // a library for several processors is another kind of file
			fat, err := macho.OpenFat(path)
			if err != nil {
				return 0, err
			}
			defer fat.Close()
			for _, a := range fat.Arches {
				end = max(end, uint64(a.Offset)+uint64(a.Size))
			}
			return end, nil
		}
		defer f.Close()
		for _, l := range f.Loads {
			if s, ok := l.(*macho.Segment); ok {
				end = max(end, s.Offset+s.Filesz)
			}
		}
	case "linux":
		f, err := elf.Open(path)
		if err != nil {
			return 0, err
		}
		defer f.Close()
		for _, p := range f.Progs {
			end = max(end, p.Off+p.Filesz)
		}
		for _, s := range f.Sections {
			if s.Type != elf.SHT_NOBITS {
				end = max(end, s.Offset+s.FileSize)
			}
		}
	}
	return end, nil
}
