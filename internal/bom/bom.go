// Package bom lists the parts of a release of Nacre: the Go modules in the program and the npm packages in the front
// end, each with version, checksum and licence. It writes the list as a software bill of materials (CycloneDX) and says
// which licences are not allowed. Files that `nacre setup` fetches later are no part of a release; internal/fetch has
// their checksums.
package bom

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/google/licensecheck"
	"golang.org/x/mod/module"
)

// Component is a part of a release.
type Component struct {
	Name    string
	Version string
	Licence string // SPDX expression; "" if none was found
	Sum     string // checksum as in go.sum and package-lock.json, "h1:…" or "sha512-…"
	PURL    string // package URL (https://github.com/package-url/purl-spec)
}

// Allowed lists the SPDX identifiers of the licences that parts may have. These licences require only that they are
// named.
var Allowed = []string{
	"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC-BY-4.0", "CC0-1.0", "FTL", "HPND", "ISC",
	"MIT", "NCSA", "OFL-1.1", "OpenSSL", "PSF-2.0",
	"Python-2.0", "Unlicense", "Zlib",
}

// Permitted reports whether a licence is allowed. In "A OR B" one licence must be allowed, in "A AND B" all.
func (c Component) Permitted() bool {
	expression := strings.NewReplacer("(", "", ")", "").Replace(c.Licence)
	return slices.ContainsFunc(strings.Split(expression, " OR "), func(choice string) bool {
		return !slices.ContainsFunc(strings.Split(choice, " AND "), func(id string) bool {
			return !slices.Contains(Allowed, strings.TrimSpace(id))
		})
	})
}

// Modules returns the Go modules in a program. Licences are read from the folder of the module cache. A module without
// a checksum is an error.
func Modules(info *debug.BuildInfo, cache string) ([]Component, error) {
	var list []Component
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		if m.Sum == "" {
			return nil, fmt.Errorf("the module %s %s has no checksum", m.Path, m.Version)
		}
		path, err := module.EscapePath(m.Path)
		if err != nil {
			return nil, err
		}
		version, err := module.EscapeVersion(m.Version)
		if err != nil {
			return nil, err
		}
		licence, err := licenceOf(filepath.Join(cache, path+"@"+version))
		if err != nil {
			return nil, fmt.Errorf("the licence of %s %s: %w", m.Path, m.Version, err)
		}
		licence = cmp.Or(licence, elsewhere[m.Path])
		list = append(list, Component{m.Path, m.Version, licence, m.Sum, "pkg:golang/" + m.Path + "@" + m.Version})
	}
	return list, nil
}

// Release returns the parts of a release whose program has this build information. They are its Go modules, read from
// the module cache of go, and the packages of the front end, read from the checkout in the working directory. The
// packages must have been fetched there.
func Release(info *debug.BuildInfo) ([]Component, error) {
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOMODCACHE: %w", err)
	}
	modules, err := Modules(info, strings.TrimSpace(string(cache)))
	if err != nil {
		return nil, err
	}
	packages, err := Packages(filepath.Join("web", "package-lock.json"))
	return append(modules, packages...), err
}

// elsewhere are the licences of modules whose file of that name only says where they are.
var elsewhere = map[string]string{"github.com/golang/freetype": "FTL OR GPL-2.0-or-later"}

// licenceFile are the names that files with licences have.
var licenceFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying)([._-].*)?$`)

// licenceOf recognises the licences of a folder by their texts.
func licenceOf(folder string) (string, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	var found []string
	for _, f := range files {
		if f.IsDir() || !licenceFile.MatchString(f.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			return "", err
		}
		for _, match := range licensecheck.Scan(text).Match {
			if !match.IsURL && !slices.Contains(found, match.ID) {
				found = append(found, match.ID)
			}
		}
	}
	slices.Sort(found)
	return strings.Join(found, " AND "), nil
}

// Packages returns the npm packages of the page, from a front end's lock file. Packages that only build the page are
// left out. A package without a checksum is an error. If the lock file names no licence, the licence is read in
// node_modules beside the lock file, from the package's own file or the text of its licence.
func Packages(lock string) ([]Component, error) {
	data, err := os.ReadFile(lock)
	if err != nil {
		return nil, err
	}
	var file struct {
		Packages map[string]struct {
			Version, Integrity, License string
			Dev                         bool
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", lock, err)
	}
	var list []Component
	for folder, p := range file.Packages {
		if folder == "" || p.Dev {
			continue
		}
		name := folder[strings.LastIndex(folder, "node_modules/")+len("node_modules/"):]
		if p.Integrity == "" {
			return nil, fmt.Errorf("%s: %s %s has no checksum", lock, name, p.Version)
		}
		at := filepath.Join(filepath.Dir(lock), filepath.FromSlash(folder))
		if p.License == "" {
			if p.License, err = declared(filepath.Join(at, "package.json")); err != nil {
				return nil, err
			}
		}
		if p.License == "" {
			if p.License, err = licenceOf(at); err != nil {
				return nil, err
			}
		}
		list = append(list, Component{name, p.Version, p.License, p.Integrity,
			"pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version})
	}
	slices.SortFunc(list, func(a, b Component) int { return cmp.Compare(a.PURL, b.PURL) })
	return list, nil
}

// declared is the licence that a package's own file names, in the form of before SPDX too.
func declared(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		if os.IsNotExist(err) {
			return "", fmt.Errorf("%s: %w: its licence is not in the lock file; npm ci fetches it", path,
				fs.ErrNotExist)
		}
		return "", err
	}
	var p struct {
		License  string
		Licenses []struct{ Type string }
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	if p.License == "" && len(p.Licenses) > 0 {
		p.License = p.Licenses[0].Type
	}
	return p.License, nil
}

// Write writes a bill of materials in CycloneDX's JSON. The same parts give the same bytes.
func Write(w io.Writer, name, version string, when time.Time, parts []Component) error {
	b := cyclonedx.NewBOM()
	b.Metadata = &cyclonedx.Metadata{
		Timestamp: when.UTC().Format(time.RFC3339),
		Component: &cyclonedx.Component{Type: cyclonedx.ComponentTypeApplication, Name: name, Version: version},
	}
	list := make([]cyclonedx.Component, 0, len(parts))
	for _, p := range parts {
		c := cyclonedx.Component{BOMRef: p.PURL, Type: cyclonedx.ComponentTypeLibrary, Name: p.Name, Version: p.Version,
			PackageURL: p.PURL}
		if p.Licence != "" {
			c.Licenses = &cyclonedx.Licenses{{Expression: p.Licence}}
		}
		if encoded, ok := strings.CutPrefix(p.Sum, "sha512-"); ok {
			sum, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil {
				return fmt.Errorf("the checksum of %s: %w", p.Name, err)
			}
			c.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA512, Value: hex.EncodeToString(sum)}}
		} else { // Go's h1 is the sum of a list of files, not of one
			c.Properties = &[]cyclonedx.Property{{Name: "go.sum", Value: p.Sum}}
		}
		list = append(list, c)
	}
	b.Components = &list
	return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(b)
}
