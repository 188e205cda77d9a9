// Package server is the notebook server: Jupyter's REST interface and WebSockets for one folder of notebooks, and the
// front end's files. It listens on the loopback interface and answers only requests with its token. Packages hub,
// contents and process do the work. This package speaks HTTP and rejects all other requests.
//
//	s, err := server.New(server.Config{Dir: "notebooks", Kernel: []string{"nacre", "kernel", "--pipe"}, Log: log})
//	defer s.Close()
//	l, err := net.Listen("tcp", "127.0.0.1:8888")
//	fmt.Println(s.URL(l.Addr(), "quickstart.ipynb"))
//	err = s.Serve(ctx, l)
package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"nacre/internal/loopback"
	"nacre/server/contents"
	"nacre/server/hub"
)

// SpecName is the name of the one kernel that is offered.
const SpecName = "nacre"

// DisplayName is the kernel's name in front ends.
const DisplayName = "Go (Nacre)"

// Config says what the server serves.
type Config struct {
	Dir string
	// files of Dir that are not written: edits of such notebooks go to a copy; nil if there are none
	Fixed   func(path string) bool
	Token   string       // at least 16 characters; "" makes a random one
	Kernel  []string     // command of a kernel's process
	Env     []string     // variables added to this process's environment
	Memory  int64        // memory limit of one kernel, in bytes; 0 for no limit
	Timing  bool         // notebooks' files get the times of their cells' runs
	Static  fs.FS        // the front end: index.html and the files under static/
	Wasm    fs.FS        // programs that the browser runs, and their manifest; nil if there are none
	Runs    http.Handler // serves the page of runs, with paths from the page's address on; nil if there is none
	Layouts http.Handler // serves the page of embeddings, in the same way
	Figures http.Handler // draws charts that a page saves, in the same way
	// further host names of this server, besides those of the loopback interface
	Hosts []string
	// path under which browsers see the server, where a reverse proxy gives it one; "" for none. The proxy may pass it
	// on or take it off.
	Base string
	Log  *slog.Logger
}

// Server is a notebook server.
type Server struct {
	config  Config
	auth    *auth
	hub     *hub.Hub
	store   *contents.Store
	log     *slog.Logger
	started time.Time
	handler http.Handler
	routes  []route
	stop    context.CancelFunc // ends the WebSockets, which http.Server does not know
	ctx     context.Context
}

// New makes a server. It starts no kernel.
func New(c Config) (*Server, error) {
	chosen := c.Token != ""
	if !chosen {
		b := make([]byte, 24)
		if _, err := rand.Read(b); err != nil {
			return nil, err
		}
		c.Token = hex.EncodeToString(b)
	}
	if len(c.Token) < minToken {
		return nil, fmt.Errorf("the token has %d characters, expected at least %d", len(c.Token), minToken)
	}
	store, err := contents.Open(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("notebook folder: %w", err)
	}
	store.Protect(c.Fixed)
	s := &Server{config: c, auth: newAuth(c.Token, chosen, c.Hosts), store: store, log: c.Log, started: time.Now()}
	if s.config.Base, err = s.cleanBase(c.Base); err != nil {
		store.Close()
		return nil, err
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.hub = hub.New(hub.Config{Spec: SpecName, Argv: c.Kernel, Env: c.Env, Memory: c.Memory, Timing: c.Timing,
		Store: store, Log: c.Log})
	s.routes = s.table()
	mux := http.NewServeMux()
	for _, r := range s.routes {
		mux.Handle(r.pattern, r.handler)
	}
	s.handler = s.guard(mux)
	return s, nil
}

// route is one entry of the table of everything that is served.
type route struct {
	pattern string
	handler http.HandlerFunc
}

func (s *Server) table() []route {
	return []route{
		{"GET /login", s.loginPage}, {"POST /login", s.login}, {"POST /logout", s.logout},
		{"GET /{$}", s.home}, {"GET /tree", s.page}, {"GET /tree/{path...}", s.page},
		{"GET /notebooks/{path...}", s.page},
		{"GET /edit/{path...}", s.page}, {"GET /runs", s.overview},
		{"/api/runs/", s.mounted("/api/runs", s.config.Runs)},
		{"GET /embeddings", s.overview}, {"/api/layouts/", s.mounted("/api/layouts", s.config.Layouts)},
		{"/api/figures/", s.mounted("/api/figures", s.config.Figures)},
		{"GET /static/{path...}", s.static},
		{"GET /tsne/{$}", s.tsne}, {"GET /tsne/static/{path...}", s.static}, {"GET /tsne/wasm/{name}", s.wasm},
		{"GET /rollout/{$}", s.rollout}, {"GET /rollout/static/{path...}", s.static},
		{"GET /files/{path...}", s.file},
		{"POST /api/login", s.loginAgain},
		{"GET /api", s.version}, {"GET /api/{$}", s.version}, {"GET /api/status", s.status}, {"GET /api/me", s.me},
		{"GET /api/kernelspecs", s.specs}, {"GET /api/kernelspecs/{name}", s.spec},
		{"GET /api/kernels", s.kernels}, {"POST /api/kernels", s.startKernel},
		{"GET /api/kernels/{id}", s.kernel}, {"DELETE /api/kernels/{id}", s.deleteKernel},
		{"POST /api/kernels/{id}/interrupt", s.interrupt}, {"POST /api/kernels/{id}/restart", s.restart},
		{"GET /api/kernels/{id}/channels", s.channels},
		{"GET /api/sessions", s.sessions}, {"POST /api/sessions", s.openSession},
		{"GET /api/sessions/{id}", s.session}, {"PATCH /api/sessions/{id}", s.changeSession},
		{"DELETE /api/sessions/{id}", s.deleteSession},
		{"GET /api/contents", s.getContents}, {"GET /api/contents/{path...}", s.getContents},
		{"PUT /api/contents/{path...}", s.putContents}, {"POST /api/contents", s.postContents},
		{"POST /api/contents/{path...}", s.postContents},
		{"PATCH /api/contents/{path...}", s.patchContents}, {"DELETE /api/contents/{path...}", s.deleteContents},
		{"GET /api/cards", s.cards}, {"GET /api/cards/{path...}", s.cards}, {"GET /api/pictures/{path...}", s.picture},
		{"GET /api/events/subscribe", s.events},
		{"/api/", s.unknown}, {"/", s.unknown},
	}
}

// Token is the secret that lets a client in.
func (s *Server) Token() string { return s.config.Token }

// URL is the address, with the token, at which a browser opens a notebook; an empty path opens the list of files.
func (s *Server) URL(addr net.Addr, notebook string) string {
	if notebook == "" {
		return s.PageURL(addr, "/")
	}
	return s.PageURL(addr, "/notebooks/"+strings.TrimPrefix(notebook, "/"))
}

// PageURL is the address, with the token, at which a browser opens a page.
func (s *Server) PageURL(addr net.Addr, path string) string {
	host := addr.String()
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = net.JoinHostPort(loopback.Host(), strconv.Itoa(tcp.Port))
	}
	u := url.URL{Scheme: "http", Host: host, Path: s.config.Base + strings.TrimPrefix(path, "/"),
		RawQuery: url.Values{"token": {s.config.Token}}.Encode()}
	return u.String()
}

// Serve answers requests until ctx is done, and then ends the kernels.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	s.auth.listening(l.Addr())
	web := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: 20 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	stopped := context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		s.stop()
		if web.Shutdown(end) != nil {
			web.Close()
		}
	})
	defer stopped()
	err := web.Serve(l)
	s.Close()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Close writes outputs that are not saved and ends the kernels and connections.
func (s *Server) Close() {
	s.stop()
	s.hub.Close()
	s.store.Close()
}
