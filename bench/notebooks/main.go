// Command notebooks opens and saves notebooks of others, without a change, and writes what came of them as a
// measurement for docs/measurements: one row for each folder of the one that is given, such as those of public
// repositories.
//
//	go run ./bench/notebooks -nacre bin/nacre FOLDER > docs/measurements/notebooks-2026-11-30.json
//
// Each notebook is read and written back through the contents API, then opened and saved by the page in a headless
// Chromium. The program works on a copy of the folder. What is refused or differs goes to standard error, with the
// notebook's name.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("notebooks: ")
	nacre := flag.String("nacre", "bin/nacre", "the `program` that serves them")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if flag.NArg() != 1 {
		log.Fatalf("%d arguments: expected one folder of folders with notebooks", flag.NArg())
	}
	if err := run(ctx, *nacre, flag.Arg(0), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, nacre, dir string, out io.Writer) error {
	groups, err := find(dir)
	if err != nil {
		return err
	}
	t, err := start(ctx, nacre, dir)
	if err != nil {
		return err
	}
	defer t.close()
	rows := []row{}
	total := row{"all", counts{}}
	for _, g := range groups {
		r := row{g.name, counts{}}
		for _, name := range g.notebooks {
			found, err := t.try(name)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			for _, problem := range found.problems {
				log.Printf("%s: %s", name, problem)
			}
			r.cells.add(found.counts)
		}
		total.cells.add(r.cells)
		rows = append(rows, r)
		log.Printf("%s: %v", g.name, r.cells)
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	return encoder.Encode(table(append(rows, total)))
}
