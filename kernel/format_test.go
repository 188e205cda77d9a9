package kernel_test

import (
	"encoding/json"
	"errors"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"nacre/kernel"
	"nacre/kernel/kerneltest"
)

// What gofmt itself writes of these pieces was looked up; cells are made of several.
func TestFormat(t *testing.T) {
	for code, want := range map[string]string{
		"x:=1+2":                           "x := 1 + 2",
		"":                                 "",
		"  \n\n":                           "",
		"// a remark":                      "// a remark",
		"import(\n\"os\"\n\"fmt\")\nx:=1":  "import (\n\t\"fmt\"\n\t\"os\"\n)\nx := 1",
		"import \"fmt\"; fmt.Println( 1 )": "import \"fmt\"\nfmt.Println(1)",
		"x:=1\nimport \"fmt\"\n\n\n\nfunc f( ){\nfmt.Println(x)}\nf( )": "x := 1\nimport \"fmt\"\n\nfunc f() {\n" +
			"\tfmt.Println(x)\n}\nf()",
		"if x{\ny( )\n}":                      "if x {\n\ty()\n}",
		"x:=1 // one\ntype T struct{a,b int}": "x := 1 // one\ntype T struct{ a, b int }",
		"x:=1 /* of\ntwo */\nfunc f(){}":      "x := 1 /* of\ntwo */\nfunc f() {}",
		"a:=1 // one\nbcd:=22 // two":         "a := 1    // one\nbcd := 22 // two",
		"f(x) ;":                              "f(x);",
		"f(x) ; // quiet":                     "f(x); // quiet",
		"x:=1;":                               "x := 1",
		"a:=1;b:=2":                           "a := 1\nb := 2",
		"%time f( x )":                        "%time f(x)",
		"%%time\nf( x )":                      "%%time\nf(x)",
		"\n%timeit  100  f( x )\ny( )":        "%timeit  100 f(x)\ny()",
		"%get example.com/m@v1.2.3\nimport  \"example.com/m\"": "%get example.com/m@v1.2.3\n" +
			"import \"example.com/m\"",
		"%get example.com/m@v1.2.3":               "%get example.com/m@v1.2.3",
		"%%capture  out\nf( 1 )":                  "%%capture  out\nf(1)",
		"!ls  -la":                                "!ls  -la",
		"x:=1\n!ls  -la *.go | wc\nf( x )":        "x := 1\n!ls  -la *.go | wc\nf(x)",
		"files:=!ls  -la\nf( files )":             "files := !ls  -la\nf(files)",
		"files,err:=!git  log\nf( files )":        "files, err := !git  log\nf(files)",
		"!echo it's   \"\nf( 1 )":                 "!echo it's   \"\nf(1)",
		"!cat <<< `a`  \\\n   b\nf( 1 )":          "!cat <<< `a`  \\\n   b\nf(1)",
		"ok:=true\n! ok":                          "ok := true\n!ok",
		"x=!( a&&b )":                             "x = !(a && b)",
		"!a&&\nb":                                 "!a &&\n\tb",
		"x := func() bool {\nreturn !ok  }":       "x := func() bool {\n\treturn !ok\n}",
		"x:=1\r\nif x{\r\ny( )\r\n}":              "x := 1\r\nif x {\r\n\ty()\r\n}",
		"größe:=1\nπ:=math.Pi*größe":              "größe := 1\nπ := math.Pi * größe",
		"s:=`a\n\t  b`\nf( s )":                   "s := `a\n\t  b`\nf(s)",
		"package main\n\nfunc main(){\nf( )}":     "package main\n\nfunc main() {\n\tf()\n}",
		"func Map[T,U any](xs []T,f func(T)U)[]U": "func Map[T, U any](xs []T, f func(T) U) []U",
		"for i:=range 3{f(i)}":                    "for i := range 3 {\n\tf(i)\n}",
		"loop:\nfor{\nbreak loop}":                "loop:\nfor {\n\tbreak loop\n}",
		"const(\na=iota\nbcd\n)\nvar x=a":         "const (\n\ta = iota\n\tbcd\n)\nvar x = a",
		"//go:embed a.txt\nvar  text string":      "//go:embed a.txt\nvar text string",
		"import . \"math\"\nSqrt( 2 )":            "import . \"math\"\nSqrt(2)",
	} {
		got, err := kernel.Format(code)
		if got != want || err != nil {
			t.Errorf("%q\n\tgot  %q, %v\n\twant %q", code, got, err, want)
		}
		if again, err := kernel.Format(got); again != got || err != nil {
			t.Errorf("%q: formatted again it is %q, %v", got, again, err)
		}
	}
	var p kernel.Problem
	for code, want := range map[string]string{
		"x := 1\ny := := 2":     "line 2, column 6: expected operand, found ':='",
		"%time\nx := (1":        "line 2, column 8: unexpected end of the cell, expected )",
		"!ls \\\n  -l\nx := (1": "line 3, column 8: unexpected end of the cell, expected )",
		"for i in range(3):\n  f(i)": "line 1, column 1: a loop that counts is written: for i := range 3 { … } " +
			"(expected '{', found in)",
	} {
		if got, err := kernel.Format(code); !errors.As(err, &p) || err.Error() != want {
			t.Errorf("%q: %q, %v, want %s", code, got, err, want)
		}
	}
}

// A comment of several lines behind a statement is no second one.
func TestCommentOfSeveralLines(t *testing.T) {
	kerneltest.Cells(t, start(t), [][2]string{{"x := 1 /* of\ntwo */\nx /* and\nmore */", "1"}})
}

// No cell of our notebooks, and none of the programs that cells are compared with, loses a token or a comment.
func TestFormatKeepsTokens(t *testing.T) {
	texts := map[string]string{}
	for _, pattern := range []string{"../notebooks/*.ipynb", "../fidelity/whole/*.txtar"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Ext(file) == ".txtar" {
				for _, f := range txtar.Parse(b).Files {
					if code, ok := strings.CutPrefix(string(f.Data), "package main\n"); ok {
						texts[file+" "+f.Name] = code
					}
				}
				continue
			}
			var nb struct {
				Cells []struct {
					Type   string   `json:"cell_type"`
					Source []string `json:"source"`
				}
			}
			if err := json.Unmarshal(b, &nb); err != nil {
				t.Fatal(err)
			}
			for k, c := range nb.Cells {
				if c.Type == "code" {
					texts[file+" "+string(rune('A'+k))] = strings.Join(c.Source, "")
				}
			}
		}
	}
	if len(texts) < 200 {
		t.Fatalf("%d cells and programs, want hundreds", len(texts))
	}
	for name, code := range texts {
		for _, code := range []string{code, squeezed(code)} {
			got, err := kernel.Format(code)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if a, b := words(code), words(got); !slices.Equal(a, b) {
				t.Errorf("%s: other words after formatting:\n%s\n---\n%s", name, code, got)
			} else if again, err := kernel.Format(got); again != got || err != nil {
				t.Errorf("%s: formatted again it is\n%s, %v", name, again, err)
			}
		}
	}
}

// squeezed is a cell without the blanks that lines begin with, those in texts aside.
func squeezed(code string) string {
	if strings.Contains(code, "`") {
		return code
	}
	lines := strings.Split(code, "\n")
	for k := range lines {
		lines[k] = strings.TrimLeft(lines[k], "\t ")
	}
	return strings.Join(lines, "\n")
}

// words are the names, values and comments of a cell, in alphabetical order: imports are sorted.
func words(code string) (list []string) {
	fset := token.NewFileSet()
	var s scanner.Scanner
	s.Init(fset.AddFile("", -1, len(code)), []byte(code), func(token.Position, string) {}, scanner.ScanComments)
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			slices.Sort(list)
			return list
		case tok == token.COMMENT:
			lit = strings.Join(strings.Fields(lit), " ")
		}
		if tok == token.COMMENT || tok.IsLiteral() || tok.IsKeyword() {
			list = append(list, lit)
		}
	}
}
