//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"fmt"
	"unsafe"

	"nacre/core/gpu"
	"nacre/core/op"
)

// cublasLt multiplies matrices with NVIDIA's library. The library stores matrices by columns, so it computes the
// transposed result Cᵀ = Bᵀ·Aᵀ: a row of C, with its bias, is a column there.
type cublasLt struct {
	*library
	driver  *driver
	handle  uintptr
	compute uintptr // the library's number for the precision of products
	parts   bool    // whether operands are sums of two numbers; see Precisions
	version int
}

var cublasLtSymbols = []string{
	"cublasLtGetVersion", "cublasLtCreate", "cublasLtMatmulDescCreate",
	"cublasLtMatmulDescSetAttribute",
	"cublasLtMatmulDescDestroy", "cublasLtMatrixLayoutCreate", "cublasLtMatrixLayoutSetAttribute",
	"cublasLtMatrixLayoutDestroy", "cublasLtMatmulPreferenceCreate",
	"cublasLtMatmulPreferenceSetAttribute", "cublasLtMatmulPreferenceDestroy", "cublasLtMatmulAlgoGetHeuristic",
	"cublasLtMatmul",
}

// Numbers of cublasLt.h, cublas_api.h and library_types.h that every version since 12.0 has.
const (
	typeFloat32     = 0  // CUDA_R_32F
	computeFloat32  = 68 // CUBLAS_COMPUTE_32F
	computeBF16     = 75 // CUBLAS_COMPUTE_32F_FAST_16BF
	computeTF32     = 77 // CUBLAS_COMPUTE_32F_FAST_TF32
	attrTransA      = 3
	attrTransB      = 4
	attrEpilogue    = 7
	attrBias        = 8
	attrBiasStride  = 10
	epilogueReLU    = 2
	epilogueBias    = 4
	layoutCount     = 5
	layoutStride    = 6
	prefWorkspace   = 1
	invalidValue    = 7  // CUBLAS_STATUS_INVALID_VALUE
	notSupported    = 15 // CUBLAS_STATUS_NOT_SUPPORTED
	heuristicLength = 96 // bytes of cublasLtMatmulHeuristicResult_t
	algoLength      = 64
)

// workspaceFloats is the room of each branch for the partial sums of a product: 32 MB, as NVIDIA advises for this kind
// of card.
const workspaceFloats = 8 << 20

// openCublasLt finds cuBLASLt and makes a handle in the current context. The handle lives as long as the process, like
// the device.
func openCublasLt(d *driver, precision string) (*cublasLt, error) {
	l, err := open(Products, "cuBLASLt (part of the CUDA toolkit and of the Python package nvidia-cublas; "+
		EnvLibraries+" may name its folder)",
		toolkitPaths("libcublasLt"), cublasLtSymbols)
	if err != nil {
		return nil, err
	}
	c := &cublasLt{library: l, driver: d, parts: precision == "tf32x3"}
	c.compute = map[string]uintptr{"fp32": computeFloat32, "tf32": computeTF32, "tf32x3": computeTF32,
		"bf16": computeBF16}[precision]
	if c.version = int(c.call("cublasLtGetVersion")); c.version < 120000 {
		return nil, &Error{Products, fmt.Sprintf("%s is version %d, want 12.0 or newer", l.path, c.version)}
	}
	recordings.RLock()
	defer recordings.RUnlock()
	return c, c.do("cublasLtCreate", uintptr(unsafe.Pointer(&c.handle)))
}

//go:uintptrescapes
func (c *cublasLt) do(symbol string, args ...uintptr) error {
	if code := c.call(symbol, args...); code != 0 {
		return &Error{Products, fmt.Sprintf("%s: status %d of cuBLASLt %d", symbol, code, c.version)}
	}
	return nil
}

// ltProduct is a product that can be run: its descriptors and the proposed algorithms. The first algorithm is in use.
type ltProduct struct {
	desc, a, b, c uintptr
	algos         []algorithm
	left, right   address
	result        address
}

// algorithm is the library's description of an algorithm, and the bytes of workspace that it needs.
type algorithm struct {
	algo      [algoLength / 8]uint64
	workspace uintptr
}

// proposals is the number of algorithms that the library is asked for. The library puts the best first, by its own
// estimate. On an H100 more of them were never useful.
const proposals = 8

// next moves on to the next algorithm and reports whether there is one.
func (p *ltProduct) next() bool {
	p.algos = p.algos[1:]
	return len(p.algos) > 0
}

// serves reports whether cuBLASLt has the product's epilogue.
func (c *cublasLt) serves(g *gpu.Product) bool {
	return g.Mask < 0 && (g.Act == op.Linear || g.Act == op.ReLU && g.Bias >= 0)
}

// operand is a matrix in device memory: its address, the distance of its rows, and the distance to the same matrix of
// the next memory. Distances are in floats.
type operand struct {
	at         address
	pitch, far int
}

// operands are the matrices of a product. A matrix that the product does not have is 0.
type operands struct{ a, b, bias, out operand }

// attributes returns the attributes of a product's descriptor: its epilogue, and what the epilogue reads and writes.
func (o *operands) attributes(g *gpu.Product, memories int) []attribute {
	var list []attribute
	epilogue := uint64(1)
	if o.bias.at != 0 {
		epilogue, list = epilogueBias, []attribute{{attrBias, uint64(o.bias.at), 8}}
		if g.Act == op.ReLU {
			epilogue |= epilogueReLU
		}
		if memories > 1 {
			list = append(list, attribute{attrBiasStride, uint64(o.bias.far), 8})
		}
	}
	transposed := map[bool]uint64{true: 1}
	return append([]attribute{{attrTransA, transposed[g.TB], 4}, {attrTransB, transposed[g.TA], 4},
		{attrEpilogue, epilogue, 4}}, list...)
}

// attribute is one attribute of a descriptor. Both kinds of processor that this package is built for store the lower
// bytes first.
type attribute struct {
	name  uintptr
	value uint64
	bytes uintptr
}

// prepare describes a product in one or several memories to the library. It takes the given algorithms, or lets the
// library propose some. If there is none, ok is false.
func (c *cublasLt) prepare(g *gpu.Product, o operands, memories int,
	algos []algorithm) (p *ltProduct, ok bool, err error) {
	p = &ltProduct{left: o.b.at, right: o.a.at, result: o.out.at, algos: algos}
	defer func() {
		if err != nil || !ok {
			c.release(p)
		}
	}()
	if err := c.do("cublasLtMatmulDescCreate", uintptr(unsafe.Pointer(&p.desc)), c.compute, typeFloat32); err != nil {
		return p, false, err
	}
	for _, x := range o.attributes(g, memories) {
		if err := c.do("cublasLtMatmulDescSetAttribute", p.desc, x.name, uintptr(unsafe.Pointer(&x.value)),
			x.bytes); err != nil {
			return p, false, err
		}
	}
	rows := func(t bool, across, along int) (int, int) {
		if t {
			return along, across
		}
		return across, along
	}
	br, bc := rows(g.TB, g.N, g.K)
	ar, ac := rows(g.TA, g.K, g.M)
	for _, l := range []struct {
		to         *uintptr
		rows, cols int
		operand
	}{{&p.a, br, bc, o.b}, {&p.b, ar, ac, o.a}, {&p.c, g.N, g.M, o.out}} {
		if err := c.do("cublasLtMatrixLayoutCreate", uintptr(unsafe.Pointer(l.to)), typeFloat32, uintptr(l.rows),
			uintptr(l.cols), uintptr(l.pitch)); err != nil {
			return p, false, err
		}
		if memories == 1 {
			continue
		}
		count, far := int32(memories), int64(l.far)
		if err := c.do("cublasLtMatrixLayoutSetAttribute", *l.to, layoutCount, uintptr(unsafe.Pointer(&count)),
			4); err != nil {
			return p, false, err
		}
		if err := c.do("cublasLtMatrixLayoutSetAttribute", *l.to, layoutStride, uintptr(unsafe.Pointer(&far)),
			8); err != nil {
			return p, false, err
		}
	}
	if algos != nil {
		return p, true, nil
	}
	ok, err = c.propose(p)
	return p, ok, err
}

// propose asks the library for algorithms. If it has none, ok is false.
func (c *cublasLt) propose(p *ltProduct) (ok bool, err error) {
	var pref uintptr
	if err := c.do("cublasLtMatmulPreferenceCreate", uintptr(unsafe.Pointer(&pref))); err != nil {
		return false, err
	}
	defer c.call("cublasLtMatmulPreferenceDestroy", pref)
	workspace := uint64(4 * workspaceFloats)
	if err := c.do("cublasLtMatmulPreferenceSetAttribute", pref, prefWorkspace, uintptr(unsafe.Pointer(&workspace)),
		8); err != nil {
		return false, err
	}
	var found int32
	results := make([][heuristicLength / 8]uint64, proposals)
	code := c.call("cublasLtMatmulAlgoGetHeuristic", c.handle, p.desc, p.a, p.b, p.c, p.c, pref, uintptr(len(results)),
		uintptr(unsafe.Pointer(&results[0])), uintptr(unsafe.Pointer(&found)))
	if code != 0 && code != notSupported && code != invalidValue {
		return false, &Error{Products, fmt.Sprintf("cublasLtMatmulAlgoGetHeuristic: status %d of cuBLASLt %d",
			code, c.version)}
	}
	for _, r := range results[:found] {
		if int32(r[9]) == 0 { // the state of a proposal
			p.algos = append(p.algos, algorithm{[algoLength / 8]uint64(r[:8]), uintptr(r[8])})
		}
	}
	return len(p.algos) > 0, nil
}

func (c *cublasLt) release(p *ltProduct) {
	for _, l := range []uintptr{p.a, p.b, p.c} {
		if l != 0 {
			c.call("cublasLtMatrixLayoutDestroy", l)
		}
	}
	if p.desc != 0 {
		c.call("cublasLtMatmulDescDestroy", p.desc)
	}
}

// multiply adds a product to a stream. No other stream may use the workspace.
func (c *cublasLt) multiply(p *ltProduct, s stream, workspace address) error {
	one, zero := float32(1), float32(0)
	return c.do("cublasLtMatmul", c.handle, p.desc, uintptr(unsafe.Pointer(&one)), uintptr(p.left), p.a,
		uintptr(p.right), p.b,
		uintptr(unsafe.Pointer(&zero)), uintptr(p.result), p.c, uintptr(p.result), p.c,
		uintptr(unsafe.Pointer(&p.algos[0].algo)),
		uintptr(workspace), p.algos[0].workspace, uintptr(s))
}
