// Command screenshots makes the pictures of notebooks that the pages of docs show. It serves a folder of notebooks that
// have been run, opens them in a headless Chromium and writes PNG files. It also writes a list that has, for each
// picture, the notebook, the cells and the hash of their text. By this hash a test finds pictures that are older than
// their notebook. With -each it pictures what every cell of one notebook shows, in both themes: kinds.ipynb has every
// kind of table and figure.
//
//	go run ./web/screenshots -nacre bin/nacre -folder out/notebooks -out docs/img
//	go run ./web/screenshots -nacre bin/nacre -folder out/notebooks -each kinds -out out/figures
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"nacre/internal/pictured"
)

// shot is one picture of a notebook: the window begins above a cell, or ends so far below the last figure of a kind.
type shot struct {
	notebook, cell, figure, file string
	below, height                int
}

const width, height = 1280, 960

var shots = []shot{
	{notebook: "quickstart", cell: "quickstart-4", file: "notebook-quickstart.png", height: 735},
	{notebook: "quickstart", figure: ".embedding", file: "notebook-embedding.png", below: 230, height: height},
	{notebook: "tsne-study", figure: ".embedding", file: "notebook-tsne-study.png", below: 300, height: height},
}

func main() {
	nacre := flag.String("nacre", "bin/nacre", "the program")
	folder := flag.String("folder", "out/notebooks", "of notebooks with their outputs")
	out := flag.String("out", "docs/img", "folder for the pictures")
	each := flag.String("each", "", "notebook of which every output is taken, instead of the pages' pictures")
	flag.Parse()
	if err := run(*nacre, *folder, *each, *out); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

func run(nacre, folder, each, out string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	url, server, err := serve(ctx, nacre, folder)
	if err != nil {
		return err
	}
	defer server.Wait()
	defer cancel()
	options := []chromedp.ExecAllocatorOption{chromedp.Flag("headless", "new")}
	if path := os.Getenv("NACRE_CHROMIUM"); path != "" {
		options = append(options, chromedp.ExecPath(path))
	}
	for _, f := range []string{"no-sandbox", "disable-gpu", "disable-background-networking", "disable-component-update",
		"disable-sync", "no-first-run", "hide-scrollbars"} {
		options = append(options, chromedp.Flag(f, true))
	}
	allocator, stop := chromedp.NewExecAllocator(ctx, options...)
	defer stop()
	if each != "" {
		return takeEach(allocator, url, each, out)
	}
	list, err := pictured.Read(out)
	if errors.Is(err, os.ErrNotExist) {
		list, err = map[string]pictured.Picture{}, nil
	}
	if err != nil {
		return err
	}
	for _, s := range shots {
		if _, err := os.Stat(filepath.Join(folder, s.notebook+".ipynb")); errors.Is(err, os.ErrNotExist) {
			continue // it has not been run
		}
		cells, err := take(allocator, url, s, filepath.Join(out, s.file))
		if err == nil {
			list[s.file], err = pictureOf(s, folder, cells)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.file, err)
		}
		fmt.Println(filepath.Join(out, s.file))
	}
	return pictured.Write(out, list)
}

// pictureOf returns what is kept of a picture: the cells that it shows.
func pictureOf(s shot, folder string, cells []string) (pictured.Picture, error) {
	text, err := os.ReadFile(filepath.Join(folder, s.notebook+".ipynb"))
	if err != nil {
		return pictured.Picture{}, err
	}
	hash, err := pictured.Hash(text, cells)
	return pictured.Picture{Notebook: "notebooks/" + s.notebook + ".ipynb", Cells: cells, SHA256: hash}, err
}

// serve starts the notebook server, which ends with ctx, and returns its address.
func serve(ctx context.Context, nacre, folder string) (string, *exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, nacre, "notebook", folder, "--port", "0")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	return strings.TrimSpace(line), cmd, err
}

// page opens a notebook in a new tab, all of it drawn.
func page(ctx context.Context, url, notebook, theme string, height int) error {
	address, token, _ := strings.Cut(url, "?")
	err := chromedp.Do(ctx,
		chromedp.EmulateViewport(width, int64(height), chromedp.EmulateScale(1.5)),
		chromedp.Navigate(strings.TrimSuffix(address, "/")+"/notebooks/"+notebook+".ipynb?"+token),
		chromedp.WaitVisible(chromedp.CSS("body[data-ready=yes] .cell")),
	)
	if err != nil {
		return err
	}
	_, err = chromedp.Run(ctx, chromedp.Evaluate[any](fmt.Sprintf(`(async () => {
		localStorage.setItem('nacre.theme', %[1]q);
		document.documentElement.dataset.theme = %[1]q;
		document.dispatchEvent(new CustomEvent('nacre:theme'));
		for (const cell of document.querySelectorAll('.cell')) cell.style.contentVisibility = 'visible';
		await document.fonts.ready;
		await new Promise(done => setTimeout(done, 1500));
		document.querySelectorAll('.cell').forEach(c => c.classList.remove('current', 'selected'));
	})()`, theme), chromedp.EvalAwaitPromise))
	return err
}

// take takes a picture and returns the ids of the cells in it.
func take(allocator context.Context, url string, s shot, file string) ([]string, error) {
	ctx, cancel := chromedp.NewContext(allocator)
	defer cancel()
	if err := page(ctx, url, s.notebook, "light", s.height); err != nil {
		return nil, err
	}
	scroll := fmt.Sprintf(`(async () => {
		const cells = [...document.querySelectorAll('.cell')], ids = nacre.notebook.cells.map(c => c.id);
		const bar = 52; // the page's head stays in front
		const top = %[1]q
			? cells[ids.indexOf(%[1]q)].getBoundingClientRect().top + scrollY - bar
			: [...document.querySelectorAll(%[2]q)].pop().getBoundingClientRect().bottom + scrollY - innerHeight + %[3]d;
		scrollTo({ top, behavior: 'instant' });
		await new Promise(done => setTimeout(done, 800));
		return ids.filter((_, k) => { const r = cells[k].getBoundingClientRect(); return r.bottom > bar && r.top < innerHeight; });
	})()`, s.cell, s.figure, s.below)
	cells, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](scroll, chromedp.EvalAwaitPromise))
	if err != nil {
		return nil, err
	}
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		return nil, err
	}
	return cells, os.WriteFile(file, png, 0o644)
}

// takeEach pictures what every cell shows: CELL-THEME.png.
func takeEach(allocator context.Context, url, notebook, out string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, theme := range []string{"light", "dark"} {
		ctx, cancel := chromedp.NewContext(allocator)
		defer cancel()
		if err := page(ctx, url, notebook, theme, height); err != nil {
			return err
		}
		cells, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](`nacre.notebook.cells.flatMap((c, i) => {
			document.querySelectorAll('.cell')[i].dataset.picture = c.id;
			return c.outputs.length ? [c.id] : [];
		})`))
		if err != nil {
			return err
		}
		for _, id := range cells {
			wait := fmt.Sprintf(`(document.querySelector('[data-picture=%q]').scrollIntoView(), new Promise(done => setTimeout(() => done(null), 1500)))`, id)
			if _, err := chromedp.Run(ctx, chromedp.Evaluate[any](wait, chromedp.EvalAwaitPromise)); err != nil {
				return err // rollouts are drawn when they are seen
			}
			png, err := chromedp.Run(ctx,
				chromedp.Screenshot(chromedp.CSS(fmt.Sprintf(`[data-picture=%q] .outputs`, id))))
			if err != nil {
				return fmt.Errorf("%s: %w", id, err)
			}
			file := filepath.Join(out, fmt.Sprintf("%s-%s.png", id, theme))
			if err := os.WriteFile(file, png, 0o644); err != nil {
				return err
			}
			fmt.Println(file)
		}
	}
	return nil
}
