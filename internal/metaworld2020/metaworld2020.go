// Package metaworld2020 knows the git ids of the 58 files from which the scenes of Meta-World's first environments are
// made. It does not contain the files.
//
//	for _, f := range metaworld2020.Files() {
//		data, err := os.ReadFile(filepath.Join(folder, f.Name))
//		if err == nil {
//			err = f.Check(data)
//		}
//	}
package metaworld2020

import (
	"bytes"
	"crypto/sha1"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Repository, Commit and Folder say where the files are published.
const (
	Repository = "github.com/rlworkgroup/metaworld"
	Commit     = "0875192baaa91c43523708f55866d98eaf3facaf"
	Folder     = "metaworld/envs/assets_v1"
)

// File is one of the files.
type File struct {
	Name string // name below the folder assets_v1, with slashes
	Size int64
	ID   string // git's id: 40 hexadecimal digits
}

//go:embed ids.txt
var ids string

// Files returns all files: models (sawyer_xyz), meshes and textures.
func Files() []File {
	var files []File
	for line := range strings.Lines(ids) {
		var f File
		if _, err := fmt.Sscan(line, &f.Name, &f.Size, &f.ID); err != nil {
			panic(fmt.Sprintf("metaworld2020: the line %q of ids.txt: %v", line, err))
		}
		files = append(files, f)
	}
	return files
}

// later are the ids of some files in later commits, from September 2020 on; the tag v2.0.0 has them too.
var later = []string{
	"3ff04e36035f6e53d42c8abbbc3d3f950b7be879", "bb8cbbad7153ea5fd7b04a1a9a819b0052b3dd7b",
	"cf2f1345b948b2b84d0db6c35fc8d1d9d6a6eb2f",
}

// ID is the id that git gives a content: the SHA-1 of its length and the content.
func ID(data []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return fmt.Sprintf("%x", h.Sum(nil))
}

// Check returns nil if data is the file. Otherwise the error gives, in one sentence, the expected id and the likely
// cause.
func (f File) Check(data []byte) error {
	got := ID(data)
	if got == f.ID {
		return nil
	}
	why := "it was changed, or is of another commit than " + Commit[:7]
	switch {
	case ID(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))) == f.ID:
		why = "its line endings were changed, as git does with core.autocrlf"
	case bytes.HasPrefix(data, []byte("version https://git-lfs")):
		why = "it is a pointer of Git LFS and not the file"
	case len(data) == 0:
		why = "it is empty"
	case slices.Contains(later, got):
		why = "it is of a later commit, like the tag v2.0.0, which has other pads and another solver: take commit " +
			Commit[:7]
	}
	return fmt.Errorf("%s has the git blob id %s, expected %s: %s", f.Name, got, f.ID, why)
}

// Verify returns nil if a folder holds all files as they were published. Otherwise the error names the first file that
// differs.
func Verify(folder string) error {
	for _, f := range Files() {
		data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(f.Name)))
		if err != nil {
			return fmt.Errorf("%s cannot be read (%w); expected the file of git blob id %s", f.Name, err, f.ID)
		}
		if err := f.Check(data); err != nil {
			return err
		}
	}
	return nil
}
