package gpu

import (
	"fmt"
	"strings"

	"nacre/core/op"
)

// Text is the text of a kernel that a device is printing, indented by open blocks.
type Text struct {
	strings.Builder
	indent int
}

// Line adds a line.
func (t *Text) Line(format string, args ...any) {
	t.WriteString(strings.Repeat("  ", t.indent))
	fmt.Fprintf(t, format, args...)
	t.WriteByte('\n')
}

// Open adds a line that opens a block.
func (t *Text) Open(format string, args ...any) {
	t.Line(format, args...)
	t.indent++
}

// Close adds the line that closes the block opened last.
func (t *Text) Close(line string) {
	t.indent--
	t.Line("%s", line)
}

// Common writes the expression in the form that CUDA and WGSL share. x are the texts of its operands. Operators are as
// in C; functions come from the device's prelude, where their names begin with k_. Common is empty for Load, FMA and
// PassIn.
func (e Expr) Common(x [4]string) string {
	a, b, c := x[0], x[1], x[2]
	switch e.Op {
	case DivInt:
		return a + " / " + b
	case ModInt:
		return a + " % " + b
	case MulInt:
		return a + " * " + b
	case AddInt:
		return a + " + " + b
	case MulAdd:
		return a + " * " + b + " + " + c
	case Copy:
		return a
	case UnaryOf:
		return fmt.Sprintf("k_%s(%s)", strings.ToLower(op.UnaryFunc(e.F).String()), a)
	case BinaryOf:
		if f := op.BinaryFunc(e.F); f <= op.Div {
			return fmt.Sprintf("%s %c %s", a, "+-*/"[f], b)
		}
		return e.Call(x)
	case ClampTo:
		return fmt.Sprintf("k_min(k_max(%s, %s), %s)", a, b, c)
	case Activate:
		return fmt.Sprintf("k_act(%d, %s + %s)", e.F, a, b)
	case Slope:
		return fmt.Sprintf("%s * k_slope(%d, %s)", a, e.F, b)
	case LogSum:
		return fmt.Sprintf("top%d[lane] + k_log(%s)", e.X[0].Int, a)
	}
	return ""
}

// Call writes an expression of BinaryOf as a function call.
func (e Expr) Call(x [4]string) string {
	return fmt.Sprintf("k_%s(%s, %s)", strings.ToLower(op.BinaryFunc(e.F).String()), x[0], x[1])
}
