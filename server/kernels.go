package server

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path"

	"nacre/internal/version"
	"nacre/server/contents"
	"nacre/server/hub"
)

// maxRequest bounds, in bytes, the body of a request that is not a file.
const maxRequest = 1 << 20

// apiVersion is the version of Jupyter's server whose interface this one follows.
const apiVersion = "2.17.0"

func (s *Server) version(w http.ResponseWriter, _ *http.Request) {
	sendJSON(w, http.StatusOK, map[string]string{"version": apiVersion})
}

func (s *Server) unknown(w http.ResponseWriter, r *http.Request) {
	refuse(w, http.StatusNotFound, "this server does not offer "+r.Method+" "+r.URL.Path)
}

func (s *Server) status(w http.ResponseWriter, _ *http.Request) {
	last, connections := s.started, 0
	kernels := s.hub.Kernels()
	for _, k := range kernels {
		m := k.Model()
		connections += m.Connections
		if m.LastActivity.After(last) {
			last = m.LastActivity
		}
	}
	sendJSON(w, http.StatusOK, map[string]any{
		"started": s.started.UTC(), "last_activity": last.UTC(), "connections": connections, "kernels": len(kernels),
		"busy": s.hub.Busy(), "version": version.Get().String(),
	})
}

func (s *Server) me(w http.ResponseWriter, _ *http.Request) {
	sendJSON(w, http.StatusOK, map[string]any{
		"identity": map[string]any{
			"username": "user", "name": "User", "display_name": "User", "initials": "U", "avatar_url": nil,
			"color": nil,
		},
		"permissions": map[string]any{},
	})
}

// kernelSpec is the one kernel as Jupyter describes it.
func (s *Server) kernelSpec() map[string]any {
	return map[string]any{
		"name": SpecName, "resources": map[string]any{},
		"spec": map[string]any{
			"argv": []string{"nacre", "kernel", "--connection-file", "{connection_file}"}, "display_name": DisplayName,
			"language": "go", "interrupt_mode": "message", "env": map[string]any{},
			"metadata": map[string]any{"debugger": false},
		},
	}
}

func (s *Server) specs(w http.ResponseWriter, _ *http.Request) {
	sendJSON(w, http.StatusOK,
		map[string]any{"default": SpecName, "kernelspecs": map[string]any{SpecName: s.kernelSpec()}})
}

func (s *Server) spec(w http.ResponseWriter, r *http.Request) {
	if r.PathValue("name") != SpecName {
		refuse(w, http.StatusNotFound, "no kernel is named "+r.PathValue("name"))
		return
	}
	sendJSON(w, http.StatusOK, s.kernelSpec())
}

// readJSON reads a request's body; an empty one leaves v as it is.
func readJSON(w http.ResponseWriter, r *http.Request, v any) bool {
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(v)
	if err != nil && !errors.Is(err, io.EOF) {
		refuse(w, http.StatusBadRequest, "the request's body: "+err.Error())
		return false
	}
	return true
}

func (s *Server) kernels(w http.ResponseWriter, _ *http.Request) {
	list := []hub.Model{}
	for _, k := range s.hub.Kernels() {
		list = append(list, k.Model())
	}
	sendJSON(w, http.StatusOK, list)
}

func (s *Server) startKernel(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Name string `json:"name"`
		Path string `json:"path"`
	}
	if !readJSON(w, r, &body) {
		return
	}
	k, err := s.hub.StartKernel(body.Name, body.Path)
	if err != nil {
		sendError(w, kernelError(err))
		return
	}
	w.Header().Set("Location", "/api/kernels/"+k.ID)
	sendJSON(w, http.StatusCreated, k.Model())
}

func kernelError(err error) error {
	if _, ok := errors.AsType[*hub.UnknownKernelError](err); ok {
		return &contents.Error{Status: http.StatusNotImplemented, Message: err.Error()}
	}
	return err
}

// find answers 404 and returns nil if there is no such kernel.
func (s *Server) find(w http.ResponseWriter, r *http.Request) *hub.Kernel {
	k := s.hub.Kernel(r.PathValue("id"))
	if k == nil {
		refuse(w, http.StatusNotFound, "Kernel does not exist: "+r.PathValue("id"))
	}
	return k
}

func (s *Server) kernel(w http.ResponseWriter, r *http.Request) {
	if k := s.find(w, r); k != nil {
		sendJSON(w, http.StatusOK, k.Model())
	}
}

func (s *Server) deleteKernel(w http.ResponseWriter, r *http.Request) {
	if k := s.find(w, r); k != nil {
		s.hub.DeleteKernel(k.ID)
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *Server) interrupt(w http.ResponseWriter, r *http.Request) {
	k := s.find(w, r)
	if k == nil {
		return
	}
	if err := k.Interrupt(); err != nil {
		refuse(w, http.StatusConflict, err.Error())
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) restart(w http.ResponseWriter, r *http.Request) {
	k := s.find(w, r)
	if k == nil {
		return
	}
	if err := k.Restart(); err != nil {
		sendError(w, err)
		return
	}
	sendJSON(w, http.StatusOK, k.Model())
}

// sessionModel is a session as Jupyter's REST interface has it.
type sessionModel struct {
	ID       string            `json:"id"`
	Path     string            `json:"path"`
	Name     string            `json:"name"`
	Type     string            `json:"type"`
	Kernel   hub.Model         `json:"kernel"`
	Notebook map[string]string `json:"notebook"`
}

func modelOf(s *hub.Session) sessionModel {
	return sessionModel{s.ID, s.Path, s.Name, s.Type, s.Kernel.Model(),
		map[string]string{"path": s.Path, "name": s.Name}}
}

func (s *Server) sessions(w http.ResponseWriter, _ *http.Request) {
	list := []sessionModel{}
	for _, session := range s.hub.Sessions() {
		list = append(list, modelOf(session))
	}
	sendJSON(w, http.StatusOK, list)
}

// sessionRequest is the body of the requests that make and change sessions.
type sessionRequest struct {
	Path   *string `json:"path"`
	Name   *string `json:"name"`
	Type   *string `json:"type"`
	Kernel *struct {
		ID   *string `json:"id"`
		Name *string `json:"name"`
	} `json:"kernel"`
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (s *Server) openSession(w http.ResponseWriter, r *http.Request) {
	var body sessionRequest
	if !readJSON(w, r, &body) {
		return
	}
	if deref(body.Path) == "" {
		refuse(w, http.StatusBadRequest, "a session needs a path")
		return
	}
	kind := cmp.Or(deref(body.Type), "notebook")
	var id, name string
	if body.Kernel != nil {
		id, name = deref(body.Kernel.ID), deref(body.Kernel.Name)
	}
	session, err := s.hub.OpenSession(*body.Path, deref(body.Name), kind, id, name)
	if err != nil {
		sendError(w, kernelError(err))
		return
	}
	w.Header().Set("Location", "/api/sessions/"+session.ID)
	sendJSON(w, http.StatusCreated, modelOf(session))
}

func (s *Server) findSession(w http.ResponseWriter, r *http.Request) *hub.Session {
	session := s.hub.Session(r.PathValue("id"))
	if session == nil {
		refuse(w, http.StatusNotFound, "Session not found: "+r.PathValue("id"))
	}
	return session
}

func (s *Server) session(w http.ResponseWriter, r *http.Request) {
	if session := s.findSession(w, r); session != nil {
		sendJSON(w, http.StatusOK, modelOf(session))
	}
}

func (s *Server) changeSession(w http.ResponseWriter, r *http.Request) {
	session := s.findSession(w, r)
	var body sessionRequest
	if session == nil || !readJSON(w, r, &body) {
		return
	}
	kernel := session.Kernel
	if body.Kernel != nil {
		var err error
		if id := deref(body.Kernel.ID); id != "" {
			if kernel = s.hub.Kernel(id); kernel == nil {
				refuse(w, http.StatusBadRequest, "Kernel does not exist: "+id)
				return
			}
		} else if name := deref(body.Kernel.Name); name != "" {
			if kernel, err = s.hub.StartKernel(name, session.Path); err != nil {
				sendError(w, kernelError(err))
				return
			}
		}
	}
	session = s.hub.ChangeSession(session.ID, func(session *hub.Session) {
		if body.Path != nil {
			session.Path, session.Name = *body.Path, path.Base(*body.Path)
		}
		if body.Name != nil {
			session.Name = *body.Name
		}
		if body.Type != nil {
			session.Type = *body.Type
		}
		session.Kernel = kernel
	})
	if session == nil {
		refuse(w, http.StatusNotFound, "Session not found: "+r.PathValue("id"))
		return
	}
	sendJSON(w, http.StatusOK, modelOf(session))
}

func (s *Server) deleteSession(w http.ResponseWriter, r *http.Request) {
	if session := s.findSession(w, r); session != nil {
		s.hub.DeleteSession(session.ID)
		w.WriteHeader(http.StatusNoContent)
	}
}
