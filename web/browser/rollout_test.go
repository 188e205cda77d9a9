package browser

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"nacre/internal/heavy"
	shows "nacre/library/display"
	"nacre/sim"
	_ "nacre/sim/families"
	"nacre/sim/playback"
	"nacre/sim/recording"
	"nacre/sim/scene"
	"nacre/web"
)

// recorded is some random episodes of a family, or a skipped test.
func recorded(t *testing.T, name string, n, steps int) []recording.Recording {
	t.Helper()
	family, err := sim.Lookup(name)
	if errors.Is(err, sim.ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, tasks, err := family.Tasks(1, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var episodes []sim.Episode
	for i := range n {
		episodes = append(episodes, sim.Episode{Task: tasks[i], Seed: uint64(i)})
	}
	recorder := recording.Recorder{Family: family}
	defer recorder.Close()
	if _, err := recorder.Rollout(t.Context(), episodes, sim.RandomPolicy(family, episodes),
		steps); err != nil {
		t.Fatal(err)
	}
	return recorder.Recordings
}

// output returns what a notebook keeps of a rollout.
func output(t *testing.T, episodes []recording.Recording) map[string]any {
	t.Helper()
	b, err := shows.Rollout{Episodes: episodes}.MIMEBundle()
	if err != nil {
		t.Fatal(err)
	}
	b["image/png"] = base64.StdEncoding.EncodeToString(b["image/png"].([]byte))
	return display(b)
}

const player = "document.querySelector('.rollout').rollout"

// same compares where solids are drawn with a frame of the film, from every solid that the scene has.
func same(tb *tab, episode int, film *scene.Film, frame int) {
	tb.t.Helper()
	for i, want := range film.Frame(frame) {
		got := eval[[]float32](tb, fmt.Sprintf("%s.drawn(%d, %d)", player, episode, i))
		if !reflect.DeepEqual(got, want[:]) {
			tb.t.Errorf("episode %d, frame %d: solid %q is drawn at %v, the recording has it at %v", episode, frame,
				film.Scene.Solids[i].Name, got, want)
		}
	}
}

// frameAt seeks and waits for the picture.
func (tb *tab) frameAt(frame int) {
	tb.t.Helper()
	eval[any](tb, fmt.Sprintf("(%s.seek(%d), %s.paint(), null)", player, frame, player))
}

// bodies is how many different colours there are in what is drawn: a still picture of nothing has one.
const bodies = `(() => {
	const c = document.querySelector('.rollout .viewport canvas');
	const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, seen = new Set();
	for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
	return seen.size;
})()`

func TestRolloutPlays(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	for _, family := range []string{"point-goal", "cheetah-vel"} {
		t.Run(family, func(t *testing.T) {
			episodes := recorded(t, family, 2, 40)
			s := newSite(t, map[string]any{"a.ipynb": withOutputs(output(t, episodes))})
			p := s.open("/notebooks/a.ipynb")
			p.await("document.querySelector('.rollout[data-ready]')")
			for e := range episodes {
				film, err := episodes[e].Film()
				if err != nil {
					t.Fatal(err)
				}
				for _, frame := range []int{0, 1, film.Frames() - 1, film.Frames() / 2} {
					p.frameAt(frame)
					same(p, e, film, frame)
				}
			}
			if n := eval[int](p, bodies); n < 50 {
				t.Errorf("the picture has %d colours", n)
			}
			// The steps' rewards and their sums are those of the recording.
			p.frameAt(7)
			sum := 0.
			for _, r := range episodes[1].Reward[:7] {
				sum += r
			}
			numbers := eval[[]string](p, "[...document.querySelectorAll('.rollout .legend "+
				"button')[1].querySelectorAll('b')].map(b => b.textContent)")
			if want := []string{short(episodes[1].Reward[6]), short(sum)}; !reflect.DeepEqual(numbers, want) {
				t.Errorf("step 7 reads %v, expected %v", numbers, want)
			}
			// It plays on by itself, and keys of the playback are not the notebook's.
			p.frameAt(0)
			eval[any](p, "(document.querySelector('.rollout .viewport').focus(), null)")
			p.press("Space")
			p.await(player + ".frame >= 3")
			p.press("Space")
			at := eval[int](p, player+".frame")
			p.press("ArrowRight", "ArrowRight", "ArrowLeft")
			if got := eval[int](p, player+".frame"); got != min(at+1, len(episodes[0].Act)) {
				t.Errorf("paused at step %d, two steps on and one back is %d", at, got)
			}
			p.press("End")
			last := len(episodes[0].Act)
			p.await(fmt.Sprintf("document.querySelector('.rollout .clock').textContent === '%d / %d'", last, last))
			if n := eval[int](p, "nacre.notebook.cells.length"); n != 1 {
				t.Errorf("the notebook has %d cells", n)
			}
			p.quiet()
		})
	}
}

// short is a number as the front end writes it.
func short(v float64) string {
	return strings.Replace(strings.TrimSuffix(fmt.Sprintf("%.4g", float64(float32(v))), ".0"), "-", "−", 1)
}

// Without WebGL there is the picture, and one sentence.
func TestRolloutWithoutWebGL(t *testing.T) {
	s := newSite(t, map[string]any{"a.ipynb": withOutputs(output(t, recorded(t, "point-goal", 1, 5)))})
	ctx, cancel := chromedp.NewContext(chrome(t), chromedp.WithNewBrowserContext())
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	none := "const get = HTMLCanvasElement.prototype.getContext; HTMLCanvasElement.prototype.getContext = function " +
		"(kind, ...more) { return kind === 'webgl2' ? null : get.call(this, kind, ...more); }"
	if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: none}); err != nil {
		t.Fatal(err)
	}
	p := s.arrive(ctx, cancel, "/notebooks/a.ipynb", "document.body.dataset.ready === 'yes'")
	p.await("document.querySelector('.output img')?.naturalWidth === 968")
	if got := eval[string](p, "document.querySelector('.output .note').textContent"); got != "This browser has no "+
		"WebGL, so the rollout is shown as a picture." {
		t.Errorf("it says %q", got)
	}
	p.quiet()
}

// The page of its own, in a folder of a host that knows nothing of it: it opens a file beside it, and no other host's.
func TestRolloutPage(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	chrome(t)
	files, _ := web.Files()
	episodes := recorded(t, "point-goal", 1, 12)
	e, err := playback.Of(&episodes[0])
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := (&playback.Document{Title: "point", Episodes: []playback.Episode{e}}).Write(&file); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/deep/er/", http.StripPrefix("/deep/er/", http.FileServerFS(files)))
	mux.HandleFunc("/deep/er/data/a.json", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(file.Bytes())
	})
	mux.HandleFunc("/deep/er/data/cut.json", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(file.Bytes()[:50])
	})
	host := httptest.NewServer(mux)
	t.Cleanup(host.Close)
	s := &site{t: t, url: host.URL}
	open := func(query, ready string) *tab {
		ctx, cancel := chromedp.NewContext(chrome(t), chromedp.WithNewBrowserContext())
		return s.arrive(ctx, cancel, "/deep/er/rollout.html"+query, ready)
	}
	p := open("?open=data/a.json", "document.querySelector('.rollout[data-ready]')")
	p.frameAt(9)
	same(p, 0, e.Film, 9)
	p.quiet()
	for query, want := range map[string]string{
		"":                                 "Drop a file here",
		"?open=data/none.json":             "data/none.json: the server answers 404.",
		"?open=data/cut.json":              "cut.json is no JSON",
		"?open=https://example.org/a.json": "is on another host",
		"?open=rollout.html":               "rollout.html is no JSON",
	} {
		q := open(query, "document.querySelector('.invitation') && (document.querySelector('.problem').hidden === "+
			fmt.Sprint(query == "")+")")
		if got := eval[string](q, "document.body.innerText"); !strings.Contains(got, want) {
			t.Errorf("%s: the page says %q, expected %q", query, got, want)
		}
	}
}
