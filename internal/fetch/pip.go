package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"nacre/internal/python"
)

// install installs pip on Debian or Ubuntu; installCommand is the text that tells a person to do so.
var install = [][]string{{"apt-get", "update", "-q"}, {"apt-get", "install", "-y", "-q", "--no-install-recommends",
	"python3-pip"}}

const installCommand = "apt-get update && apt-get install -y --no-install-recommends python3-pip"

// download lets pip fetch the wheel of p into the folder work, or uv its files into a folder there.
func (o Options) download(ctx context.Context, p Part, work string) (from string, err error) {
	pip := o.pip
	if len(pip) == 0 {
		if pip, err = o.findPip(ctx, p, work); err != nil {
			return "", err
		}
	}
	if slices.Equal(pip, uvPip) {
		return o.downloadByUV(ctx, p, work, pip)
	}
	args := append(append(pip[1:len(pip):len(pip)], "download", "--quiet", "--disable-pip-version-check",
		"--no-cache-dir",
		"--timeout", "20", "--retries", "2", "--dest", work), p.pip...)
	said, err := o.watch(ctx, "fetching "+p.String(), work, append([]string{pip[0]}, args...))
	if err != nil {
		return "", o.failed(ctx, p, "pip", said, err)
	}
	entries, err := os.ReadDir(work)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if p.wheel(e.Name()) {
			return filepath.Join(work, e.Name()), nil
		}
	}
	return "", fmt.Errorf("pip downloaded no wheel of %s", p)
}

// downloadByUV lets uv unpack the package into a folder, because uv has no command that keeps the wheel. It compares
// the wheel with its known sums.
func (o Options) downloadByUV(ctx context.Context, p Part, work string, uv []string) (from string, err error) {
	requirement := p.pip[len(p.pip)-1]
	line := requirement
	for wheel, sum := range sums {
		if p.wheel(wheel) {
			line += " --hash=sha256:" + sum
		}
	}
	file, from := filepath.Join(work, "requirements.txt"), filepath.Join(work, "uv")
	if err := os.WriteFile(file, []byte(line+"\n"), 0o644); err != nil {
		return "", unwritable(o.Dir, err)
	}
	args := append(uv[1:len(uv):len(uv)], "install", "--quiet", "--no-deps", "--only-binary", ":all:",
		"--python-version", "3.12",
		"--python-platform", p.uv, "--link-mode", "copy", "--target", from, "--require-hashes", "-r", file)
	said, err := o.watch(ctx, "fetching "+p.String()+" by uv", work, append([]string{uv[0]}, args...))
	if err != nil {
		return "", o.failed(ctx, p, "uv", said, err)
	}
	return from, nil
}

// failed says why pip or uv could not download, and what to do.
func (o Options) failed(ctx context.Context, p Part, tool, said string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for text, cause := range map[string]error{"No space left on device": syscall.ENOSPC,
		"Disk quota exceeded": syscall.EDQUOT} {
		if strings.Contains(said, text) {
			return unwritable(o.Dir, cause)
		}
	}
	return fmt.Errorf("%s could not download %s (%s): put its wheel, %s, into %s and run `%s` again, or connect to a "+
		"network",
		tool, p, reason(said, err), p.pip[len(p.pip)-1], o.Dir, o.Command)
}

// uvPip is uv's command that works like pip; an environment that uv has made has no pip of its own.
var uvPip = []string{"uv", "pip"}

// findPip returns the command of a working pip, or of uv's, installed now if that was asked for. The chosen Python's
// pip is first; any other one downloads the same.
func (o Options) findPip(ctx context.Context, p Part, work string) ([]string, error) {
	var candidates [][]string
	if chosen, err := python.Find(); err == nil {
		if chosen.Note != "" {
			o.Say(chosen.Note)
		}
		candidates = append(candidates, []string{chosen.Path, "-m", "pip"})
	}
	candidates = append(candidates, uvPip, []string{"python3", "-m", "pip"}, []string{"pip3"}, []string{"pip"})
	works := func() []string {
		for _, c := range candidates {
			ask := "--version"
			if slices.Equal(c, uvPip) {
				ask = "--help"
			}
			if exec.CommandContext(ctx, c[0], append(c[1:len(c):len(c)], ask)...).Run() == nil {
				return c
			}
		}
		return nil
	}
	if pip := works(); pip != nil {
		return pip, nil
	}
	_, err := exec.LookPath("apt-get")
	apt, root := err == nil, os.Getuid() == 0
	switch {
	case apt && root && o.Install:
		for _, command := range install {
			if said, err := o.watch(ctx, strings.Join(command[:2], " "), work, command); err != nil {
				if ctx.Err() != nil {
					return nil, context.Cause(ctx)
				}
				return nil, fmt.Errorf("%s failed (%s)", strings.Join(command, " "), lastLine(said, err))
			}
		}
		if pip := works(); pip != nil {
			return pip, nil
		}
		return nil, errors.New("python3-pip was installed, but `python3 -m pip` does not work")
	case apt && root:
		return nil, fmt.Errorf("%s cannot be fetched because there is no pip: run `%s`, which does `%s`", p, o.Asking,
			installCommand)
	case apt:
		return nil, fmt.Errorf("%s cannot be fetched because there is no pip: run `sudo sh -c '%s'` and `%s` again", p,
			installCommand, o.Command)
	}
	return nil, fmt.Errorf("%s cannot be fetched because there is no pip and no uv: install Python 3 with pip, or "+
		"put the wheel %s into %s, and run `%s` again",
		p, p.pip[len(p.pip)-1], o.Dir, o.Command)
}

// watch runs a command until it ends, and reports its progress in seconds and in bytes in work.
func (o Options) watch(ctx context.Context, what, work string, command []string) (said string, err error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "TMPDIR="+work, "DEBIAN_FRONTEND=noninteractive")
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	o.Say(what)
	if err := cmd.Start(); err != nil {
		return "", err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	tick := time.NewTicker(patience)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return out.String(), err
		case <-tick.C:
			line := fmt.Sprintf("%s: %.0f s", what, time.Since(began).Seconds())
			if n := bytesIn(work); n > 0 {
				line += fmt.Sprintf(", %.1f MB", float64(n)/1e6)
			}
			o.Say(line)
		}
	}
}

// bytesIn is the size of a folder, as far as it can be read while another program writes there.
func bytesIn(dir string) (n int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

// connection matches pip's words for a network that it cannot use; its last line says only that it found nothing.
var connection = regexp.MustCompile(`connection broken by '?"?(.*?)\)?'?"?: /`)

// reason says why pip failed, from its output.
func reason(said string, err error) string {
	if m := connection.FindStringSubmatch(said); m != nil {
		return m[1]
	}
	return lastLine(said, err)
}

// lastLine is the last line of a command's output, or the error if there is no output.
func lastLine(said string, err error) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return last
	}
	return err.Error()
}
