// Bom lists the parts of a program of this repository, with versions and licences. It ends with status 1 if a licence
// is not allowed.
//
//	go run ./cmd/bom [PROGRAM]            list the modules of a program (default bin/nacre) and the page's packages
//	go run ./cmd/bom -cyclonedx [PROGRAM] write them as a software bill of materials
package main

import (
	"debug/buildinfo"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"nacre/internal/bom"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("bom: ")
	cyclonedx := flag.Bool("cyclonedx", false, "write a bill of materials in CycloneDX's JSON")
	flag.Parse()
	program := filepath.Join("bin", "nacre")
	if flag.NArg() > 0 {
		program = flag.Arg(0)
	}
	if err := list(program, *cyclonedx); err != nil {
		log.Fatal(err)
	}
}

func list(program string, cyclonedx bool) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("%s: %w; make builds it", program, err)
	}
	parts, err := bom.Release(info)
	if err != nil {
		return err
	}
	if cyclonedx {
		return bom.Write(os.Stdout, "nacre", info.Main.Version, time.Now(), parts)
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	refused := 0
	for _, p := range parts {
		note := ""
		if !p.Permitted() {
			note, refused = "NOT ALLOWED", refused+1
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", p.Name, p.Version, p.Licence, note)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if refused > 0 {
		return fmt.Errorf("%d of %d parts have a licence that is not allowed; expected one of %v", refused, len(parts),
			bom.Allowed)
	}
	return nil
}
