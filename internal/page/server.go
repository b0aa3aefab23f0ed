package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"warren/internal/listen"
	"warren/internal/puzzle"
)

// Config configures a server.
type Config struct {
	Runs    []string // run directories, in the order in which the page lists them
	Live    *Live    // observes the training of Runs[0]; nil if this process is not training it
	Network string   // another network to play against, besides those of the runs, as device.Load reads it; may be empty
	Token   string   // token required of visitors; empty: none. [Open] overwrites it
	Start   string   // part of the page shown first, such as "play"; empty: the curves
	Log     *slog.Logger
}

// Server serves the page and answers its requests.
type Server struct {
	config   Config
	runs     []*run
	networks networks
	open     openGames
	heavy    chan struct{}                // holds an element for each search, reply or analysis in progress
	streams  chan struct{}                // holds an element for each stream of events
	shipped  func() (*puzzle.File, error) // the puzzles, which are read once
	patience time.Duration                // for the search for a game
	handler  http.Handler
}

// The limits on what visitors may use at once.
const (
	maxHeavy   = 2
	maxStreams = 64
	maxBody    = 1 << 20
	maxOpen    = 256 // connections

	arrival = 30 * time.Second // for a request to arrive completely
	unread  = 10 * time.Minute // for a request to be answered and the answer to be read
)

// New returns a server. It fails if a directory is not a run directory.
func New(c Config) (*Server, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{config: c, heavy: make(chan struct{}, maxHeavy), streams: make(chan struct{}, maxStreams), patience: 5 * time.Second}
	for _, path := range c.Runs {
		r, err := openRun(path)
		if err != nil {
			return nil, err
		}
		s.runs = append(s.runs, r)
	}
	s.shipped = sync.OnceValues(puzzle.Shipped)
	if c.Network != "" {
		if _, err := s.networks.get(c.Network); err != nil {
			return nil, err
		}
	}
	s.handler = s.guard(s.routes())
	return s, nil
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close ends the games in progress.
func (s *Server) Close() error { return s.open.close() }

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /", assets())
	for pattern, answer := range map[string]func(*http.Request) (any, error){
		"GET /api/runs":                              s.listRuns,
		"GET /api/runs/{run}/series":                 s.ofRun(s.series),
		"GET /api/runs/{run}/settings":               s.ofRun(s.settings),
		"GET /api/runs/{run}/games":                  s.ofRun(s.listGames),
		"GET /api/runs/{run}/games/{game}":           s.ofRun(s.showGame),
		"GET /api/runs/{run}/matches":                s.ofRun(s.listMatches),
		"GET /api/runs/{run}/matches/{match}":        s.ofRun(s.listMatchGames),
		"GET /api/runs/{run}/matches/{match}/{game}": s.ofRun(s.showMatchGame),
		"GET /api/players":                           s.players,
		"POST /api/analyse":                          s.analyse,
		"POST /api/position":                         s.tryOut,
		"GET /api/puzzles":                           s.puzzles,
		"POST /api/puzzles/{puzzle}":                 s.answerPuzzle,
		"POST /api/why":                              s.why,
		"POST /api/search":                           s.search,
		"POST /api/play":                             s.newOpenGame,
		"GET /api/play/{game}":                       s.showOpenGame,
		"POST /api/play/{game}/{command}":            s.commandInGame,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, answer) })
	}
	mux.HandleFunc("POST /api/enter", s.enter)
	mux.HandleFunc("GET /api/events", s.events)
	return mux
}

// problem is an error with an HTTP status and a text for the visitor.
type problem struct {
	status int
	text   string
	state  *state // of the game in which a command was refused; nil elsewhere
}

func (p *problem) Error() string { return p.text }

func wrong(format string, args ...any) error {
	return &problem{status: http.StatusBadRequest, text: fmt.Sprintf(format, args...)}
}

func missing(format string, args ...any) error {
	return &problem{status: http.StatusNotFound, text: fmt.Sprintf(format, args...)}
}

// answer sends the result of f, or its error, as JSON.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, f func(*http.Request) (any, error)) {
	body, err := f(r)
	if err == nil {
		var content []byte
		if content, err = json.Marshal(body); err == nil {
			send(w, http.StatusOK, content)
			return
		}
	}
	p := &problem{status: http.StatusInternalServerError, text: err.Error()}
	if !errors.As(err, &p) && r.Context().Err() == nil {
		s.config.Log.Warn("a request of the page failed", "path", r.URL.Path, "error", err)
	}
	sendProblem(w, p)
}

func sendProblem(w http.ResponseWriter, p *problem) {
	content, _ := json.Marshal(struct {
		Error string `json:"error"`
		State *state `json:"state,omitempty"`
	}{p.text, p.state})
	send(w, p.status, content)
}

func send(w http.ResponseWriter, status int, content []byte) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(content)
}

// read decodes the body of a POST, which the guard has read.
func read(r *http.Request, into any) error {
	content, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(content, into)
	}
	if err != nil {
		return wrong("the request is not the JSON that is expected here: %v", err)
	}
	return nil
}

// ofRun has f answer the requests that name a run.
func (s *Server) ofRun(f func(*run, *http.Request) (any, error)) func(*http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		n, err := strconv.Atoi(r.PathValue("run"))
		if err != nil || n < 0 || n >= len(s.runs) {
			return nil, missing("there is no run %.20q", r.PathValue("run"))
		}
		return f(s.runs[n], r)
	}
}

// takeHeavy waits until another search may start. The caller must call release
// when the search is done.
func (s *Server) takeHeavy(ctx context.Context) (release func(), err error) {
	select {
	case s.heavy <- struct{}{}:
		return func() { <-s.heavy }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Listen listens on the address of a page.
func Listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("serving the page on %q: %w; choose another address, such as --http 127.0.0.1:8081", address, err)
	}
	return l, nil
}

// Open serves a page on an address such as 127.0.0.1:8080 until ctx is done. It
// calls ready with the URL for visitors to open. On an address other than a
// loopback address, visitors need a new token, which is part of that URL.
func Open(ctx context.Context, address string, c Config, ready func(url string)) error {
	l, err := Listen(address)
	if err != nil {
		return err
	}
	defer l.Close()
	c.Token = tokenFor(l)
	s, err := New(c)
	if err != nil {
		return err
	}
	ready(s.URL(l))
	return s.Serve(ctx, l)
}

// Serve answers requests until ctx is done.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      unread, // a stream of events sets its own
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    1 << 16,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          slog.NewLogLogger(s.config.Log.Handler(), slog.LevelDebug),
	}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	err := server.Serve(listen.Bounded(l, listen.Few(maxOpen)))
	s.Close()
	if ctx.Err() != nil || errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// URL returns the URL for visitors to open if the server listens on l.
func (s *Server) URL(l net.Listener) string {
	url := "http://" + listen.Host(l) + "/"
	if s.config.Start != "" || s.config.Token != "" {
		url += "#/" + s.config.Start
	}
	if s.config.Token != "" {
		url += "?token=" + s.config.Token
	}
	return url
}

// name returns the name of a run or network, the last element of its path.
func name(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return filepath.Base(path)
}
