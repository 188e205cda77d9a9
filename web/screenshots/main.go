// Command screenshots takes the README's pictures of the notebook: it serves a folder of notebooks that have been run,
// opens them in a headless Chromium and writes PNG files. With -each it pictures what every cell of one notebook shows, in
// both themes: kinds.ipynb has every kind of table and figure.
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
)

// shot is one picture of a notebook: the window is scrolled so that the last figure of a kind ends above the given
// distance from its lower edge.
type shot struct {
	notebook, figure, theme, file string
	below                         int
}

const width, height = 1280, 960

var shots = []shot{
	{"quickstart", ".curves", "light", "notebook-quickstart.png", 320},
	{"quickstart", ".embedding", "light", "notebook-embedding.png", 230},
	{"quickstart", ".embedding", "dark", "notebook-embedding-dark.png", 230},
	{"tsne-study", ".embedding", "light", "notebook-tsne-study.png", 300},
}

func main() {
	nacre := flag.String("nacre", "bin/nacre", "the program")
	folder := flag.String("folder", "out/notebooks", "of notebooks with their outputs")
	out := flag.String("out", "docs/img", "folder for the pictures")
	each := flag.String("each", "", "notebook of which every output is taken, instead of the README's pictures")
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
	for _, f := range []string{"no-sandbox", "disable-gpu", "disable-background-networking", "disable-component-update", "disable-sync", "no-first-run", "hide-scrollbars"} {
		options = append(options, chromedp.Flag(f, true))
	}
	allocator, stop := chromedp.NewExecAllocator(ctx, options...)
	defer stop()
	if each != "" {
		return takeEach(allocator, url, each, out)
	}
	for _, s := range shots {
		if _, err := os.Stat(filepath.Join(folder, s.notebook+".ipynb")); errors.Is(err, os.ErrNotExist) {
			continue // it has not been run
		}
		if err := take(allocator, url, s, filepath.Join(out, s.file)); err != nil {
			return fmt.Errorf("%s: %w", s.file, err)
		}
		fmt.Println(filepath.Join(out, s.file))
	}
	return nil
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
func page(ctx context.Context, url, notebook, theme string) error {
	address, token, _ := strings.Cut(url, "?")
	err := chromedp.Do(ctx,
		chromedp.EmulateViewport(width, height, chromedp.EmulateScale(1.5)),
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

func take(allocator context.Context, url string, s shot, file string) error {
	ctx, cancel := chromedp.NewContext(allocator)
	defer cancel()
	if err := page(ctx, url, s.notebook, s.theme); err != nil {
		return err
	}
	scroll := fmt.Sprintf(`(async () => {
		const figure = [...document.querySelectorAll(%q)].pop();
		scrollTo({ top: figure.getBoundingClientRect().bottom + scrollY - innerHeight + %d, behavior: 'instant' });
		await new Promise(done => setTimeout(done, 800));
	})()`, s.figure, s.below)
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[any](scroll, chromedp.EvalAwaitPromise)); err != nil {
		return err
	}
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		return err
	}
	return os.WriteFile(file, png, 0o644)
}

// takeEach pictures what every cell shows: CELL-THEME.png.
func takeEach(allocator context.Context, url, notebook, out string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, theme := range []string{"light", "dark"} {
		ctx, cancel := chromedp.NewContext(allocator)
		defer cancel()
		if err := page(ctx, url, notebook, theme); err != nil {
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
			png, err := chromedp.Run(ctx, chromedp.Screenshot(chromedp.CSS(fmt.Sprintf(`[data-picture=%q] .outputs`, id))))
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
