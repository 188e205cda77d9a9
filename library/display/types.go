package display

//go:generate go test -run ^TestFrontEndHasTheTypes$ . -update

// Type is an output type of this notebook's own: data that its front end draws, with a form beside it for print and for
// other programs, and text. A new one is a file of this package that declares it, a line in Types, and a folder in
// web/src/output; the tests of Types then say what is missing.
type Type struct {
	Name   string          // one word; its folder in web/src/output is called so
	MIME   string          // of the data for the front end
	Static string          // MIME type of the form for print and other programs; empty where there is only text
	Sample func() Renderer // a small output of the type, for tests of whatever handles outputs
}

// Types are the output types, one a line.
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

// WithoutStatic returns the names of the types in a bundle whose form for print and other programs is missing: those
// show its text only.
func WithoutStatic(bundle map[string]any) []string {
	var names []string
	for _, t := range Types() {
		if bundle[t.MIME] != nil && (t.Static == "" || bundle[t.Static] == nil) {
			names = append(names, t.Name)
		}
	}
	return names
}
