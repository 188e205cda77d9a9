package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"net/http"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"nacre/experiment"
	"nacre/experiment/study"
	"nacre/internal/plainfile"
	"nacre/rl"
	"nacre/rl/protocol"
	"nacre/sim"
)

// Service answers the requests of the page of runs with the data of Index and Jobs, as JSON. Paths are relative to the
// path at which it is mounted.
//
//	GET  list?since=V&shape=S   Changes, the queue, and which settings differ
//	GET  curve?column=C&run=P…  Curve of each
//	GET  settings?run=P…        of each, by dotted key
//	GET  run?run=P              log and record of one
//	PUT  note?run=P             Note; 409 with the present note if somebody else has changed it
//	GET  presets                names and what they are, and the algorithms
//	GET  defaults?preset=P      its settings, by dotted key; &algorithm=A: under this algorithm
//	POST start                  Spec; the path of the new run
//	POST resume, stop, forget   ?run=P
//	POST make, cancel           ?run=P&what=PRODUCT
type Service struct {
	Index    *Index
	Jobs     *Jobs     // nil if runs cannot be started
	Products *Products // nil if products cannot be made

	mu      sync.Mutex
	looked  time.Time
	columns []string
	at      uint64 // version of the index for which columns was computed
	mux     *http.ServeMux
	once    sync.Once
}

// lookEvery is the time between two looks at the folders, however many requests come.
const lookEvery = 500 * time.Millisecond

// maxCurves is the largest number of curves in a request, and maxPoints that of points in a curve.
const (
	maxCurves = 500
	maxPoints = 1000
)

// ServeHTTP implements http.Handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.once.Do(func() {
		s.mux = http.NewServeMux()
		for pattern, f := range map[string]func(*http.Request) (any, error){
			"GET /list": s.list, "GET /curve": s.curve, "GET /settings": s.settings, "GET /run": s.run,
			"PUT /note":    s.note,
			"GET /presets": s.presets, "GET /defaults": s.defaults, "POST /start": s.start, "POST /resume": s.job,
			"POST /stop":   s.job,
			"POST /forget": s.job,
			"POST /make":   s.make, "POST /cancel": s.make,
		} {
			s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { answer(w, r, f) })
		}
	})
	s.mux.ServeHTTP(w, r)
}

// answer writes what f returns, or its error as {"message": …}.
func answer(w http.ResponseWriter, r *http.Request, f func(*http.Request) (any, error)) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	v, err := f(r)
	status := http.StatusOK
	switch {
	case errors.Is(err, ErrConflict):
		status = http.StatusConflict
	case errors.Is(err, ErrUnknown), errors.Is(err, fs.ErrNotExist):
		status = http.StatusNotFound
	case err != nil:
		status = http.StatusBadRequest
	}
	if err != nil && status != http.StatusConflict {
		v = map[string]string{"message": err.Error()}
	}
	text, err := json.Marshal(v)
	if err != nil {
		status, text = http.StatusInternalServerError, fmt.Appendf(nil, `{"message": %q}`, err.Error())
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// Listing is the answer to the request GET list.
type Listing struct {
	Changes
	Root    string   `json:"root"`
	Columns []string `json:"columns"` // settings that differ between runs
	// a text that identifies Columns; a client sends it with its next request, to say which columns it has
	Shape string `json:"shape"`
	// the values of Columns, by path of a changed run; empty if a run does not have a setting
	Values  map[string][]string `json:"values"`
	Waiting []Job               `json:"waiting"`
	Failed  []Job               `json:"failed"`
	Starts  bool                `json:"starts"` // runs can be started here
	Making  []Making            `json:"making"`
}

// An answer waits a moment until the folders are read. The first answer waits only for the first page of the table.
// Runs that are not read by then come with the next answer.
const (
	moment    = 300 * time.Millisecond
	firstPage = 120
)

// look brings the index up to date, in the background, and waits for it a moment.
func (s *Service) look(first bool) {
	s.mu.Lock()
	due := time.Since(s.looked) > lookEvery
	if due {
		s.looked = time.Now()
	}
	s.mu.Unlock()
	if !due {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Index.Refresh(context.Background()); err != nil && s.Jobs != nil {
			s.Jobs.log.Warn("the folder of runs could not be read", "error", err)
		}
		s.mu.Lock()
		s.looked = time.Now()
		s.mu.Unlock()
	}()
	var enough chan struct{} // never ready
	if first {
		var forget func()
		enough, forget = s.Index.known(firstPage)
		defer forget()
	}
	select {
	case <-done:
	case <-enough:
	case <-time.After(moment):
	}
}

func (s *Service) list(r *http.Request) (any, error) {
	since := uint64(0)
	if text := r.FormValue("since"); text != "" {
		var err error
		if since, err = strconv.ParseUint(text, 10, 64); err != nil {
			return nil, fmt.Errorf("since=%s: expected a whole number", short(text))
		}
	}
	s.look(since == 0)
	l := Listing{Changes: s.Index.Since(since), Root: s.Index.Root, Waiting: []Job{}, Failed: []Job{},
		Starts: s.Jobs != nil, Making: []Making{}}
	l.Columns = s.differing(l.Version)
	h := fnv.New32a()
	fmt.Fprint(h, l.Columns)
	l.Shape = fmt.Sprintf("%08x", h.Sum32())
	if since > 0 && l.Shape != r.FormValue("shape") { // the client needs the values of all runs
		l.Changes.Runs = s.Index.Since(0).Runs
	}
	l.fill()
	if s.Jobs != nil {
		l.Waiting, l.Failed = s.Jobs.Queue()
	}
	if s.Products != nil {
		l.Making = s.Products.List()
	}
	return l, nil
}

// fill gives the listing the values of its columns.
func (l *Listing) fill() {
	l.Values = make(map[string][]string, len(l.Runs))
	for _, run := range l.Runs {
		v := make([]string, len(l.Columns))
		for i, c := range l.Columns {
			v[i] = run.Settings[c]
		}
		l.Values[run.Path] = v
	}
}

// differing returns the settings that differ between the runs at a version.
func (s *Service) differing(version uint64) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at != version || s.columns == nil {
		s.columns, s.at = Columns(s.Index.Runs()), version
	}
	return s.columns
}

// named returns the paths of the runs that a request names.
func named(r *http.Request) ([]string, error) {
	paths := r.URL.Query()["run"]
	if len(paths) == 0 || len(paths) > maxCurves {
		return nil, fmt.Errorf("%d runs; expected 1 to %d", len(paths), maxCurves)
	}
	return paths, nil
}

// chosen finds the runs that a request names.
func (s *Service) chosen(r *http.Request) (list []*Run, err error) {
	paths, err := named(r)
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		run, err := s.Index.Find(p)
		if err != nil {
			return nil, err
		}
		list = append(list, run)
	}
	return list, nil
}

// curve leaves out runs without the column. If the request names several runs, it leaves out those whose folder was
// removed since they were listed.
func (s *Service) curve(r *http.Request) (any, error) {
	paths, err := named(r)
	if err != nil {
		return nil, err
	}
	curves := []Curve{}
	for _, p := range paths {
		run, err := s.Index.Find(p)
		var c Curve
		if err == nil {
			if _, has := run.Latest[r.FormValue("column")]; !has {
				continue
			}
			c, err = s.Index.Curve(run, r.FormValue("column"), maxPoints)
		}
		if gone := errors.Is(err, ErrUnknown) || errors.Is(err, fs.ErrNotExist); gone && len(paths) > 1 {
			continue
		}
		if err != nil {
			return nil, err
		}
		curves = append(curves, c)
	}
	return curves, nil
}

func (s *Service) settings(r *http.Request) (any, error) {
	list, err := s.chosen(r)
	if err != nil {
		return nil, err
	}
	out := make([]map[string]string, len(list))
	for i, run := range list {
		if out[i] = run.Settings; out[i] == nil {
			out[i] = map[string]string{} // for a run that has not begun, or cannot be read
		}
	}
	return out, nil
}

// Detail is the answer to the request GET run.
type Detail struct {
	Log    string            `json:"log"`
	Record experiment.Record `json:"record"`
	Files  []string          `json:"files"` // names of the files in the run folder
	Dir    string            `json:"dir"`
	// Products says for every product whether it exists.
	Products map[string]Freshness `json:"products"`
	// Adapted has the mean returns and successes of a finished run, for each trajectory on a new task.
	Adapted *protocol.Summary `json:"adapted,omitempty"`
	// Tasks has these for each test task.
	Tasks []AdaptedTask `json:"tasks,omitempty"`
	// Report is the path of the study's report, below the root, if the run belongs to a study. Otherwise it is empty.
	Report string `json:"report,omitempty"`
}

// AdaptedTask has the mean returns of a finished run on one test task, for each trajectory, and how often it had
// success, if the family knows success.
type AdaptedTask struct {
	Params  []float64 `json:"params"`
	Return  []float64 `json:"return"`
	Success []float64 `json:"success,omitempty"`
}

func (s *Service) run(r *http.Request) (any, error) {
	run, err := s.Index.Find(r.FormValue("run"))
	if err != nil {
		return nil, err
	}
	return s.detail(run)
}

// adapted fills in an evaluation.
func (d *Detail) adapted(e protocol.Result, succeeds bool) {
	d.Adapted = &e.Summary
	returns, successes := e.ByTask()
	for i, t := range e.Tasks {
		d.Tasks = append(d.Tasks, AdaptedTask{Params: t.Params, Return: returns[i], Success: successes[i]})
	}
	if succeeds {
		return
	}
	d.Adapted.Success = nil
	for i := range d.Tasks {
		d.Tasks[i].Success = nil
	}
}

// detail returns the details of one run.
func (s *Service) detail(run *Run) (d Detail, err error) {
	d = Detail{Dir: s.Index.Dir(run), Products: map[string]Freshness{}}
	if s.Jobs != nil {
		if d.Log, err = s.Jobs.Log(run.Path); err != nil {
			d.Log = err.Error()
		}
	}
	if folder, err := experiment.View(d.Dir); err == nil {
		if d.Record, err = folder.Record(); err != nil {
			return d, err
		}
		if folder.Has(experiment.EvaluationFile) {
			if e, err := folder.ReadEvaluation(); err == nil {
				d.adapted(e, sim.Succeeds(run.Family))
			}
		}
	}
	d.Files = files(d.Dir)
	for _, p := range All {
		d.Products[p.Name] = p.Fresh(d.Dir)
	}
	for _, name := range []string{study.PageFile, study.ReportFile} {
		if file := path.Join(run.Group, name); d.Report == "" && run.Group != run.Path &&
			exists(s.Index.Root, filepath.FromSlash(file)) {
			d.Report = file
		}
	}
	return d, nil
}

func (s *Service) note(r *http.Request) (any, error) {
	run, err := s.Index.Find(r.FormValue("run"))
	if err != nil {
		return nil, err
	}
	if run.State == Log {
		return nil, fmt.Errorf("%s is the log of another program: notes are kept in run folders only", run.Path)
	}
	var n Note
	if err := json.NewDecoder(r.Body).Decode(&n); err != nil {
		return nil, fmt.Errorf("a note: %w", err)
	}
	return WriteNote(s.Index.Dir(run), n)
}

func (s *Service) presets(*http.Request) (any, error) {
	names, about := experiment.Presets()
	var algorithms, titles []string
	for _, a := range rl.Algorithms() {
		algorithms, titles = append(algorithms, a.Name), append(titles, a.Title)
	}
	return map[string][]string{"names": names, "about": about, "algorithms": algorithms, "titles": titles}, nil
}

// defaults returns the settings of a preset under an algorithm, by dotted key.
func (s *Service) defaults(r *http.Request) (any, error) {
	cfg, err := experiment.Preset(r.FormValue("preset"))
	if err != nil {
		return nil, err
	}
	if a := r.FormValue("algorithm"); a != "" {
		if err := experiment.Change(&cfg, "algorithm="+a); err != nil {
			return nil, err
		}
	}
	settings, err := cfg.Settings()
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for k, v := range settings {
		out[k] = string(v)
	}
	return out, nil
}

var errNoJobs = errors.New("this page only shows runs; start them from nacre notebook, or with nacre train")

func (s *Service) start(r *http.Request) (any, error) {
	if s.Jobs == nil {
		return nil, errNoJobs
	}
	var spec Spec
	if err := json.NewDecoder(r.Body).Decode(&spec); err != nil {
		return nil, fmt.Errorf("what to start: %w", err)
	}
	path, err := s.Jobs.Start(spec)
	return map[string]string{"path": path}, err
}

func (s *Service) job(r *http.Request) (any, error) {
	if s.Jobs == nil {
		return nil, errNoJobs
	}
	path := r.FormValue("run")
	var err error
	switch r.URL.Path {
	case "/resume":
		err = s.Jobs.Resume(path)
	case "/stop":
		err = s.Jobs.Stop(path)
	default:
		s.Jobs.Forget(path)
	}
	return map[string]string{"path": path}, err
}

func (s *Service) make(r *http.Request) (any, error) {
	if s.Products == nil {
		return nil, errNoJobs
	}
	path, what := r.FormValue("run"), r.FormValue("what")
	if r.URL.Path == "/cancel" {
		s.Products.Cancel(path, what)
		return struct{}{}, nil
	}
	return struct{}{}, s.Products.Make(path, what)
}

// files returns the names of the files in a folder.
func files(dir string) []string {
	out := []string{}
	entries, err := plainfile.ReadDir(dir)
	if err != nil {
		return out
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			out = append(out, e.Name())
		}
	}
	return out
}
