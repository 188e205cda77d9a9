package kernel

import (
	"image"
	"image/color"
	"io"
	"io/fs"
	"reflect"
	"time"

	"nacre/kernel/internal/rt"
)

// wrappers wrap values of cells' types with the methods that native code looks for beyond an interface's own: package
// io in readers and writers, flag in values, fs in file systems and files, rand in sources, png and draw in images. The
// richest come first. A method whose name here begins with O need not be there.
var wrappers = []reflect.Type{
	reflect.TypeFor[rendererOf](), reflect.TypeFor[fullWriter](), reflect.TypeFor[stringWriter](),
	reflect.TypeFor[writerFrom](),
	reflect.TypeFor[scannerTo](), reflect.TypeFor[runeScanner](), reflect.TypeFor[byteReaderTo](),
	reflect.TypeFor[byteReader](),
	reflect.TypeFor[readerTo](), reflect.TypeFor[readCloser](), reflect.TypeFor[boolFlag](),
	reflect.TypeFor[fileSystem](),
	reflect.TypeFor[seekDirectory](), reflect.TypeFor[directory](), reflect.TypeFor[seekFile](),
	reflect.TypeFor[source64](), reflect.TypeFor[namedContext](), reflect.TypeFor[deepCanvas](),
	reflect.TypeFor[deepPalettedImage](),
	reflect.TypeFor[palettedImage](), reflect.TypeFor[deepImage](), reflect.TypeFor[opaqueImage](),
}

type boolFlag struct {
	IValue      any
	WString     func() string
	WSet        func(string) error
	WIsBoolFlag func() bool
}

func (f boolFlag) Set(s string) error { return f.WSet(s) }
func (f boolFlag) IsBoolFlag() bool   { return f.WIsBoolFlag() }
func (f boolFlag) String() string {
	if f.WString == nil { // package flag asks the zero value
		return ""
	}
	return f.WString()
}

type stringWriter struct {
	IValue       any
	WWrite       func([]byte) (int, error)
	WWriteString func(string) (int, error)
}

func (w stringWriter) Write(p []byte) (int, error)       { return w.WWrite(p) }
func (w stringWriter) WriteString(s string) (int, error) { return w.WWriteString(s) }

type writerFrom struct {
	IValue    any
	WWrite    func([]byte) (int, error)
	WReadFrom func(io.Reader) (int64, error)
}

func (w writerFrom) Write(p []byte) (int, error)         { return w.WWrite(p) }
func (w writerFrom) ReadFrom(r io.Reader) (int64, error) { return w.WReadFrom(r) }

type fullWriter struct {
	IValue       any
	WWrite       func([]byte) (int, error)
	WWriteString func(string) (int, error)
	WReadFrom    func(io.Reader) (int64, error)
}

func (w fullWriter) Write(p []byte) (int, error)         { return w.WWrite(p) }
func (w fullWriter) WriteString(s string) (int, error)   { return w.WWriteString(s) }
func (w fullWriter) ReadFrom(r io.Reader) (int64, error) { return w.WReadFrom(r) }

type readerTo struct {
	IValue   any
	WRead    func([]byte) (int, error)
	WWriteTo func(io.Writer) (int64, error)
}

func (r readerTo) Read(p []byte) (int, error)         { return r.WRead(p) }
func (r readerTo) WriteTo(w io.Writer) (int64, error) { return r.WWriteTo(w) }

type byteReader struct {
	IValue    any
	WRead     func([]byte) (int, error)
	WReadByte func() (byte, error)
}

func (r byteReader) Read(p []byte) (int, error) { return r.WRead(p) }
func (r byteReader) ReadByte() (byte, error)    { return r.WReadByte() }

type byteReaderTo struct {
	IValue    any
	WRead     func([]byte) (int, error)
	WReadByte func() (byte, error)
	WWriteTo  func(io.Writer) (int64, error)
}

func (r byteReaderTo) Read(p []byte) (int, error)         { return r.WRead(p) }
func (r byteReaderTo) ReadByte() (byte, error)            { return r.WReadByte() }
func (r byteReaderTo) WriteTo(w io.Writer) (int64, error) { return r.WWriteTo(w) }

type runeScanner struct {
	IValue      any
	WRead       func([]byte) (int, error)
	WReadRune   func() (rune, int, error)
	WUnreadRune func() error
}

func (r runeScanner) Read(p []byte) (int, error)   { return r.WRead(p) }
func (r runeScanner) ReadRune() (rune, int, error) { return r.WReadRune() }
func (r runeScanner) UnreadRune() error            { return r.WUnreadRune() }

// scannerTo has the methods of bufio.Reader, bytes.Buffer and strings.Reader.
type scannerTo struct {
	IValue      any
	WRead       func([]byte) (int, error)
	WReadByte   func() (byte, error)
	WUnreadByte func() error
	WReadRune   func() (rune, int, error)
	WUnreadRune func() error
	WWriteTo    func(io.Writer) (int64, error)
}

func (r scannerTo) Read(p []byte) (int, error)         { return r.WRead(p) }
func (r scannerTo) ReadByte() (byte, error)            { return r.WReadByte() }
func (r scannerTo) UnreadByte() error                  { return r.WUnreadByte() }
func (r scannerTo) ReadRune() (rune, int, error)       { return r.WReadRune() }
func (r scannerTo) UnreadRune() error                  { return r.WUnreadRune() }
func (r scannerTo) WriteTo(w io.Writer) (int64, error) { return r.WWriteTo(w) }

type directory struct {
	IValue   any
	WStat    func() (fs.FileInfo, error)
	WRead    func([]byte) (int, error)
	WClose   func() error
	WReadDir func(int) ([]fs.DirEntry, error)
}

func (d directory) Stat() (fs.FileInfo, error)           { return d.WStat() }
func (d directory) Read(p []byte) (int, error)           { return d.WRead(p) }
func (d directory) Close() error                         { return d.WClose() }
func (d directory) ReadDir(n int) ([]fs.DirEntry, error) { return d.WReadDir(n) }

// fileSystem does what package fs does with a file system that lacks a method: open files, and for Glob and Sub what
// else there is.
type fileSystem struct {
	IValue    any
	WOpen     func(string) (fs.File, error)
	OReadDir  func(string) ([]fs.DirEntry, error)
	OReadFile func(string) ([]byte, error)
	OStat     func(string) (fs.FileInfo, error)
	OGlob     func(string) ([]string, error)
	OSub      func(string) (fs.FS, error)
}

type opens func(string) (fs.File, error)

func (f opens) Open(name string) (fs.File, error) { return f(name) }

// reads is a file system without Glob and Sub.
type reads struct{ f fileSystem }

func (r reads) Open(name string) (fs.File, error)          { return r.f.WOpen(name) }
func (r reads) ReadDir(name string) ([]fs.DirEntry, error) { return r.f.ReadDir(name) }
func (r reads) ReadFile(name string) ([]byte, error)       { return r.f.ReadFile(name) }
func (r reads) Stat(name string) (fs.FileInfo, error)      { return r.f.Stat(name) }

// globs is one without Sub.
type globs struct{ reads }

func (g globs) Glob(pattern string) ([]string, error) { return g.f.Glob(pattern) }

func (f fileSystem) Open(name string) (fs.File, error) { return f.WOpen(name) }

func (f fileSystem) ReadDir(name string) ([]fs.DirEntry, error) {
	if f.OReadDir == nil {
		return fs.ReadDir(opens(f.WOpen), name)
	}
	return f.OReadDir(name)
}

func (f fileSystem) ReadFile(name string) ([]byte, error) {
	if f.OReadFile == nil {
		return fs.ReadFile(opens(f.WOpen), name)
	}
	return f.OReadFile(name)
}

func (f fileSystem) Stat(name string) (fs.FileInfo, error) {
	if f.OStat == nil {
		return fs.Stat(opens(f.WOpen), name)
	}
	return f.OStat(name)
}

func (f fileSystem) Glob(pattern string) ([]string, error) {
	if f.OGlob == nil {
		return fs.Glob(reads{f}, pattern)
	}
	return f.OGlob(pattern)
}

func (f fileSystem) Sub(dir string) (fs.FS, error) {
	if f.OSub == nil {
		return fs.Sub(globs{reads{f}}, dir)
	}
	return f.OSub(dir)
}

type source64 struct {
	IValue  any
	WInt63  func() int64
	WSeed   func(int64)
	WUint64 func() uint64
}

func (s source64) Int63() int64    { return s.WInt63() }
func (s source64) Seed(seed int64) { s.WSeed(seed) }
func (s source64) Uint64() uint64  { return s.WUint64() }

type opaqueImage struct {
	IValue      any
	WColorModel func() color.Model
	WBounds     func() image.Rectangle
	WAt         func(x, y int) color.Color
	WOpaque     func() bool
}

func (i opaqueImage) ColorModel() color.Model { return i.WColorModel() }
func (i opaqueImage) Bounds() image.Rectangle { return i.WBounds() }
func (i opaqueImage) At(x, y int) color.Color { return i.WAt(x, y) }
func (i opaqueImage) Opaque() bool            { return i.WOpaque() }

// opaque does what package png does with an image that has no method Opaque.
func opaque(own func() bool, bounds func() image.Rectangle, at func(x, y int) color.Color) bool {
	if own != nil {
		return own()
	}
	b := bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if _, _, _, a := at(x, y).RGBA(); a != 0xffff {
				return false
			}
		}
	}
	return true
}

type deepImage struct {
	IValue      any
	WColorModel func() color.Model
	WBounds     func() image.Rectangle
	WAt         func(x, y int) color.Color
	WRGBA64At   func(x, y int) color.RGBA64
	OOpaque     func() bool
}

func (i deepImage) ColorModel() color.Model        { return i.WColorModel() }
func (i deepImage) Bounds() image.Rectangle        { return i.WBounds() }
func (i deepImage) At(x, y int) color.Color        { return i.WAt(x, y) }
func (i deepImage) RGBA64At(x, y int) color.RGBA64 { return i.WRGBA64At(x, y) }
func (i deepImage) Opaque() bool                   { return opaque(i.OOpaque, i.WBounds, i.WAt) }

type palettedImage struct {
	IValue        any
	WColorModel   func() color.Model
	WBounds       func() image.Rectangle
	WAt           func(x, y int) color.Color
	WColorIndexAt func(x, y int) uint8
	OOpaque       func() bool
}

func (i palettedImage) ColorModel() color.Model     { return i.WColorModel() }
func (i palettedImage) Bounds() image.Rectangle     { return i.WBounds() }
func (i palettedImage) At(x, y int) color.Color     { return i.WAt(x, y) }
func (i palettedImage) ColorIndexAt(x, y int) uint8 { return i.WColorIndexAt(x, y) }
func (i palettedImage) Opaque() bool                { return opaque(i.OOpaque, i.WBounds, i.WAt) }

type deepPalettedImage struct {
	IValue        any
	WColorModel   func() color.Model
	WBounds       func() image.Rectangle
	WAt           func(x, y int) color.Color
	WColorIndexAt func(x, y int) uint8
	WRGBA64At     func(x, y int) color.RGBA64
	OOpaque       func() bool
}

func (i deepPalettedImage) ColorModel() color.Model        { return i.WColorModel() }
func (i deepPalettedImage) Bounds() image.Rectangle        { return i.WBounds() }
func (i deepPalettedImage) At(x, y int) color.Color        { return i.WAt(x, y) }
func (i deepPalettedImage) ColorIndexAt(x, y int) uint8    { return i.WColorIndexAt(x, y) }
func (i deepPalettedImage) RGBA64At(x, y int) color.RGBA64 { return i.WRGBA64At(x, y) }
func (i deepPalettedImage) Opaque() bool                   { return opaque(i.OOpaque, i.WBounds, i.WAt) }

type deepCanvas struct {
	IValue      any
	WColorModel func() color.Model
	WBounds     func() image.Rectangle
	WAt         func(x, y int) color.Color
	WSet        func(x, y int, c color.Color)
	WRGBA64At   func(x, y int) color.RGBA64
	WSetRGBA64  func(x, y int, c color.RGBA64)
	OOpaque     func() bool
}

func (i deepCanvas) ColorModel() color.Model            { return i.WColorModel() }
func (i deepCanvas) Bounds() image.Rectangle            { return i.WBounds() }
func (i deepCanvas) At(x, y int) color.Color            { return i.WAt(x, y) }
func (i deepCanvas) Set(x, y int, c color.Color)        { i.WSet(x, y, c) }
func (i deepCanvas) RGBA64At(x, y int) color.RGBA64     { return i.WRGBA64At(x, y) }
func (i deepCanvas) SetRGBA64(x, y int, c color.RGBA64) { i.WSetRGBA64(x, y, c) }
func (i deepCanvas) Opaque() bool                       { return opaque(i.OOpaque, i.WBounds, i.WAt) }

type readCloser struct {
	IValue any
	WRead  func([]byte) (int, error)
	WClose func() error
}

func (r readCloser) Read(p []byte) (int, error) { return r.WRead(p) }
func (r readCloser) Close() error               { return r.WClose() }

type seekFile struct {
	IValue any
	WStat  func() (fs.FileInfo, error)
	WRead  func([]byte) (int, error)
	WClose func() error
	WSeek  func(int64, int) (int64, error)
}

func (f seekFile) Stat() (fs.FileInfo, error)               { return f.WStat() }
func (f seekFile) Read(p []byte) (int, error)               { return f.WRead(p) }
func (f seekFile) Close() error                             { return f.WClose() }
func (f seekFile) Seek(at int64, whence int) (int64, error) { return f.WSeek(at, whence) }

type seekDirectory struct {
	IValue   any
	WStat    func() (fs.FileInfo, error)
	WRead    func([]byte) (int, error)
	WClose   func() error
	WSeek    func(int64, int) (int64, error)
	WReadDir func(int) ([]fs.DirEntry, error)
}

func (f seekDirectory) Stat() (fs.FileInfo, error)               { return f.WStat() }
func (f seekDirectory) Read(p []byte) (int, error)               { return f.WRead(p) }
func (f seekDirectory) Close() error                             { return f.WClose() }
func (f seekDirectory) Seek(at int64, whence int) (int64, error) { return f.WSeek(at, whence) }
func (f seekDirectory) ReadDir(n int) ([]fs.DirEntry, error)     { return f.WReadDir(n) }

// namedContext says what package context calls the parent of a context.
type namedContext struct {
	IValue    any
	WDeadline func() (time.Time, bool)
	WDone     func() <-chan struct{}
	WErr      func() error
	WValue    func(any) any
	OString   func() string
}

func (c namedContext) Deadline() (time.Time, bool) { return c.WDeadline() }
func (c namedContext) Done() <-chan struct{}       { return c.WDone() }
func (c namedContext) Err() error                  { return c.WErr() }
func (c namedContext) Value(key any) any           { return c.WValue(key) }
func (c namedContext) String() string {
	o, ok := c.IValue.(rt.Obj)
	switch {
	case c.OString != nil:
		return c.OString()
	case ok:
		return o.T.Name
	}
	return reflect.TypeOf(c.IValue).String()
}
