package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"nacre/internal/home"
)

// source is the folder of the sources that this program was built from. The engine "go" compiles cells with them. It is
// NACRE_SOURCE, or where they were when it was built, or src beside the program.
func source() string {
	if folder := os.Getenv("NACRE_SOURCE"); folder != "" {
		return folder
	}
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) { // not built with -trimpath
		if folder := filepath.Join(filepath.Dir(file), "..", ".."); isFile(filepath.Join(folder, "go.mod")) {
			return folder
		}
	}
	return home.Beside("src")
}

// packageList is the file that lists the folders of the packages that cells import, as the engine "go" has compiled
// them for this program. It is "" if there is no place for the file.
func packageList() string {
	program, err := os.Executable()
	if err != nil {
		return ""
	}
	dir, err := home.Dir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "cells", fmt.Sprintf("%.8x.list", sha256.Sum256([]byte(program))))
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}
