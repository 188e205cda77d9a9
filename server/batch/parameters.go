package batch

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"nacre/server/nbformat"
)

// The tags of papermill: of the cell that declares parameters with their usual values, and of the one put in behind it.
const (
	parametersTag = "parameters"
	injectedTag   = "injected-parameters"
)

// declaration finds what a parameters cell assigns: "name := value", "var name = value", "var name type = value", also
// inside "var ( )".
var declaration = regexp.MustCompile(`(?m)^\s*(?:var\s+)?([A-Za-z_]\w*)(?:\s+[\w.\[\]*]+)?\s*:?=[^=]`)

// SetParameters puts a cell with new values after the notebook's parameters cell. Each value is given as "name=value".
// Values are numbers, true, false or Go string literals; any other text is a string. An earlier cell of this kind is
// replaced.
func SetParameters(nb *nbformat.Notebook, values []string) error {
	if len(values) == 0 {
		return nil
	}
	at := slices.IndexFunc(nb.Cells(), func(c nbformat.Cell) bool {
		return c.Tagged(parametersTag) && c.Type() == "code"
	})
	if at < 0 {
		return fmt.Errorf("the notebook takes no parameters: none of its cells has the tag %q", parametersTag)
	}
	var names []string
	for _, m := range declaration.FindAllStringSubmatch(nb.Cells()[at].Source(), -1) {
		names = append(names, m[1])
	}
	var lines []string
	for _, v := range values {
		name, value, ok := strings.Cut(v, "=")
		if !ok {
			return fmt.Errorf("parameter %q: expected name=value", v)
		}
		if !slices.Contains(names, name) {
			return fmt.Errorf("parameter %q: the notebook has %s", name, strings.Join(names, ", "))
		}
		lines = append(lines, name+" = "+literal(value))
	}
	source := strings.Join(lines, "\n")
	if i := slices.IndexFunc(nb.Cells(), func(c nbformat.Cell) bool { return c.Tagged(injectedTag) }); i >= 0 {
		nb.Cells()[i]["source"] = source
		return nil
	}
	c := nbformat.NewCode("injected-parameters", source)
	c.Metadata()["tags"] = []any{injectedTag}
	nb.Insert(at+1, c)
	return nil
}

// literal is a value as Go source.
func literal(value string) string {
	if value == "true" || value == "false" {
		return value
	}
	if _, err := strconv.ParseInt(value, 0, 64); err == nil {
		return value
	}
	if f, err := strconv.ParseFloat(value, 64); err == nil && f-f == 0 {
		return value
	}
	if _, err := strconv.Unquote(value); err == nil && value[0] != '\'' {
		return value
	}
	return strconv.Quote(value)
}
