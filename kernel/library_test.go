package kernel_test

import (
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"testing"

	"nacre/kernel"
	"nacre/kernel/kerneltest"
	"nacre/kernel/standard/common"
)

func TestLibraryIsComplete(t *testing.T) {
	l := common.Library()
	l.Doc = nil
	if _, err := kernel.New(kernel.Options{Library: l}); err == nil ||
		!strings.Contains(err.Error(), "has no function Doc") {
		t.Errorf("a library without documentation: %v", err)
	}
}

// count is a function that cells of the small library can import.
func count(s string) int { return len([]rune(s)) }

// small is a library of one package, text, with the function Count and its old name.
func small() kernel.Library {
	text := types.NewPackage("my/text", "text")
	in := types.NewVar(token.NoPos, text, "s", types.Typ[types.String])
	out := types.NewVar(token.NoPos, text, "", types.Typ[types.Int])
	for _, name := range []string{"Count", "Length"} {
		text.Scope().Insert(types.NewFunc(token.NoPos, text, name,
			types.NewSignatureType(nil, nil, nil, types.NewTuple(in), types.NewTuple(out), false)))
	}
	text.MarkComplete()
	return kernel.Library{
		Types: func() (map[string]*types.Package, error) {
			return map[string]*types.Package{"my/text": text}, nil
		},
		Load: func(*types.Package) error { return nil },
		Symbols: func() map[string]map[string]reflect.Value {
			return map[string]map[string]reflect.Value{"my/text": {"Count": reflect.ValueOf(count),
				"Length": reflect.ValueOf(count)}}
		},
		Importable: func(path string) bool { return path == "my/text" },
		Absent: func(path string) string {
			if path == "fmt" {
				return "is not in the small library"
			}
			return ""
		},
		Doc: func(_, name string) string {
			if name == "Count" {
				return "Count counts runes."
			}
			return ""
		},
		Deprecated: func(_, name string) string {
			if name == "Length" {
				return "use Count."
			}
			return ""
		},
		Uses: func(string, string) int { return 0 },
		Forms: func(v any) (map[string]any, error) {
			if n, ok := v.(int); ok && n < 0 {
				return map[string]any{"text/plain": "below zero", "text/html": "<i>below zero</i>"}, nil
			}
			return nil, nil
		},
		Brief: func(any) (string, int, bool) { return "", 0, false },
		Texts: func(string, string, int) []string { return nil },
	}
}

// A session has the packages of the library it is handed and no others, nor any forms but the library's.
func TestSmallLibrary(t *testing.T) {
	if raced {
		t.Skip("cells do not run under the race detector")
	}
	s, err := kernel.New(kernel.Options{Library: small()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	kerneltest.Cells(t, s, [][2]string{
		{"import \"my/text\"\ntext.Count(\"né\")", "2"},
		{"import \"fmt\"", "CompileError: 1:8: package \"fmt\" is not in the small library"},
		{"import \"text\"", "CompileError: 1:8: package \"text\" is not one this notebook can import; there is " +
			"\"my/text\""},
		{"-1", "below zero"},
	})
	for _, c := range [][2]string{
		{`text.Length("a") + text.Length("b")`, "text.Length is deprecated: use Count.\n"},
		{`func length() int { return text.Length("a") }`, ""}, // said once
	} {
		if _, out := execute(s, c[0]); out.Stderr() != c[1] {
			t.Errorf("%s: %q on standard error, want %q", c[0], out.Stderr(), c[1])
		}
	}
	if r, _ := execute(s, "-2"); r.Value.MIME["text/html"] != "<i>below zero</i>" {
		t.Errorf("-2 is shown as %v", r.Value.MIME)
	}
	if c := s.Complete(t.Context(), "import \"my/", 11); len(c.Matches) != 1 || c.Matches[0].Text != "my/text" {
		t.Errorf("importable are %v", c.Matches)
	}
	if i := s.Inspect(t.Context(), "text.Count", 7, 0); !i.Found ||
		!strings.Contains(i.Data.MIME["text/plain"].(string), "Count counts runes.") {
		t.Errorf("Count is described by %v", i.Data.MIME["text/plain"])
	}
}
