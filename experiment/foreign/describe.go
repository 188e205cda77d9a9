package foreign

import (
	"encoding/json"
	"fmt"
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
	if l.settings == nil {
		var file string
		if l.settings, file = settingsOf(dir); file != "" {
			l.Files = append(l.Files, file)
		}
	}
	if a.tool != "" {
		l.Tool = a.tool
	}
	l.Family, l.System = pick(a.family, l.setting(familyKeys), environmentOf(dir)),
		pick(a.system, l.setting(systemKeys))
	seed := l.setting(seedKeys)
	if a.seed != nil {
		seed = strconv.FormatUint(*a.seed, 10)
	}
	name := run
	if name == "" {
		name = nameOf(l.Ref, s.files[0])
	}
	if m := cleanRL.FindStringSubmatch(name); m != nil {
		l.Tool = "CleanRL"
		l.Family, l.System, seed = pick(l.Family, m[1]), pick(l.System, m[2]), pick(seed, m[3])
	}
	stem, marked := stemOf(name)
	if stem == "" && run == "" { // such as logs/ppo/seed1: the folder above says what it is
		stem, _ = stemOf(filepath.Base(filepath.Dir(filepath.Clean(absolute(dir)))))
	}
	if stem == l.Family { // it tells nothing new
		stem = ""
	}
	l.System = pick(l.System, stem)
	if n, err := strconv.ParseUint(pick(seed, marked), 10, 64); err == nil {
		l.Seed, l.Seeded = n, true
	}
	for _, key := range seedKeys {
		for k := range l.settings {
			if k == key || strings.HasSuffix(k, "."+key) {
				delete(l.settings, k)
			}
		}
	}
	l.Family = pick(l.Family, Unnamed)
	switch {
	case l.System == "":
		l.System = l.Tool
	case !strings.Contains(strings.ToLower(l.System), strings.ToLower(l.Tool)):
		l.System = fmt.Sprintf("%s (%s)", l.System, l.Tool)
	}
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
			if seed == "" {
				seed = name[m[2]:m[3]]
			}
			name = name[:m[0]]
		}
		name = strings.TrimRight(numberMark.ReplaceAllString(name, ""), "-_. ")
		if name == before {
			return name, seed
		}
	}
}

// pick is the first text that is not empty.
func pick(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
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

// settingsOf reads the settings beside a log, or in the folder above.
func settingsOf(dir string) (settings map[string]string, file string) {
	for _, d := range []string{dir, filepath.Dir(dir)} {
		for _, name := range settingsFiles {
			path := filepath.Join(d, name)
			data, err := plainfile.Read(path, maxSettings)
			if err != nil {
				continue
			}
			if settings = flattened(data); settings != nil {
				return settings, path
			}
		}
	}
	return map[string]string{}, ""
}

// flattened are the values of a JSON object by dotted key, nil of what is none.
func flattened(data []byte) map[string]string {
	var v map[string]any
	if json.Unmarshal(data, &v) != nil {
		return nil
	}
	out := map[string]string{}
	flatten(v, "", out, 20)
	return out
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
