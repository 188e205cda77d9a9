//go:build !(mujoco && cgo) && !js

package mujoco

// Variable is the environment variable that names the library in builds that can load it.
const Variable = "NACRE_MUJOCO"

// Built reports whether this program can load MuJoCo; Check says whether it has.
func Built() bool { return false }

// Check returns nil if MuJoCo can be used, and otherwise why not.
func Check() error { return ErrUnavailable }

// Available reports whether MuJoCo can be used; Check says why not.
func Available() bool { return false }

// Notice returns "": there is no library in this build.
func Notice() string { return "" }

// Path returns "".
func Path() string { return "" }

// Version returns "".
func Version() string { return "" }

// Model is a compiled model; this build cannot make one.
type Model struct{}

// LoadXML returns ErrUnavailable.
func LoadXML(string) (*Model, error) { return nil, ErrUnavailable }

// LoadFile returns ErrUnavailable.
func LoadFile(string) (*Model, error) { return nil, ErrUnavailable }

// Close does nothing.
func (m *Model) Close() {}

// Sizes returns the dimensions of the model.
func (m *Model) Sizes() Sizes { return Sizes{} }

// Body returns ErrUnavailable.
func (m *Model) Body(string) (int, error) { return 0, ErrUnavailable }

// Geom returns ErrUnavailable.
func (m *Model) Geom(string) (int, error) { return 0, ErrUnavailable }

// Site returns ErrUnavailable.
func (m *Model) Site(string) (int, error) { return 0, ErrUnavailable }

// Joint returns ErrUnavailable.
func (m *Model) Joint(string) (qpos, qvel int, err error) { return 0, 0, ErrUnavailable }

// SetWelds does nothing.
func (m *Model) SetWelds(_, _ [3]float64, _ [4]float64, _ float64) {}

// DisableNativeCCD does nothing.
func (m *Model) DisableNativeCCD() {}

// CompensateGravity does nothing.
func (m *Model) CompensateGravity(int) {}

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

// Ctrl returns nil.
func (c *Chunk) Ctrl(int) []float64 { return nil }

// MocapPos returns nil.
func (c *Chunk) MocapPos(int) []float64 { return nil }

// MocapQuat returns nil.
func (c *Chunk) MocapQuat(int) []float64 { return nil }

// XQuat returns nil.
func (c *Chunk) XQuat(int, int) []float64 { return nil }

// XMat returns nil.
func (c *Chunk) XMat(int, int) []float64 { return nil }

// SiteXPos returns nil.
func (c *Chunk) SiteXPos(int, int) []float64 { return nil }

// SiteXMat returns nil.
func (c *Chunk) SiteXMat(int, int) []float64 { return nil }

// GeomXPos returns nil.
func (c *Chunk) GeomXPos(int, int) []float64 { return nil }

// GeomXMat returns nil.
func (c *Chunk) GeomXMat(int, int) []float64 { return nil }

// Touch returns 0.
func (c *Chunk) Touch(int, int, int) float64 { return 0 }

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

// ForwardAfterStep does nothing.
func (c *Chunk) ForwardAfterStep() {}

// DriveMocap does nothing.
func (c *Chunk) DriveMocap() {}

// Parameters returns nil.
func (c *Chunk) Parameters(int) []float64 { return nil }

// Reset returns ErrUnavailable.
func (c *Chunk) Reset(int) error { return ErrUnavailable }

// ResetState returns ErrUnavailable.
func (c *Chunk) ResetState(int) error { return ErrUnavailable }

// Advance returns ErrUnavailable.
func (c *Chunk) Advance(int, int) error { return ErrUnavailable }

// Snapshot is a copy of one environment; this build cannot make one.
type Snapshot struct{}

// Close does nothing.
func (s *Snapshot) Close() {}

// Save returns ErrUnavailable.
func (c *Chunk) Save(int) (*Snapshot, error) { return nil, ErrUnavailable }

// Restore returns ErrUnavailable.
func (c *Chunk) Restore(int, *Snapshot) error { return ErrUnavailable }

// Forward returns ErrUnavailable.
func (c *Chunk) Forward(int) error { return ErrUnavailable }

// Step returns ErrUnavailable.
func (c *Chunk) Step([]bool, []float64, int) error { return ErrUnavailable }

// PlainLoop returns ErrUnavailable.
func (c *Chunk) PlainLoop([]float64, int) error { return ErrUnavailable }

// CPUSeconds returns 0.
func CPUSeconds() float64 { return 0 }
