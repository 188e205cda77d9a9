package server

import (
	"html/template"
	"io"
	"io/fs"
	"mime"
	"net/http"
)

// pagePolicy completes the policy in the front end's page: these directives only work in a header.
const pagePolicy = "frame-ancestors 'self'"

// framePolicy is for the page that runs the scripts of a cell's HTML: its origin is its own and reaches nothing.
const framePolicy = "sandbox allow-scripts; frame-ancestors 'self'"

// filePolicy is for files of the served folder, which may be pages somebody else wrote.
const filePolicy = "sandbox allow-scripts; default-src data: blob: 'unsafe-inline'; connect-src 'none'; form-action " +
	"'none'; frame-ancestors 'self'"

// noConnections goes with pages whose scripts are somebody else's: a policy of contents says nothing about WebRTC,
// which this header forbids too, in frames within the page as well, where a browser knows it.
const noConnections = "()"

func init() {
	// Systems without a table of types do not know these.
	_ = mime.AddExtensionType(".wasm", "application/wasm")
	_ = mime.AddExtensionType(".ipynb", "application/x-ipynb+json")
	_ = mime.AddExtensionType(".mjs", "text/javascript")
}

func (s *Server) home(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, "/tree", http.StatusFound)
}

// page is the front end: one page that finds out from its address what to show.
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
	s.html(w, r, "index.html")
}

// overview is the page of runs and of embeddings, which is smaller.
func (s *Server) overview(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
	s.html(w, r, "runs.html")
}

// mounted lets a handler answer below a path; if there is none, nothing is there.
func (s *Server) mounted(path string, h http.Handler) http.HandlerFunc {
	if h == nil {
		return s.unknown
	}
	return http.StripPrefix(path, h).ServeHTTP
}

// static serves the front end's scripts and styles. There is nothing secret in them: everybody may have them.
func (s *Server) static(w http.ResponseWriter, r *http.Request) {
	policy := pagePolicy
	if r.PathValue("path") == "frame.html" {
		policy = framePolicy
		w.Header().Set("Connection-Allowlist", noConnections)
	}
	if r.PathValue("path") != "frame.html" {
		w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp") // or the t-SNE page's workers are not let in
	}
	w.Header().Del("Cross-Origin-Resource-Policy") // the frame's origin is another
	s.asset(w, r, "static/"+r.PathValue("path"), policy)
}

// tsne is the page that lays out embeddings in the browser; its addresses are relative to it. Isolated from other
// sites, its workers may share memory.
func (s *Server) tsne(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
	w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
	s.html(w, r, "tsne.html")
}

// rollout is the page that plays an episode; its addresses are relative to it.
func (s *Server) rollout(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
	s.html(w, r, "rollout.html")
}

// wasm serves the programs that pages run, packed as they are.
func (s *Server) wasm(w http.ResponseWriter, r *http.Request) {
	s.assetOf(s.config.Wasm, w, r, r.PathValue("name"), pagePolicy)
}

func (s *Server) asset(w http.ResponseWriter, r *http.Request, name, policy string) {
	s.assetOf(s.config.Static, w, r, name, policy)
}

func (s *Server) assetOf(files fs.FS, w http.ResponseWriter, r *http.Request, name, policy string) {
	if files == nil || !fs.ValidPath(name) {
		http.NotFound(w, r)
		return
	}
	f, err := files.Open(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	body, seekable := f.(io.ReadSeeker)
	if err != nil || info.IsDir() || !seekable {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Security-Policy", policy)
	// The files have no date of their own; a new program may have new ones under the same names.
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, name, s.started, body)
}

var loginTemplate = template.Must(template.New("login").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Nacre</title>
<meta name="viewport" content="width=device-width">
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:26em;margin:15vh auto;padding:0 1em}
input{font:inherit;width:100%;box-sizing:border-box;padding:.4em}button{font:inherit;margin-top:1em;padding:.4em 1.5em}</style>
<h1>Nacre</h1>
{{with .Problem}}<p role="alert">{{.}}</p>{{end}}
<form method="post" action="?next={{.Next}}">
<label>Token <input type="password" name="password" autofocus autocomplete="current-password"></label>
<input type="hidden" name="_xsrf" value="{{.XSRF}}">
<button>Open</button></form>
<p>The token is in the address that <code>nacre notebook</code> has printed.</p></html>`))

func (s *Server) showLogin(w http.ResponseWriter, r *http.Request, status int, xsrf, problem string) {
	w.Header().Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = loginTemplate.Execute(w, map[string]string{"Next": localPath(r.URL.Query().Get("next")), "XSRF": xsrf,
		"Problem": problem})
}

func (s *Server) loginPage(w http.ResponseWriter, r *http.Request) {
	if t := r.URL.Query().Get("token"); t != "" && s.auth.isToken(t) {
		http.Redirect(w, r, localPath(r.URL.Query().Get("next"))+s.auth.login(w, r, "").fragment(),
			http.StatusFound)
		return
	}
	value := random()
	if c, err := r.Cookie(xsrfCookie); err == nil && c.Value != "" {
		value = c.Value
	} else {
		http.SetCookie(w, &http.Cookie{Name: xsrfCookie, Value: value, Path: "/login", HttpOnly: true,
			SameSite: http.SameSiteStrictMode})
	}
	s.showLogin(w, r, http.StatusOK, value, "")
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	if !s.auth.isToken(r.PostFormValue("password")) {
		s.log.Warn("a login was refused: the token is wrong")
		s.showLogin(w, r, http.StatusForbidden, r.PostFormValue(xsrfCookie), "That is not the token.")
		return
	}
	proof := ""
	if !fromBrowser(r) {
		// VS Code fills in the form and goes on to repeat the form's value. It has no cookies that others could get.
		proof = r.PostFormValue(xsrfCookie)
	}
	http.Redirect(w, r, localPath(r.URL.Query().Get("next"))+s.auth.login(w, r, proof).fragment(), http.StatusFound)
}

// loginAgain logs an open page in, which sends the token in a header.
func (s *Server) loginAgain(w http.ResponseWriter, r *http.Request) {
	l := s.auth.login(w, r, "")
	sendJSON(w, http.StatusOK, map[string]string{"proof": l.proof, "files": l.files})
}

func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	s.auth.logout(w, r)
	w.WriteHeader(http.StatusNoContent)
}

// file serves a file of the folder as it is, for images in text and for downloads.
func (s *Server) file(w http.ResponseWriter, r *http.Request) {
	f, info, err := s.store.OpenFile(r.PathValue("path"))
	if err != nil {
		sendError(w, err)
		return
	}
	defer f.Close()
	w.Header().Set("Content-Security-Policy", filePolicy)
	w.Header().Set("Connection-Allowlist", noConnections)
	w.Header().Set("Cache-Control", "no-cache")
	if r.URL.Query().Get("download") != "" {
		w.Header().Set("Content-Disposition",
			mime.FormatMediaType("attachment", map[string]string{"filename": info.Name()}))
	}
	http.ServeContent(w, r, info.Name(), info.ModTime(), f)
}
