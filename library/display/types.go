package display

//go:generate go test -run ^TestFrontEndHasTheTypes$ . -update

// Type is an output type of this notebook's own. It has data that the front end draws, a form for print and for other
// programs, and text. A new Type needs a file of this package that declares it, a line in Types, and a folder in
// web/src/output. The tests of Types say what is missing.
type Type struct {
	Name   string          // one word, which is also the name of its folder in web/src/output
	MIME   string          // MIME type of the data for the front end
	Static string          // MIME type of the form for print and other programs; empty if there is only text
	Sample func() Renderer // function that makes a small output of the type, for tests
}

// Types are the output types, one per line.
func Types() []Type {
	return []Type{
		chartType,
		controlType,
		curvesType,
		embeddingType,
		rolloutType,
		scrubberType,
		tableType,
	}
}

// WithoutStatic returns the names of the output types in a bundle that lack the form for print and other programs.
// Print and other programs show only the text of these outputs.
func WithoutStatic(bundle map[string]any) []string {
	var names []string
	for _, t := range Types() {
		if bundle[t.MIME] != nil && (t.Static == "" || bundle[t.Static] == nil) {
			names = append(names, t.Name)
		}
	}
	return names
}
