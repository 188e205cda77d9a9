//go:build !js

package study

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"regexp"

	"nacre/internal/atomicfile"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// image matches a picture in the HTML that goldmark makes from Markdown.
var image = regexp.MustCompile(`<img src="([^":]+\.png)"`)

// WritePage makes a self-contained page from a report in Markdown. The function picture returns the content of a PNG
// file that the text shows. In a tab the error wraps errors.ErrUnsupported.
func WritePage(path, title, markdown string, picture func(name string) ([]byte, error)) error {
	var body bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.Table)).Convert([]byte(markdown), &body); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var failed error
	text := image.ReplaceAllFunc(body.Bytes(), func(tag []byte) []byte {
		data, err := picture(string(image.FindSubmatch(tag)[1]))
		if err != nil && failed == nil {
			failed = fmt.Errorf("%s: %w", path, err)
		}
		return fmt.Appendf(nil, `<img src="data:image/png;base64,%s"`, base64.StdEncoding.EncodeToString(data))
	})
	if failed != nil {
		return failed
	}
	text = bytes.ReplaceAll(text, []byte("/"+ReportFile+`"`), []byte("/"+PageFile+`"`)) // links to other reports
	text = bytes.ReplaceAll(text, []byte("<table>"), []byte(`<div class="table"><table>`))
	text = bytes.ReplaceAll(text, []byte("</table>"), []byte("</table></div>"))
	return atomicfile.WriteBytes(path, fmt.Appendf(nil, page, html.EscapeString(title), text))
}

const page = `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>
:root { color-scheme: light; --ink: #1d2129; --soft: #667085; --line: #e3e6ea; }
body { font: 15px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--ink); background: #fff; max-width: 72rem; margin: 2.5rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.7rem; line-height: 1.25; } h2 { font-size: 1.25rem; margin-top: 2.75rem; padding-top: .75rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin-top: 2rem; }
p, li { max-width: 50rem; } p:has(img) { max-width: none; }
img { max-width: 100%%; height: auto; }
.table { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .9rem .35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--soft); } td:first-child { font-weight: 500; min-width: 7rem; }
code, pre { font: 12.5px/1.5 ui-monospace, "SF Mono", Menlo, monospace; } code { background: #f4f5f7; padding: .1em .3em; border-radius: 3px; }
pre { background: #f4f5f7; padding: .8rem 1rem; overflow-x: auto; border-radius: 4px; } pre code { padding: 0; }
em { color: var(--soft); }
@media print { body { margin: 0; max-width: none; } h2 { break-after: avoid; } img, .table { break-inside: avoid; } }
</style>
<body>
%s</body>
</html>
`
