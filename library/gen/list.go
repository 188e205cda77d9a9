package main

import (
	"slices"
	"strings"

	"nacre/library/api"
)

// list names the packages that cells may import besides those in the interpreter's tables of the standard library.
var list = []string{
	"crypto/sha3",
	"golang.org/x/sync/errgroup",
	"gonum.org/v1/gonum/dsp/fourier",
	"gonum.org/v1/gonum/floats",
	"gonum.org/v1/gonum/graph",
	"gonum.org/v1/gonum/graph/path",
	"gonum.org/v1/gonum/graph/simple",
	"gonum.org/v1/gonum/graph/topo",
	"gonum.org/v1/gonum/integrate",
	"gonum.org/v1/gonum/interp",
	"gonum.org/v1/gonum/mat",
	"gonum.org/v1/gonum/optimize",
	"gonum.org/v1/gonum/stat",
	"gonum.org/v1/gonum/stat/distmv",
	"gonum.org/v1/gonum/stat/distuv",
	"gonum.org/v1/plot",
	"gonum.org/v1/plot/font",
	"gonum.org/v1/plot/palette",
	"gonum.org/v1/plot/palette/moreland",
	"gonum.org/v1/plot/plotter",
	"gonum.org/v1/plot/plotutil",
	"gonum.org/v1/plot/text",
	"gonum.org/v1/plot/vg",
	"gonum.org/v1/plot/vg/draw",
	"gonum.org/v1/plot/vg/vgimg",
	"gonum.org/v1/plot/vg/vgsvg",
	"gorgonia.org/gorgonia",
	"gorgonia.org/tensor",
	"os/exec",
	"time/tzdata",
}

// dropped are standard packages of the interpreter's tables that no notebook needs: each costs room in the binary.
var dropped = []string{
	"debug", "go/build", "go/importer", "log/syslog", "net/http/cgi", "net/http/fcgi", "net/http/pprof", "net/rpc",
	"net/smtp",
}

// browser are the standard packages that cells can import in the browser. What is left out needs sockets, processes or
// users, which the browser has not got, or is rarely met in a notebook and large.
var browser = []string{
	"bufio", "bytes", "cmp", "compress/gzip", "compress/zlib", "container/heap", "container/list", "container/ring",
	"context",
	"crypto/md5", "crypto/rand", "crypto/sha1", "crypto/sha256", "crypto/sha512", "encoding", "encoding/base64",
	"encoding/binary", "encoding/csv", "encoding/hex", "encoding/json", "errors", "flag", "fmt", "hash", "hash/adler32",
	"hash/crc32", "hash/crc64", "hash/fnv", "html", "image", "image/color", "image/color/palette", "image/draw",
	"image/gif",
	"image/jpeg", "image/png", "io", "io/fs", "iter", "log", "log/slog", "maps", "math", "math/big", "math/bits",
	"math/cmplx",
	"math/rand", "math/rand/v2", "os", "path", "path/filepath", "reflect", "regexp", "runtime", "runtime/debug",
	"slices",
	"sort", "strconv", "strings", "sync", "sync/atomic", "text/tabwriter", "text/template", "time", "unicode",
	"unicode/utf16",
	"unicode/utf8", "unique", "weak", "archive/zip", "net/url",
}

// base are the packages of browser that nearly every cell imports, and common those that many do. The kernel's own
// tests have these and no others.
var (
	base   = []string{"cmp", "errors", "fmt", "iter", "maps", "slices", "sort", "strconv", "strings", "sync"}
	common = []string{"bytes", "crypto/rand", "encoding/json", "flag", "io", "log", "math", "math/rand", "os",
		"reflect", "time"}
)

// serverOnly are the other packages that cells cannot import in the browser, with those below them: they drive a GPU or
// the native MuJoCo, read its files, run processes, answer HTTP, or compare with Python programs.
var serverOnly = []string{"nacre/core/cuda", "nacre/core/coretest", "nacre/rl/replay/feeding/feedingtest",
	"nacre/sim/verify", "nacre/sim/rates",
	"nacre/sim/metaworld/bundle", "nacre/experiment/layouts", "nacre/experiment/programs", "nacre/experiment/runs",
	"nacre/experiment/sweep", "nacre/library/tasks", "os/exec"}

// inBrowser reports whether cells can import a package in the browser too.
func inBrowser(path string) bool {
	if slices.Contains(list, path) || api.Own(path) {
		return !slices.ContainsFunc(serverOnly, func(p string) bool {
			return path == p || strings.HasPrefix(path, p+"/")
		})
	}
	return slices.Contains(browser, path)
}

// family is the packages whose types a browser reads together with those of path.
func family(path string) string {
	switch first, _, _ := strings.Cut(path, "/"); first {
	case "gonum.org", "gorgonia.org", "nacre":
		return strings.TrimSuffix(first, ".org")
	}
	if !slices.Contains(browser, path) {
		return "more"
	}
	switch {
	case slices.Contains(base, path):
		return "base"
	case slices.Contains(common, path):
		return "common"
	}
	return "std"
}
