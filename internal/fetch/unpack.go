package fetch

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// check compares a wheel with the sum that is known of it.
func (o Options) check(wheel string) error {
	want, known := sums[filepath.Base(wheel)]
	if !known {
		return nil
	}
	f, err := os.Open(wheel)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	if got := fmt.Sprintf("%x", sum.Sum(nil)); got != want {
		return fmt.Errorf("%s is damaged or not the published one (SHA-256 %s, expected %s): remove it and run `%s` again", wheel, got, want, o.Command)
	}
	return nil
}

// unpack makes the folder of a part from its wheel. Each file is checked by the sum that the wheel has of it.
func (o Options) unpack(ctx context.Context, p Part, wheel, folder string) error {
	z, err := zip.OpenReader(wheel)
	if err != nil {
		return fmt.Errorf("%s cannot be unpacked (%w): remove it and run `%s` again", wheel, err, o.Command)
	}
	defer z.Close()
	var files strings.Builder
	found := false
	for _, member := range z.File {
		to := p.take(member.Name)
		if to == "" || strings.HasSuffix(member.Name, "/") || !filepath.IsLocal(to) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if err := extract(member, filepath.Join(folder, filepath.FromSlash(to))); err != nil {
			return fmt.Errorf("%s cannot be unpacked (%s: %w): remove it and run `%s` again", wheel, member.Name, err, o.Command)
		}
		fmt.Fprintf(&files, "%d %s\n", member.UncompressedSize64, to)
		found = found || to == p.needs
	}
	if !found {
		return fmt.Errorf("%s does not hold what was expected: there is no %s in it", wheel, p.needs)
	}
	return os.WriteFile(filepath.Join(folder, list), []byte(files.String()), 0o644)
}

func extract(member *zip.File, path string) error {
	from, err := member.Open()
	if err != nil {
		return err
	}
	defer from.Close()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	to, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := io.Copy(to, from); err != nil {
		to.Close()
		return err
	}
	return to.Close()
}
