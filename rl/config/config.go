// Package config fills a run's configuration, plain Go structs, and checks it. Values come from defaults, then from
// TOML files and presets, then from key=value pairs of the command line.
//
// It is strict. An unknown key, or a value of the wrong type or out of its range, is an error that names the place, the
// key, the value and what was expected. Ranges and choices are in the struct's tags, where a reader of the struct sees
// them:
//
//	type Config struct {
//		Seed      uint64  `toml:"seed"`
//		Discount  float64 `toml:"discount" range:"[0,1)"`
//		Z         string  `toml:"z" oneof:"mean sample"`
//	}
//	cfg := Config{Discount: 0.99, Z: "sample"}
//	err := config.Resolve(&cfg, config.File("run.toml"), config.Set("discount=0.95"))
//
// Tags: toml names the key (required; "-" leaves a field out). comment is written above it by Encode. range is an
// interval such as [1,256], (0,1] or [0,) and applies to numbers, to Durations and to each element of a list. oneof
// lists the words that a string may be. A method Validate() error of a struct is called last, for conditions that
// involve several fields. If a configuration has tables for which its struct has no fields, it implements Tabled.
package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	toml "github.com/pelletier/go-toml/v2"

	"nacre/internal/plainfile"
)

// Limits of a text that is read: its bytes, and its keys and tables, since the decoder compares each with all others of
// its table. A full configuration has about 10 kB and 200 keys. In a run's config.toml the record grows by a dozen keys
// with every resume.
const (
	MaxBytes = 4 << 20
	MaxKeys  = 20_000
)

// Layer lays the values of one source over a configuration.
type Layer func(cfg any) error

// Resolve lays the layers in order over cfg, a pointer to a struct that holds the defaults, and checks the result. A
// value that an earlier layer set stays unless a later layer sets it. After an error cfg is half changed: discard it.
func Resolve(cfg any, layers ...Layer) error {
	for _, layer := range layers {
		if err := layer(cfg); err != nil {
			return err
		}
	}
	return Check(cfg)
}

// LoadTOML lays the TOML file at path over the defaults in cfg and checks the result.
func LoadTOML(path string, cfg any) error { return Resolve(cfg, File(path)) }

// File is the layer of a TOML file. Top-level tables named in ignore are skipped.
func File(path string, ignore ...string) Layer {
	return func(cfg any) error {
		data, err := plainfile.Read(path, MaxBytes)
		if err != nil {
			return fmt.Errorf("configuration: %w", err)
		}
		return DecodeStrict(path, bytes.TrimPrefix(data, byteOrderMark), cfg, ignore...)
	}
}

// byteOrderMark is written at the beginning of a file by some editors on Windows.
var byteOrderMark = []byte("\ufeff")

// Text is the layer of a TOML text. Messages call it by the argument name, such as "preset oyster/cheetah-vel".
func Text(name string, data []byte) Layer {
	return func(cfg any) error { return DecodeStrict(name, data, cfg) }
}

// Set is the layer of assignments such as "pearl.latent=7", as given with --set. The value is written as in TOML; words
// need no quotes.
func Set(assignments ...string) Layer { return SetBy("--set", assignments...) }

// SetBy works like Set, for assignments that did not come from --set. Messages use the given word in place of --set.
func SetBy(word string, assignments ...string) Layer {
	return func(cfg any) error {
		for _, a := range assignments {
			if err := set(cfg, word, a); err != nil {
				return err
			}
		}
		return nil
	}
}

// DecodeStrict lays TOML text over cfg. For an unknown key the error is a *KeyError. For a value that does not fit or
// is out of range it is a *ValueError. Messages call the text by the argument name. Top-level tables named in ignore
// are skipped.
func DecodeStrict(name string, data []byte, cfg any, ignore ...string) error {
	list := tables(cfg)
	all := whole(cfg, list)
	if err := Bound(name, data); err != nil {
		return err
	}
	if path, row := firstUnknown(data, all, ignore); path != nil {
		return &KeyError{Where: at(name, row), Key: short(strings.Join(path, ".")), Nearest: suggest(all, list, path)}
	}
	if err := decode(name, data, cfg, all); err != nil {
		return err
	}
	if err := checkTags(name, all); err != nil {
		return placed(err, name, data)
	}
	return store(name, cfg, list, data)
}

// Chooser is a pointer to a configuration in which setting one value can set others. For example, a name also sets the
// values of what it names.
type Chooser interface {
	// Choose is called with the values of a layer, as a tree of maps, before they are laid over the configuration. Its
	// error may be a *ValueError without a place.
	Choose(values map[string]any) error
}

func decode(name string, data []byte, original, cfg any) error {
	if c, ok := original.(Chooser); ok {
		var values map[string]any
		if toml.Unmarshal(data, &values) == nil { // the error is reported below
			if err := c.Choose(values); err != nil {
				return placed(err, name, data)
			}
		}
	}
	err := toml.Unmarshal(wholeNumbers(data, cfg), cfg)
	if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
		return badValue(name, bad, data, cfg)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func set(cfg any, word, assignment string) error {
	where := word + " " + assignment
	key, value, ok := strings.Cut(assignment, "=")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if !ok || key == "" {
		return fmt.Errorf("%s: expected key=value, for example %s pearl.latent=7", where, word)
	}
	path := strings.Split(key, ".")
	all := whole(cfg, tables(cfg))
	leaf, err := lookup(all, path)
	if err != nil {
		return &KeyError{Where: where, Key: key, Nearest: suggest(all, tables(cfg), path)}
	}
	if isTable(leaf) {
		return fmt.Errorf("%s: %s is a table; set one of its keys: %s", where, key,
			strings.Join(childKeys(leaf, key), ", "))
	}
	if isText(leaf) && !strings.HasPrefix(value, `"`) && !strings.HasPrefix(value, `'`) {
		value = quote(value)
	}
	var any map[string]any
	if toml.Unmarshal([]byte("value = "+value), &any) != nil {
		return &ValueError{Where: where, Key: key, Value: value, Want: wanted(all, key, leaf, value)}
	}
	for i := range path {
		path[i] = quote(path[i])
	}
	return DecodeStrict(where, []byte(strings.Join(path, ".")+" = "+value+"\n"), cfg)
}

// quote writes s as a TOML basic string.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Encode writes every value of cfg as TOML that DecodeStrict reads back to an equal struct.
func Encode(cfg any) ([]byte, error) {
	var b bytes.Buffer
	e := toml.NewEncoder(&b)
	e.SetIndentTables(false)
	if err := e.Encode(whole(cfg, encoded(cfg))); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return b.Bytes(), nil
}

// Hash is a fingerprint of cfg's values (hexadecimal SHA-256). It does not depend on the order of fields. It leaves out
// the dotted keys in except, which may change between a run and its continuation, such as the number of workers.
func Hash(cfg any, except ...string) (string, error) {
	text, err := Encode(cfg)
	if err != nil {
		return "", err
	}
	var tree map[string]any
	if err := toml.Unmarshal(text, &tree); err != nil {
		return "", fmt.Errorf("configuration: %w", err)
	}
	for _, key := range except {
		remove(tree, strings.Split(key, "."))
	}
	canonical, err := json.Marshal(tree)
	if err != nil {
		return "", fmt.Errorf("configuration: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

func remove(tree map[string]any, path []string) {
	for ; len(path) > 1; path = path[1:] {
		child, ok := tree[path[0]].(map[string]any)
		if !ok {
			return
		}
		tree = child
	}
	delete(tree, path[0])
}

// Duration is a time.Duration written as text in TOML: "90s", "5m", "1h30m".
type Duration time.Duration

func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText writes d as time.Duration does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a duration with its unit.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a duration such as 90s, 5m or 1h30m", text)
	}
	*d = Duration(v)
	return nil
}
