package bom_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"nacre/internal/bom"
)

func ExampleComponent_Permitted() {
	for _, licence := range []string{"MIT", "(MPL-2.0 OR Apache-2.0)", "BSD-3-Clause AND MIT", "MIT AND GPL-3.0",
		"AGPL-3.0", ""} {
		fmt.Printf("%q %v\n", licence, bom.Component{Licence: licence}.Permitted())
	}
	// Output:
	// "MIT" true
	// "(MPL-2.0 OR Apache-2.0)" true
	// "BSD-3-Clause AND MIT" true
	// "MIT AND GPL-3.0" false
	// "AGPL-3.0" false
	// "" false
}

const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`

func put(t *testing.T, text string, path ...string) string {
	t.Helper()
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// Licences are recognised by their text, names with capitals found in the cache, and nothing passes without a checksum.
func TestModules(t *testing.T) {
	cache := t.TempDir()
	put(t, mit, cache, "example.org", "!good@v1.0.0", "LICENSE.md")
	put(t, "all rights reserved", cache, "example.org", "odd@v1.0.0", "COPYING")
	info := &debug.BuildInfo{Deps: []*debug.Module{{Path: "example.org/Good", Version: "v1.0.0", Sum: "h1:x"},
		{Path: "example.org/odd", Version: "v1.0.0", Sum: "h1:y"}}}
	list, err := bom.Modules(info, cache)
	if err != nil || len(list) != 2 || list[0].Licence != "MIT" || list[1].Licence != "" || list[1].Permitted() {
		t.Errorf("%+v, %v", list, err)
	}
	info.Deps[0].Sum = ""
	if _, err := bom.Modules(info, cache); err == nil || !strings.Contains(err.Error(), "no checksum") {
		t.Errorf("without a checksum: %v", err)
	}
}

// A package that names no licence may have its text.
func TestLicenceText(t *testing.T) {
	dir := t.TempDir()
	put(t, "{}", dir, "node_modules", "text", "package.json")
	put(t, mit, dir, "node_modules", "text", "license")
	lock := put(t, `{"packages": {"node_modules/text": {"version": "1.0.0", "integrity": "sha512-AQI="}}}`, dir,
		"package-lock.json")
	if list, err := bom.Packages(lock); err != nil || len(list) != 1 || list[0].Licence != "MIT" {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestPackages(t *testing.T) {
	dir := t.TempDir()
	put(t, `{"licenses": [{"type": "MIT"}]}`, dir, "node_modules", "old", "package.json")
	lock := put(t, `{"packages": {"": {"license": "Apache-2.0"},
		"node_modules/@a/b": {"version": "1.0.0", "integrity": "sha512-AQI=", "license": "ISC"},
		"node_modules/old": {"version": "2.0.0", "integrity": "sha512-AQI="},
		"node_modules/tool": {"version": "3.0.0", "dev": true}}}`, dir, "package-lock.json")
	list, err := bom.Packages(lock)
	if err != nil || len(list) != 2 || list[0].PURL != "pkg:npm/%40a/b@1.0.0" || list[0].Licence != "ISC" ||
		list[1].Licence != "MIT" {
		t.Fatalf("%+v, %v", list, err)
	}
	var twice [2]bytes.Buffer
	for i := range twice {
		if err := bom.Write(&twice[i], "nacre", "v1", time.Unix(1e9, 0), list); err != nil {
			t.Fatal(err)
		}
	}
	var read struct {
		BomFormat  string
		Metadata   struct{ Timestamp string }
		Components []struct {
			Purl     string
			Hashes   []struct{ Alg, Content string }
			Licenses []struct{ Expression string }
		}
	}
	if err := json.Unmarshal(twice[0].Bytes(), &read); err != nil || twice[0].String() != twice[1].String() {
		t.Fatalf("%v, the same twice: %v", err, twice[0].String() == twice[1].String())
	}
	c := read.Components[0]
	if read.BomFormat != "CycloneDX" || read.Metadata.Timestamp != "2001-09-09T01:46:40Z" || c.Purl != list[0].PURL ||
		c.Hashes[0].Content != "0102" || c.Licenses[0].Expression != "ISC" {
		t.Errorf("%s", &twice[0])
	}
	put(t, `{"packages": {"node_modules/x": {"version": "1.0.0"}}}`, dir, "package-lock.json")
	if _, err := bom.Packages(lock); err == nil || !strings.Contains(err.Error(), "x 1.0.0 has no checksum") {
		t.Errorf("without a checksum: %v", err)
	}
}
