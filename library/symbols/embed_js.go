package symbols

import "embed"

// Types has a file types_js_FAMILY.bin.gz for each family of packages outside the standard library: a bundle of their
// export data, packed with gzip.
//
//go:embed types_js_*.bin.gz
var Types embed.FS

// Families has lines of path, name and family of each package.
//
//go:embed types_js.txt
var Families string

// Documentation is JSON, packed with gzip: by path, the comment of each name.
//
//go:embed docs_js.json.gz
var Documentation []byte

// Absent has a line with the path of each package that other kernels have and the browser's has not.
//
//go:embed absent_js.txt
var Absent string
