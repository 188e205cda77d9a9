package main

// list names the packages outside the standard library that cells may import.
var list = []string{
	"gonum.org/v1/gonum/dsp/fourier",
	"gonum.org/v1/gonum/floats",
	"gonum.org/v1/gonum/integrate",
	"gonum.org/v1/gonum/interp",
	"gonum.org/v1/gonum/mat",
	"gonum.org/v1/gonum/optimize",
	"gonum.org/v1/gonum/stat",
	"gonum.org/v1/gonum/stat/distmv",
	"gonum.org/v1/gonum/stat/distuv",
	"gonum.org/v1/plot",
	"gonum.org/v1/plot/font",
	"gonum.org/v1/plot/palette",
	"gonum.org/v1/plot/palette/moreland",
	"gonum.org/v1/plot/plotter",
	"gonum.org/v1/plot/plotutil",
	"gonum.org/v1/plot/text",
	"gonum.org/v1/plot/vg",
	"gonum.org/v1/plot/vg/draw",
	"gonum.org/v1/plot/vg/vgimg",
	"gonum.org/v1/plot/vg/vgsvg",
	"gorgonia.org/gorgonia",
	"gorgonia.org/tensor",
}

// dropped are standard packages of the interpreter's tables that no notebook needs: each costs room in the binary.
var dropped = []string{
	"debug", "go/build", "go/doc", "go/importer", "go/printer", "go/types", "crypto/tls", "crypto/x509",
	"log/syslog", "net/http/cgi", "net/http/fcgi", "net/rpc", "net/smtp", "testing", "runtime/trace", "runtime/pprof",
	"net/http/pprof", "expvar", "database", "text/template/parse", "regexp/syntax",
}
