//go:build !(mujoco && cgo)

package mujoco

// Check returns nil if MuJoCo can be used, and otherwise why not.
func Check() error { return ErrUnavailable }

// Available reports whether MuJoCo can be used; Check says why not.
func Available() bool { return false }

// Version returns the version of the library, such as "3.3.0", or "" in a build without it.
func Version() string { return "" }

// Model is a compiled model; this build cannot make one.
type Model struct{}

// LoadXML returns ErrUnavailable.
func LoadXML(string) (*Model, error) { return nil, ErrUnavailable }

// Close does nothing.
func (m *Model) Close() {}

// Sizes returns the dimensions of the model.
func (m *Model) Sizes() Sizes { return Sizes{} }

// Body returns ErrUnavailable.
func (m *Model) Body(string) (int, error) { return 0, ErrUnavailable }

// Parameters returns nil.
func (m *Model) Parameters(...Field) []float64 { return nil }

// Chunk is a number of states of one model; this build cannot make one.
type Chunk struct{}

// NewChunk returns ErrUnavailable.
func (m *Model) NewChunk(int, ...Field) (*Chunk, error) { return nil, ErrUnavailable }

// Close does nothing.
func (c *Chunk) Close() {}

// Len returns 0.
func (c *Chunk) Len() int { return 0 }

// QPos returns nil.
func (c *Chunk) QPos(int) []float64 { return nil }

// QVel returns nil.
func (c *Chunk) QVel(int) []float64 { return nil }

// XPos returns nil.
func (c *Chunk) XPos(int, int) []float64 { return nil }

// XIPos returns nil.
func (c *Chunk) XIPos(int) []float64 { return nil }

// CInert returns nil.
func (c *Chunk) CInert(int) []float64 { return nil }

// CVel returns nil.
func (c *Chunk) CVel(int) []float64 { return nil }

// QFrcActuator returns nil.
func (c *Chunk) QFrcActuator(int) []float64 { return nil }

// CFrcExt returns nil.
func (c *Chunk) CFrcExt(int) []float64 { return nil }

// Warmstart returns nil.
func (c *Chunk) Warmstart(int) []float64 { return nil }

// ContactForces does nothing.
func (c *Chunk) ContactForces() {}

// Parameters returns nil.
func (c *Chunk) Parameters(int) []float64 { return nil }

// Reset returns ErrUnavailable.
func (c *Chunk) Reset(int) error { return ErrUnavailable }

// Forward returns ErrUnavailable.
func (c *Chunk) Forward(int) error { return ErrUnavailable }

// Step returns ErrUnavailable.
func (c *Chunk) Step([]bool, []float64, int) error { return ErrUnavailable }

// PlainLoop returns ErrUnavailable.
func (c *Chunk) PlainLoop([]float64, int) error { return ErrUnavailable }

// CPUSeconds returns 0.
func CPUSeconds() float64 { return 0 }
