package kernel

import (
	"fmt"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"

	"nacre/kernel/internal/cells"
)

// directive is //go:embed over a variable.
var directive = regexp.MustCompile(`(?m)^[ \t]*//go:embed[ \t]+([^\n]+)\n(?:[ \t]*//[^\n]*\n)*` +
	`[ \t]*(?:var[ \t]+)?\w+[ \t]+(string|\[\]byte|embed\.FS)[ \t]*(?:$|//)`)

// withFiles is a cell in which variables under //go:embed begin with the files that they name, as strings on the
// variables' own lines: all positions stay.
func withFiles(code string) (string, error) {
	var out strings.Builder
	at := 0
	for _, m := range directive.FindAllStringSubmatchIndex(code, -1) {
		name, typ := strings.TrimSpace(code[m[2]:m[3]]), code[m[4]:m[5]]
		if text, err := strconv.Unquote(name); err == nil {
			name = text
		}
		fail := func(text string) error {
			line := strings.Count(code[:m[2]], "\n") + 1
			return cells.Errors{{Pos: token.Position{Line: line, Column: 1}, Msg: "//go:embed " + name + ": " + text}}
		}
		if typ == "embed.FS" {
			return "", fail("cells embed into a string or []byte; for a folder use os.DirFS")
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return "", fail(fmt.Sprintf("expected one file of the notebook's folder: %v", err))
		}
		value := strconv.Quote(string(b))
		if typ == "[]byte" {
			value = "[]byte(" + value + ")"
		}
		out.WriteString(code[at:m[5]] + " = " + value)
		at = m[5]
	}
	return out.String() + code[at:], nil
}
