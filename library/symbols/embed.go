//go:build !js

package symbols

import _ "embed"

// Types is a bundle of the export data of all packages, packed with gzip.
//
//go:embed types.bin.gz
var Types []byte

// Documentation is JSON, packed with gzip: by path, the comment of each name.
//
//go:embed docs.json.gz
var Documentation []byte
