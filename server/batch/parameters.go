package batch

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"nacre/internal/whole"
	"nacre/server/nbformat"
)

// The tags of papermill: of the cell that declares parameters with their usual values, and of the one put in behind it.
const (
	parametersTag = "parameters"
	injectedTag   = "injected-parameters"
)

// SetParameters puts a cell with new values after the notebook's parameters cell. Each value is given as "name=value"
// and read by the type of the parameter: text as it stands, a number, true or false; elements of a slice between commas
// or as a JSON array. A value of another type is a Go expression. An earlier cell of this kind is replaced.
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
	names, kinds, err := declared(nb.Cells()[at].Source())
	if err != nil {
		return fmt.Errorf("the cell with the tag %q: %w", parametersTag, err)
	}
	var lines []string
	for _, v := range values {
		name, value, ok := strings.Cut(v, "=")
		if !ok {
			return fmt.Errorf("parameter %q: expected name=value", v)
		}
		k := slices.Index(names, name)
		if k < 0 {
			return fmt.Errorf("parameter %q: the notebook has %s", name, strings.Join(names, ", "))
		}
		text, err := literal(value, kinds[k])
		if err != nil {
			return fmt.Errorf("parameter %q: %w", v, err)
		}
		lines = append(lines, name+" = "+text)
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

// imports are the import declarations of a cell, which cannot stand among statements.
var imports = regexp.MustCompile(`(?m)^[ \t]*import[ \t]*(?:\([^)]*\)|[^\n(]*)`)

// declared are the variables that a parameters cell declares, with their types, nil where they are not seen.
func declared(source string) (names []string, kinds []ast.Expr, err error) {
	source = imports.ReplaceAllStringFunc(source, func(s string) string {
		return strings.Repeat("\n", strings.Count(s, "\n"))
	})
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", "package p; func _() {"+source+"\n}", parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	note := func(lhs []*ast.Ident, typ ast.Expr, values []ast.Expr) {
		for k, id := range lhs {
			t := typ
			if t == nil && len(values) == len(lhs) {
				t = kindOf(values[k])
			}
			names, kinds = append(names, id.Name), append(kinds, t)
		}
	}
	for _, s := range f.Decls[0].(*ast.FuncDecl).Body.List {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if ids, ok := identifiers(s.Lhs); ok {
				note(ids, nil, s.Rhs)
			}
		case *ast.DeclStmt:
			if g := s.Decl.(*ast.GenDecl); g.Tok == token.VAR {
				for _, spec := range g.Specs {
					v := spec.(*ast.ValueSpec)
					note(v.Names, v.Type, v.Values)
				}
			}
		}
	}
	return names, kinds, nil
}

func identifiers(list []ast.Expr) (ids []*ast.Ident, ok bool) {
	for _, x := range list {
		id, ok := x.(*ast.Ident)
		if !ok {
			return nil, false
		}
		ids = append(ids, id)
	}
	return ids, true
}

// kindOf is the type of a value as it is written, nil where that is not seen.
func kindOf(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.BasicLit:
		name := map[token.Token]string{token.STRING: "string", token.INT: "int", token.FLOAT: "float64",
			token.CHAR: "rune", token.IMAG: "complex128"}[x.Kind]
		return ast.NewIdent(name)
	case *ast.Ident:
		if x.Name == "true" || x.Name == "false" {
			return ast.NewIdent("bool")
		}
	case *ast.ParenExpr:
		return kindOf(x.X)
	case *ast.UnaryExpr:
		if x.Op != token.AND && x.Op != token.ARROW {
			return kindOf(x.X)
		}
	case *ast.BinaryExpr:
		a, b := kindOf(x.X), kindOf(x.Y)
		if id, ok := a.(*ast.Ident); ok && id.Name == "int" {
			return b // which may be a float64, or unknown
		}
		return a
	case *ast.CompositeLit:
		return x.Type
	case *ast.CallExpr: // a conversion
		if id, ok := x.Fun.(*ast.Ident); ok && basic.MatchString(id.Name) {
			return id
		}
	}
	return nil
}

// basic are the names of the types whose values are read here.
var basic = regexp.MustCompile(`^(?:string|bool|byte|rune|u?int(?:8|16|32|64)?|float(?:32|64))$`)

// octal are whole numbers that begin with 0, which Go reads to the base of 8.
var octal = regexp.MustCompile(`^[+-]?0\d+$`)

// literal is a value of a type as Go source.
func literal(value string, typ ast.Expr) (string, error) {
	switch t := typ.(type) {
	case *ast.Ident:
		if basic.MatchString(t.Name) {
			return basicLiteral(value, t.Name)
		}
	case *ast.ArrayType:
		if strings.HasPrefix(strings.TrimSpace(value), "[]") { // written in Go
			break
		}
		parts, err := elements(value)
		if err != nil {
			return "", fmt.Errorf("expected %s, its elements between commas or as a JSON array: %w", written(t), err)
		}
		for k, p := range parts {
			if parts[k], err = literal(p, t.Elt); err != nil {
				return "", fmt.Errorf("element %d: %w", k+1, err)
			}
		}
		return written(t) + "{" + strings.Join(parts, ", ") + "}", nil
	}
	if _, err := parser.ParseExpr(value); err != nil {
		kind := "a value"
		if typ != nil {
			kind = "a " + written(typ)
		}
		return "", fmt.Errorf("expected %s as it is written in Go", kind)
	}
	return value, nil
}

func basicLiteral(value, name string) (string, error) {
	switch {
	case name == "string":
		if text, err := strconv.Unquote(value); err == nil && value[0] != '\'' {
			return strconv.Quote(text), nil
		}
		return strconv.Quote(value), nil
	case name == "bool":
		if value != "true" && value != "false" {
			return "", fmt.Errorf("expected true or false")
		}
	case strings.HasPrefix(name, "float"):
		if f, err := strconv.ParseFloat(value, 64); err != nil || f-f != 0 {
			return "", fmt.Errorf("expected a number")
		} else if octal.MatchString(value) {
			return strconv.FormatFloat(f, 'g', -1, 64), nil
		}
	default:
		if n, ok := whole.Of(value); ok && strings.ContainsAny(value, ".eE") {
			value = n.String()
		}
		if _, err := strconv.ParseInt(value, 0, 64); err != nil {
			if _, err := strconv.ParseUint(value, 0, 64); err != nil {
				return "", fmt.Errorf("expected a whole number%s", limits(value))
			}
		}
		if octal.MatchString(value) {
			return "", fmt.Errorf("a whole number that begins with 0 is octal in Go; write %s or 0o%s",
				strings.TrimLeft(value, "+-0"), strings.TrimLeft(value, "+-0"))
		}
	}
	return value, nil
}

// limits says how large whole numbers may be, after "a whole number", if a value is a larger one.
func limits(value string) string {
	if _, ok := whole.Of(value); ok || whole.Beyond(value) {
		return fmt.Sprintf(" from %d to %d", int64(math.MinInt64), uint64(math.MaxUint64))
	}
	return ""
}

// elements are those of a JSON array, or of text with commas between them.
func elements(value string) ([]string, error) {
	value = strings.TrimSpace(value)
	if value == "" {
		return nil, nil
	}
	if !strings.HasPrefix(value, "[") {
		parts := strings.Split(value, ",")
		for k := range parts {
			parts[k] = strings.TrimSpace(parts[k])
		}
		return parts, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(value), &list); err != nil {
		return nil, err
	}
	parts := make([]string, len(list))
	for k, x := range list {
		parts[k] = string(x)
	}
	return parts, nil
}

// written is a type as Go source.
func written(t ast.Expr) string {
	var b strings.Builder
	_ = printer.Fprint(&b, token.NewFileSet(), t)
	return b.String()
}
