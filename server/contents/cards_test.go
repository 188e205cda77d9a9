package contents

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A card has the first heading, the first paragraph without its marks, and the picture with most bytes; a file that is
// written again has another card, and one that cannot be read has none.
func TestCards(t *testing.T) {
	dir := t.TempDir()
	small, large := bytes.Repeat([]byte("s"), 30), bytes.Repeat([]byte("l"), 60)
	write := func(name, first string) {
		text := fmt.Sprintf(`{"cells": [
			{"cell_type": "markdown", "metadata": {}, "source": %q},
			{"cell_type": "code", "metadata": {}, "source": "", "execution_count": 1, "outputs": [
				{"output_type": "display_data", "metadata": {}, "data": {"image/png": [%q, "\n"]}},
				{"output_type": "display_data", "metadata": {}, "data": {"image/png": %q}}]}],
			"metadata": {}, "nbformat": 4, "nbformat_minor": 4}`,
			first, base64.StdEncoding.EncodeToString(large), base64.StdEncoding.EncodeToString(small))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a.ipynb", "# Of *two* `agents`\n\nThey [infer](x.md) their\n**task**.\n\nMore.")
	write("b.ipynb", "Only text, $x$.")
	if err := os.WriteFile(filepath.Join(dir, "broken.ipynb"), []byte(`{"cells": [`), 0o644); err != nil {
		t.Fatal(err)
	}
	store, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	said := func() string {
		t.Helper()
		list, err := store.Cards("")
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, c := range list {
			out = append(out, fmt.Sprintf("%s: %s | %s | %v", c.Path, c.Title, c.Text, c.Pictured))
		}
		return strings.Join(out, "\n")
	}
	want := "a.ipynb: Of two agents | They infer their task. | true\nb.ipynb: b | Only text, x. | true"
	if got := said(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if png, err := store.Picture("a.ipynb"); err != nil || !bytes.Equal(png, large) {
		t.Errorf("picture %q, %v", png, err)
	}
	write("b.ipynb", "# Now a heading")
	if got := said(); !strings.HasSuffix(got, "b.ipynb: Now a heading |  | true") {
		t.Errorf("written again: %s", got)
	}
	for _, p := range []string{"broken.ipynb", "../a.ipynb", "none.ipynb"} {
		if _, err := store.Picture(p); err == nil {
			t.Errorf("%s has a picture", p)
		}
	}
}
