// Package web holds the browser front end: a page in TypeScript, built by `make web` into dist and embedded here. It is
// not a server; package server serves its files.
//
//	files, built := web.Files()
//	if !built {
//		log.Print("the page says how to build it")
//	}
//	http.Handle("/static/", http.FileServerFS(files))
package web

import (
	"embed"
	"io/fs"
)

// dist holds what the build wrote; without a build it holds a note only, which keeps the folder in the repository.
//
//go:embed all:dist
var dist embed.FS

//go:embed placeholder
var placeholder embed.FS

// Files returns index.html, which is every page of the front end, and the folder static with the files that it loads.
// If the front end has not been built, built is false and index.html is a page that says how to build it.
func Files() (files fs.FS, built bool) {
	return choose(dist, placeholder)
}

func choose(dist, placeholder fs.FS) (fs.FS, bool) {
	if files, err := fs.Sub(dist, "dist"); err == nil {
		if _, err := fs.Stat(files, "index.html"); err == nil {
			return files, true
		}
	}
	files, err := fs.Sub(placeholder, "placeholder")
	if err != nil {
		panic(err) // the folder is part of this package
	}
	return files, false
}
