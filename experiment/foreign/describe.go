package foreign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"nacre/internal/plainfile"
)

// settingsFiles are files beside a log in which programs keep their settings as JSON.
var settingsFiles = []string{"variant.json", "params.json", "config.json", "args.json", "hyperparameters.json"}

// Keys of settings that tell environment, seed and algorithm, without the objects they lie in.
var (
	familyKeys = []string{"env_name", "env_id", "env", "environment", "task_name", "gym_id"}
	seedKeys   = []string{"seed", "random_seed", "rng_seed"}
	systemKeys = []string{"algorithm", "algo", "algo_name", "agent", "alg", "exp_name"}
)

// cleanRL is how CleanRL calls a run: environment, program, seed, time.
var cleanRL = regexp.MustCompile(`^(.+)__(.+)__(\d+)__(\d{9,})$`)

// Parts of a folder's name that tell a seed, a number or a time of a run rather than what it is.
var (
	seedMark   = regexp.MustCompile(`(?i)(?:^|[-_. ])(?:seed|s)[-_= ]?(\d+)$`)
	numberMark = regexp.MustCompile(`(?:^|[-_. ])\d[\d_.:T-]*$`)
)

// describe fills in the description of the log from the log itself, from files beside it and from the names of its
// folders.
func (l *Log) describe(s source, run string, a about) {
	dir := filepath.Dir(s.files[0])
	l.settings = a.settings
	said := "its settings"
	if l.settings == nil {
		var file string
		if l.settings, file = l.settingsOf(dir); file != "" {
			l.Files, said = append(l.Files, file), filepath.Base(file)
		}
	}
	if a.tool != "" {
		l.Tool = a.tool
	}
	l.Family, l.System = cmp.Or(a.family, l.setting(familyKeys), environmentOf(dir)),
		cmp.Or(a.system, l.setting(systemKeys))
	seed := l.setting(seedKeys)
	if a.seed != nil {
		seed = strconv.FormatUint(*a.seed, 10)
	}
	name := cmp.Or(run, a.name, a.above, nameOf(l.Ref, s.files[0]))
	if m := cleanRL.FindStringSubmatch(name); m != nil {
		l.Tool = "CleanRL"
		l.Family, l.System, seed = cmp.Or(l.Family, m[1]), cmp.Or(l.System, m[2]), cmp.Or(seed, m[3])
	}
	stem, marked := "", ""
	if !a.named {
		stem, marked = stemOf(name)
	}
	if stem == "" && run == "" { // such as logs/ppo/seed1: the folder above says what it is
		stem, _ = stemOf(cmp.Or(a.above, filepath.Base(filepath.Dir(filepath.Clean(absolute(dir))))))
	}
	if stem == l.Family { // it tells nothing new
		stem = ""
	}
	l.System = cmp.Or(l.System, stem)
	for _, word := range []string{seed, marked} {
		if n, err := strconv.ParseUint(word, 10, 64); err == nil {
			l.Seed, l.Seeded = n, true
			break
		} else if word != "" {
			l.note("%s", noSeed(word, said))
		}
	}
	for _, key := range seedKeys {
		for k := range l.settings {
			if k == key || strings.HasSuffix(k, "."+key) {
				delete(l.settings, k)
			}
		}
	}
	l.Family = cmp.Or(l.Family, Unnamed)
	switch {
	case l.System == "":
		l.System = l.Tool
	case !strings.Contains(strings.ToLower(l.System), strings.ToLower(l.Tool)):
		l.System = fmt.Sprintf("%s (%s)", l.System, l.Tool)
	}
}

// noSeed says that a seed is none.
func noSeed(word, where string) string {
	return fmt.Sprintf("seed %q of %s is left out; expected a whole number from 0 to %d", word, where,
		uint64(math.MaxUint64))
}

func absolute(dir string) string {
	if a, err := filepath.Abs(dir); err == nil {
		return a
	}
	return dir
}

// nameOf returns the name of a log's folder, or of the file that was asked for.
func nameOf(ref, file string) string {
	if info, err := plainfile.Stat(ref); err == nil && !info.IsDir() {
		if base := filepath.Base(file); !strings.HasPrefix(base, "events.out.tfevents.") && !generic[base] {
			return strings.TrimSuffix(base, filepath.Ext(base))
		}
	}
	return filepath.Base(absolute(filepath.Dir(file)))
}

// generic are names of files that tell nothing of a run.
var generic = map[string]bool{"progress.csv": true, "monitor.csv": true, "evaluations.npz": true}

// stemOf is a name without the seed, number or time of a run at its end, and the seed.
func stemOf(name string) (stem, seed string) {
	for {
		before := name
		if m := seedMark.FindStringSubmatchIndex(name); m != nil {
			seed = cmp.Or(seed, name[m[2]:m[3]])
			name = name[:m[0]]
		}
		name = strings.TrimRight(numberMark.ReplaceAllString(name, ""), "-_. ")
		if name == before {
			return name, seed
		}
	}
}

// setting is the value of the first key that is found anywhere in the settings. If a key is found several times, the
// least deep one counts.
func (l *Log) setting(keys []string) string {
	for _, key := range keys {
		best, value := 0, ""
		for k, v := range l.settings {
			if k != key && !strings.HasSuffix(k, "."+key) || v == "" || v == "null" {
				continue
			}
			if depth := 1 + strings.Count(k, "."); best == 0 || depth < best {
				best, value = depth, v
			}
		}
		if best > 0 {
			return value
		}
	}
	return ""
}

// maxSettings bounds a file of settings.
const maxSettings = 4 << 20

// settingsOf reads the settings beside a log, or in the folder above. A file that cannot be read is said.
func (l *Log) settingsOf(dir string) (settings map[string]string, file string) {
	for _, d := range []string{dir, filepath.Dir(dir)} {
		for _, name := range settingsFiles {
			path := filepath.Join(d, name)
			data, err := plainfile.Read(path, maxSettings)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil {
				settings, err = flattened(data)
			}
			if err == nil {
				return settings, path
			}
			l.note("%s is left out, with what it says of environment and seed: %v", name, err)
		}
	}
	return map[string]string{}, ""
}

// flattened are the values of a JSON object by dotted key. Numbers keep their digits.
func flattened(data []byte) (map[string]string, error) {
	var v map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err := d.Decode(&v)
	var bad *json.SyntaxError
	line := func(end int) int { return 1 + bytes.Count(bytes.TrimRight(data[:end], "\n"), []byte("\n")) }
	switch syntax := errors.As(err, &bad); {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF),
		syntax && bad.Error() == "unexpected end of JSON input": // as Go 1.27 says it
		return nil, fmt.Errorf("it ends within a value, on line %d", line(len(data)))
	case syntax:
		return nil, fmt.Errorf("line %d: %w", line(min(int(bad.Offset), len(data))), err)
	case err != nil || v == nil:
		return nil, errors.New("it is no JSON object")
	}
	out := map[string]string{}
	flatten(v, "", out, 20)
	return out, nil
}

func flatten(v map[string]any, prefix string, into map[string]string, depth int) {
	for k, x := range v {
		if inner, ok := x.(map[string]any); ok && depth > 0 {
			flatten(inner, prefix+k+".", into, depth-1)
			continue
		}
		if text, ok := x.(string); ok {
			into[prefix+k] = text
			continue
		}
		text, err := json.Marshal(x)
		if err == nil {
			into[prefix+k] = string(text)
		}
	}
}
